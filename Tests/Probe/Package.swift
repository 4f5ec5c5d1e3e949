// swift-tools-version: 6.2
import PackageDescription

// A stranger's program: it sees the public products only, so a C name that leaks out of them breaks its build. It wraps jansson
// and LMDB itself, under the names that come to mind first.
let package = Package(
  name: "Probe", platforms: [.macOS(.v15)], dependencies: [.package(name: "FastMap", path: "../..")],
  targets: [
    .systemLibrary(name: "CJansson", pkgConfig: "jansson"),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb"),
    .executableTarget(
      name: "probe",
      dependencies: [
        "CJansson", "CLMDB",
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapLMDB", package: "FastMap"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]),
  ]
)
