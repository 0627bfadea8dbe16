import Foundation
import Postgres

/// Each lane's reader and writer, connected when they are first asked for and kept from table to table.
final class LaneConnections: @unchecked Sendable {  // `lock` guards `readers` and `writers`
  private let url: String
  private let lock = NSLock()
  private var readers: [Int: Connection] = [:]
  private var writers: [Int: Connection] = [:]

  init(url: String) { self.url = url }

  func reader(_ lane: Int) throws -> Connection { try connection(lane, \.readers) }
  func writer(_ lane: Int) throws -> Connection { try connection(lane, \.writers) }

  private func connection(
    _ lane: Int, _ kind: ReferenceWritableKeyPath<LaneConnections, [Int: Connection]>
  ) throws -> Connection {
    if let known = lock.withLock({ self[keyPath: kind][lane] }), !known.isLost { return known }
    let new = try connect(url)
    lock.withLock { self[keyPath: kind][lane] = new }
    return new
  }
}

/// Connects, with an error that ends the command.
func connect(_ url: String) throws -> Connection {
  do {
    return try Connection(url: url)
  } catch let error as PostgresError {
    throw RekeyError(.fatal, "\(error.description); check the URL, PGPASSFILE and the server")
  }
}
