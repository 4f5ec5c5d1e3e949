// swift-tools-version: 6.2
import PackageDescription

// A store as somebody else would write it: a package of its own, which sees FastMap's public products only.
let package = Package(
  name: "SQLiteStore",
  platforms: [.macOS(.v15)],
  products: [.library(name: "FastMapSQLite", targets: ["FastMapSQLite"])],
  dependencies: [.package(name: "FastMap", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "FastMapSQLite",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"), .product(name: "FastMapSQL", package: "FastMap"),
        "CSQLite",
      ]),
    .executableTarget(
      name: "import-catalogue",
      dependencies: [.product(name: "FastMapCore", package: "FastMap"), "FastMapSQLite"]),
    .testTarget(
      name: "FastMapSQLiteTests",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapStoreTesting", package: "FastMap"),
        "CSQLite", "FastMapSQLite",
      ]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),  // C types must not reach users
    .enableUpcomingFeature("MemberImportVisibility"),  // each file imports the modules that it uses
  ]
}
