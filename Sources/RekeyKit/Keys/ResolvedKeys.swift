import LaravelEncryption

/// The keys of a pipeline, read and checked.
package struct ResolvedKeys: Sendable {
  /// One key and where it came from.
  package struct Entry: Sendable {
    package var key: AppKey
    /// `current` or `previous[N]`; a reference to a list of keys takes a place for each.
    package var place: String
    package var reference: Located<KeyReference>
  }

  package var ring: KeyRing
  /// The current key first, then the previous ones in the order of `ring`.
  package var entries: [Entry]
  package var warnings: [Problem]
}

extension Config {
  /// Reads the keys that the pipeline refers to.
  ///
  /// Call `ProcessEnvironment.overwriteKeys()` when the keys of all pipelines are read.
  ///
  /// - Returns: the keys, or every problem with them, pinned to the reference.
  package func resolveKeys(_ environment: ProcessEnvironment) -> Result<ResolvedKeys, InvalidConfig> {
    var resolver = KeyResolver(fetcher: KeyFetcher(environment: environment))
    guard let keys = resolver.resolve(keys), resolver.problems.isEmpty else {
      return .failure(InvalidConfig(file: file, problems: resolver.problems))
    }
    return .success(keys)
  }
}
