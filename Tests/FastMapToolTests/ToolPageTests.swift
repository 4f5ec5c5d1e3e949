import TestSupport
import Testing

/// The blocks of docs/TOOL.md run in order, and print the output that the page has.
@Suite struct ToolPageTests {
  /// A block of shell.
  private struct Block {
    /// The number of its first line in the page.
    let line: Int
    /// The programs that it needs. `network` is no program, so a block that needs it never runs.
    let needs: [String]
    let script: String
    /// The block without a language directly below, in which `…` stands for any text.
    var output: String?
  }

  private static func blocks() throws -> [Block] {
    var blocks: [Block] = []
    var fence: (words: [String], start: Int, lines: [Substring])?
    var end: Int?
    let page = String(decoding: try Files.bytes(of: Files.root + "/docs/TOOL.md"), as: UTF8.self)
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let block = fence {
        guard line == "```" else {
          fence?.lines.append(line)
          continue
        }
        let text = block.lines.map { $0 + "\n" }.joined()
        if block.words.first == "sh" {
          blocks.append(Block(line: block.start + 2, needs: Array(block.words.dropFirst()), script: text))
          end = index
        } else if block.words.isEmpty, block.start - 1 == end {
          blocks[blocks.count - 1].output = text
        }
        fence = nil
      } else if line.hasPrefix("```") {
        fence = (line.dropFirst(3).split(separator: " ").map(String.init), index, [])
      }
    }
    return blocks
  }

  private static func matches(_ text: String, _ expected: String) -> Bool {
    let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, text.hasPrefix(first) else { return false }
    if parts.count == 1 { return text == expected }
    var rest = text.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }

  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"))
  func theBlocksPrintTheOutputOfThePage() throws {
    let workspace = try Workspace()
    workspace.makeDirectory("page")
    let folder = String(FastMapTool.path.dropLast("/fastmap".count))
    let blocks = try Self.blocks()
    #expect(blocks.count >= 20)
    for block in blocks {
      if let missing = try block.needs.first(where: { try workspace.shell("command -v \($0)").status != 0 }) {
        print("ToolPageTests: line \(block.line) of TOOL.md is skipped, as there is no \(missing)")
        continue
      }
      let setup = "cd page && PATH=\(inShell(folder)):$PATH && exec 2>&1\n"
      let run = try workspace.run(["/bin/sh", "-c", setup + block.script])
      #expect(run.status == 0, "line \(block.line): \(run.output)")
      if let output = block.output {
        #expect(
          Self.matches(run.output.replacing("\r\n", with: "\n"), output),
          "line \(block.line) prints:\n\(run.output)")
      }
    }
  }
}
