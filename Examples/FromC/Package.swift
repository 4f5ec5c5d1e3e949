// swift-tools-version: 6.2
import PackageDescription

// A program in C that keeps its JSON with FastMap. Its tree is jansson's, and nothing is copied on the way.
let package = Package(
  name: "FromC",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FastMap", path: "../..")],
  targets: [
    .target(
      name: "Catalogue",
      dependencies: [
        .product(name: "FastMapCore", package: "FastMap"), .product(name: "FastMapLMDB", package: "FastMap"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "from-c", dependencies: ["Catalogue", .product(name: "CJansson", package: "FastMap")]),
  ]
)
