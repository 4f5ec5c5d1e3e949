// swift-tools-version: 6.2
import Foundation
import PackageDescription

// simdjson has no C interface to load at run time: its subjects are left out where its header is missing.
let hasSimdjson = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
  FileManager.default.fileExists(atPath: $0 + "/simdjson.h")
}

// A package of its own, so that what FastMap is compared with never burdens a user.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FastMap", path: "..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // What FastMap stands on, for the subjects that do without it.
    .systemLibrary(
      name: "PlainJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]),
    .systemLibrary(
      name: "PlainLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CHeap"),
    .target(
      name: "CSimdjson",
      // simdjson picks its vectors when it is compiled; a good user compiles it for the machine.
      cxxSettings: hasSimdjson
        ? [.define("BENCHMARKS_HAVE_SIMDJSON"), .unsafeFlags(["-march=native", "-O3"])] : [],
      linkerSettings: hasSimdjson ? [.linkedLibrary("simdjson"), .linkedLibrary("sqlite3")] : []),
    .executableTarget(
      name: "fastmap-benchmarks",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapLMDB", package: "FastMap"),
        .product(name: "FastMapMemory", package: "FastMap"),
        "CHeap", "CSimdjson", "CSQLite", "PlainJansson", "PlainLMDB",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),  // each file says what it uses
  ]
}
