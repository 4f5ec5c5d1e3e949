// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it builds a library that gets between a program and its system calls, which nobody else needs.
let package = Package(
  name: "Torture",
  platforms: [.macOS(.v15)],
  products: [.library(name: "TortureShim", type: .dynamic, targets: ["CShim"])],
  // The campaigns of PostgreSQL need libpq and a server.
  traits: [.trait(name: "Postgres", description: "The campaigns with PostgreSQL servers.")],
  dependencies: [
    .package(
      name: "FastMap", path: "..", traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
  ],
  targets: [
    .target(name: "CShim"),
    .target(name: "CProcess"),
    .executableTarget(
      name: "fastmap-torture",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapLMDB", package: "FastMap"),
        .product(name: "FastMapMemory", package: "FastMap"),
        .product(name: "FastMapModels", package: "FastMap"),
        .product(name: "FastMapStoreTesting", package: "FastMap"),
        .product(name: "FastMapPostgres", package: "FastMap", condition: .when(traits: ["Postgres"])),
        .product(name: "fastmap", package: "FastMap"),  // which `newcomers` runs
        "CProcess",
      ],
      // So that the shim knows the C functions of FastMap by their names.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"], .when(platforms: [.linux]))]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),  // each file imports the modules that it uses
  ]
  // The example of a store, for `meetings`.
  if Context.environment["FASTMAP_SQLITE"] != nil, target.name == "fastmap-torture" {
    target.dependencies.append(.product(name: "FastMapSQLite", package: "FastMap"))
    target.swiftSettings?.append(.define("SQLite"))
  }
}
