// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "MapperFuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FastMap", path: "../..")],
  targets: [
    .target(
      name: "MapperFuzz",
      dependencies: [
        .product(name: "CJansson", package: "FastMap"),
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapMemory", package: "FastMap"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(name: "mapper-fuzz", dependencies: ["MapperFuzz"]),
    .target(
      name: "FilterFuzz", dependencies: [.product(name: "FastMapCore", package: "FastMap")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(name: "filter-fuzz", dependencies: ["FilterFuzz"]),
  ]
)
