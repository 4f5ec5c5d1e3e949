// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what FastMap is compared with never burdens a user.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FastMap", path: "..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // FastMap's own targets for these two are no products, and one build cannot have two targets of a name.
    .systemLibrary(
      name: "PlainJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]),
    .systemLibrary(
      name: "PlainLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CHeap"),
    .executableTarget(
      name: "fastmap-benchmarks",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapLMDB", package: "FastMap"),
        .product(name: "FastMapMemory", package: "FastMap"),
        "CHeap", "CSQLite", "PlainJansson", "PlainLMDB",
      ]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),  // each file says what it uses
  ]
}
