// swift-tools-version: 6.2
import Foundation
import PackageDescription

// simdjson has no C interface to load at run time: its subjects are left out where its header is missing.
let hasSimdjson = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
  FileManager.default.fileExists(atPath: $0 + "/simdjson.h")
}

// A package of its own, so that the libraries under comparison never burden a user.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  traits: [
    // Off by default: without it the package needs no libpq.
    .trait(name: "Postgres", description: "The workloads of the store in PostgreSQL. Needs libpq.")
  ],
  dependencies: [
    .package(
      name: "FastMap", path: "..",
      traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // The libraries under FastMap, for the subjects that do without it.
    .systemLibrary(
      name: "PlainJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]),
    .systemLibrary(
      name: "PlainLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "PlainPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
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
        .product(
          name: "FastMapPostgres", package: "FastMap", condition: .when(traits: ["Postgres"])),
        "CHeap", "CSimdjson", "CSQLite", "PlainJansson", "PlainLMDB",
        .target(name: "PlainPostgres", condition: .when(traits: ["Postgres"])),
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),  // each file imports the modules that it uses
  ]
}
