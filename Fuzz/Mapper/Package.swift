// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "MapperFuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FastMap", path: "../..")],
  targets: [
    .executableTarget(
      name: "mapper-fuzz",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"),
        .product(name: "FastMapMemory", package: "FastMap"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])])
  ]
)
