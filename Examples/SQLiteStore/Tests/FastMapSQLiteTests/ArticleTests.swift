import Foundation
import Testing

/// The article *Write a store* quotes this package; the quotes must equal the code here.
@Suite struct ArticleTests {
  private let package = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// Without indentation, which an article leaves out where it quotes the inside of something.
  private func lines(_ text: some StringProtocol) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  @Test func everyCodeBlockOfTheArticleStandsInThisPackage() throws {
    let article = package.appending(
      path: "../../Sources/FastMapStoreTesting/FastMapStoreTesting.docc/WriteAStore.md")
    let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
      .filter { $0.hasPrefix("swift\n") }.map { lines($0.dropFirst("swift\n".count)) }
    #expect(blocks.count > 10)

    let folders = ["Sources", "Tests"].map { package.appending(path: $0) }
    let files = folders.flatMap { folder in
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
        ?? []
    }
    var texts = [lines(try String(contentsOf: package.appending(path: "Package.swift"), encoding: .utf8))]
    for file in files where file.pathExtension == "swift" {
      texts.append(lines(try String(contentsOf: file, encoding: .utf8)))
    }
    for block in blocks { #expect(texts.contains { $0.contains(block) }, "not in the package:\n\(block)") }
  }
}
