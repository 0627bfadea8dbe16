// swift-tools-version: 6.2
import PackageDescription

// The layers, one target each; an arrow means "may import":
//
//   rekey -> RekeyKit -> LaravelEncryption -> COpenSSL, CVectors
//                        Postgres          -> CLibPQ
//                        YAML              -> CLibYAML
//                        CSV, Pipeline
//
// `make lint` holds them (docs/why-layers.md).

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "rekey",
  products: [.executable(name: "rekey", targets: ["rekey"])],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CVectors"),

    .target(name: "LaravelEncryption", dependencies: ["COpenSSL", "CVectors"], swiftSettings: strict),
    .target(name: "Pipeline", swiftSettings: strict),
    .target(name: "CSV", swiftSettings: strict),
    .target(name: "YAML", dependencies: ["CLibYAML"], swiftSettings: strict),
    .target(name: "Postgres", dependencies: ["CLibPQ"], swiftSettings: strict),
    .target(
      name: "RekeyKit",
      dependencies: ["LaravelEncryption", "Pipeline", "CSV", "YAML", "Postgres"],
      swiftSettings: strict),
    .executableTarget(name: "rekey", dependencies: ["RekeyKit"], swiftSettings: strict),

    .testTarget(
      name: "LaravelEncryptionTests", dependencies: ["LaravelEncryption"],
      resources: [.copy("Vectors")], swiftSettings: strict),
    .testTarget(name: "PipelineTests", dependencies: ["Pipeline"], swiftSettings: strict),
    .testTarget(name: "CSVTests", dependencies: ["CSV"], swiftSettings: strict),
    .testTarget(name: "YAMLTests", dependencies: ["YAML"], swiftSettings: strict),
    .testTarget(name: "PostgresTests", dependencies: ["Postgres"], swiftSettings: strict),
    .testTarget(
      name: "RekeyKitTests",
      dependencies: ["RekeyKit", "LaravelEncryption", "Pipeline", "CSV", "YAML", "Postgres"],
      swiftSettings: strict),
    .testTarget(name: "ScenarioTests", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
