// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "FastMap",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FastMapCore", targets: ["FastMapCore", "FastMapQueries"]),
    .library(name: "FastMapStoreKit", targets: ["FastMapStoreKit"]),
    .library(name: "FastMapMemory", targets: ["FastMapMemory"]),
    .library(name: "FastMapLMDB", targets: ["FastMapLMDB"]),
    .library(name: "FastMapPostgres", targets: ["FastMapPostgres"]),
    .library(name: "FastMapFoundation", targets: ["FastMapFoundation"]),
    .library(name: "FastMapStoreTesting", targets: ["FastMapStoreTesting"]),
    // For the campaigns, which are a package of their own.
    .library(name: "FastMapModels", targets: ["FastMapModels"]),
    .library(name: "CJansson", targets: ["CFastMapJansson"]),
    .executable(name: "fastmap", targets: ["fastmap"]),
  ],
  traits: [
    // Off by default: without it the package needs jansson and LMDB alone.
    .trait(
      name: "Postgres", description: "FastMapPostgres, the store in PostgreSQL. Needs libpq 14 or newer.")
  ],
  targets: [
    // Module names must be unique in a build. These names leave the plain ones to other packages that wrap the libraries.
    .systemLibrary(
      name: "CFastMapJansson", path: "Sources/CJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]),
    .systemLibrary(
      name: "CFastMapLMDB", path: "Sources/CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CFastMapPostgres", path: "Sources/CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

    // The one import of the C library. Not a product, so that users do not see its names.
    .target(name: "FastMapSystem"),
    .target(name: "CFastMap", dependencies: ["CFastMapJansson"]),
    // The protocols of a store, for its author.
    .target(name: "FastMapStoreKit", dependencies: ["CFastMap", "FastMapSystem"]),
    .target(
      name: "FastMapJSON", dependencies: ["FastMapStoreKit", "CFastMap", "CFastMapJansson", "FastMapSystem"]),
    .target(name: "FastMapMaintenance", dependencies: ["FastMapJSON", "FastMapSystem"]),
    .target(name: "FastMapMapping", dependencies: ["FastMapJSON", "CFastMap", "FastMapSystem"]),
    .target(name: "FastMapQueryEngine", dependencies: ["FastMapMapping", "CFastMap", "FastMapSystem"]),
    .target(name: "FastMapReading", dependencies: ["FastMapQueryEngine", "CFastMap", "FastMapSystem"]),
    .target(name: "FastMapImport", dependencies: ["FastMapReading", "CFastMap", "FastMapSystem"]),
    .target(name: "FastMapContexts", dependencies: ["FastMapImport", "CFastMap", "FastMapSystem"]),
    .target(name: "FastMapCodable", dependencies: ["FastMapContexts", "CFastMap", "FastMapSystem"]),
    // Users import this one. It has no code of its own.
    .target(name: "FastMapCore", dependencies: ["FastMapCodable", "FastMapMaintenance"]),
    // The operators of filters, apart, because they slow the compiler down in every file that imports them.
    .target(name: "FastMapQueries", dependencies: ["FastMapCore"]),
    .target(name: "FastMapMemory", dependencies: ["FastMapStoreKit", "CFastMap", "FastMapSystem"]),
    .target(
      name: "FastMapLMDB",
      dependencies: ["FastMapMaintenance", "FastMapMapping", "CFastMap", "CFastMapLMDB", "FastMapSystem"]),
    .target(
      name: "FastMapPostgres",
      dependencies: [
        "FastMapMaintenance", "FastMapSQL", "CFastMap", "FastMapSystem",
        .target(name: "CFastMapPostgres", condition: .when(traits: ["Postgres"])),
      ]),
    .target(name: "FastMapFoundation", dependencies: ["FastMapCore"]),
    // Parts of every SQL store. Not a product.
    .target(name: "FastMapSQL", dependencies: ["FastMapStoreKit"]),
    // `fastmap infer`. Only the tool uses it.
    .target(name: "FastMapInference", dependencies: ["FastMapCore", "CFastMap"]),
    .target(name: "FastMapStoreTesting", dependencies: ["FastMapCore", "FastMapSystem"]),
    .executableTarget(
      name: "fastmap",
      dependencies: [
        "FastMapCore", "FastMapInference", "FastMapLMDB", "FastMapSystem",
        .target(name: "FastMapPostgres", condition: .when(traits: ["Postgres"])),
      ]),

    // Random runs of a store beside models of it.
    .target(
      name: "FastMapModels", dependencies: ["FastMapCore", "FastMapStoreTesting", "FastMapSystem"],
      path: "Tests/Models"),
    // What two of the test targets need.
    .target(
      name: "TestSupport",
      dependencies: [
        "FastMapCore", "FastMapMemory", "FastMapLMDB", "FastMapModels", "FastMapStoreTesting",
        "FastMapSystem",
        .target(name: "FastMapPostgres", condition: .when(traits: ["Postgres"])),
      ],
      path: "Tests/TestSupport", exclude: ["Mappings"]),
    .testTarget(
      name: "CFastMapTests",
      dependencies: ["CFastMap", "CFastMapJansson", "FastMapStoreTesting", "FastMapSystem", "TestSupport"]),
    .testTarget(
      name: "ConcurrencyTests",
      dependencies: ["FastMapCore", "FastMapMemory", "FastMapStoreTesting", "TestSupport"]),
    .testTarget(
      name: "FastMapMemoryTests",
      dependencies: ["FastMapCore", "FastMapMemory", "FastMapQueries", "FastMapStoreTesting", "TestSupport"]),
    .testTarget(
      name: "FastMapLMDBTests",
      dependencies: [
        "FastMapCore", "FastMapLMDB", "FastMapStoreTesting", "fastmap", "TestSupport", "CFastMap",
        "CFastMapLMDB", "FastMapSystem",
      ],
      exclude: ["Golden"]),
    // Empty without the trait.
    .testTarget(
      name: "FastMapPostgresTests",
      dependencies: [
        "FastMapCore", "FastMapLMDB", "FastMapPostgres", "FastMapStoreTesting", "FastMapSystem",
        "TestSupport",
      ]),
    .testTarget(
      name: "FastMapFoundationTests",
      dependencies: ["FastMapCore", "FastMapFoundation", "FastMapMemory", "FastMapQueries", "TestSupport"]),
    // The same answers of every store, for every shape of property.
    .testTarget(
      name: "FastMapParityTests",
      dependencies: [
        "FastMapCore", "FastMapFoundation", "FastMapMemory", "FastMapQueries", "FastMapStoreTesting",
        "TestSupport",
      ]),
    .testTarget(name: "FastMapSQLTests", dependencies: ["FastMapCore", "FastMapSQL"]),
    .testTarget(
      name: "FastMapInferenceTests",
      dependencies: [
        "FastMapCore", "FastMapInference", "FastMapMemory", "FastMapStoreTesting", "TestSupport",
      ]),
    .testTarget(
      name: "MainActorTests",
      dependencies: ["FastMapCore", "FastMapMemory", "FastMapQueries", "FastMapStoreTesting", "TestSupport"]),
    .testTarget(
      name: "FastMapToolTests",
      dependencies: [
        "FastMapCore", "FastMapLMDB", "fastmap", "FastMapStoreTesting", "FastMapSystem", "TestSupport",
      ],
      exclude: ["Generated/Mappings"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CFastMapJansson", "FastMapCore", "FastMapFoundation", "FastMapLMDB", "FastMapMemory",
        "FastMapQueries", "FastMapSystem", "TestSupport",
      ]),
  ]
)

// The core's tests are targets by feature, which compile side by side. They see inside of its modules.
let core: [Target.Dependency] = [
  "FastMapStoreKit", "FastMapJSON", "FastMapMapping", "FastMapQueryEngine", "FastMapReading", "FastMapImport",
  "FastMapContexts", "FastMapCodable", "FastMapCore",
]
for feature in ["Core", "Import", "Instances", "Reading", "Query", "Context", "Codable"] {
  package.targets.append(
    .testTarget(
      name: "FastMap\(feature)Tests",
      dependencies: core + [
        "CFastMapJansson", "FastMapMemory", "FastMapLMDB", "FastMapQueries", "FastMapModels",
        "FastMapStoreTesting", "FastMapSystem", "TestSupport",
      ]))
}

// The example of a store. It needs SQLite, which the package itself does not.
if Context.environment["FASTMAP_SQLITE"] != nil {
  package.products.append(.library(name: "FastMapSQLite", targets: ["FastMapSQLite"]))  // for the campaigns
  package.targets += [
    .systemLibrary(
      name: "CFastMapSQLite", path: "Examples/SQLiteStore/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "FastMapSQLite", dependencies: ["FastMapStoreKit", "FastMapSQL", "CFastMapSQLite"],
      path: "Examples/SQLiteStore/FastMapSQLite"),
    .testTarget(
      name: "FastMapSQLiteTests",
      dependencies: [
        "FastMapCore", "FastMapSQLite", "FastMapModels", "FastMapStoreTesting", "CFastMapSQLite",
      ]),
  ]
}

// scripts/check-sanitizers runs some of the tests, and compiling all of them takes minutes.
if let names = Context.environment["FASTMAP_TEST_TARGETS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),  // C types must not reach users
    .enableUpcomingFeature("MemberImportVisibility"),  // each file says what it uses
  ]
  // A row lives no longer than the call that lends it. The attribute that says so has this name; modules that use rows need none.
  if ["FastMapStoreKit", "FastMapQueryEngine", "FastMapReading"].contains(target.name) {
    target.swiftSettings?.append(.enableExperimentalFeature("Lifetimes"))
  }
  if target.type == .test {
    target.swiftSettings?.append(
      // A test target is compiled as a whole and once: in parts, each part expands macros of the others. Dependents build no
      // test target, so these flags cannot reach them.
      .unsafeFlags(
        [
          "-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2",
          "-no-emit-module-separately-wmo",
        ],
        .when(configuration: .debug)))
  }
  // As in an application's module, where every class is one of the main actor.
  if target.name == "MainActorTests" { target.swiftSettings?.append(.defaultIsolation(MainActor.self)) }
}
