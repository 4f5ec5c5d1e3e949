// swift-tools-version: 6.2
import PackageDescription

// A stranger's program: it sees the public products only, so a C name that leaks out of them breaks its build.
let package = Package(
  name: "Probe",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FastMap", path: "../..")],
  targets: [
    .executableTarget(
      name: "probe",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapLMDB", package: "FastMap"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")])
  ]
)
