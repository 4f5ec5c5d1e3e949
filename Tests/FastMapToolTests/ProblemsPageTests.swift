import TestSupport
import Testing

/// The tests that docs/PROBLEMS.md names exist.
@Suite struct ProblemsPageTests {
  @Test func everyProblemNamesATest() throws {
    let tests = inShell(Files.root + "/Tests")
    let found = try Workspace().shell("grep -rhoE 'func [A-Za-z0-9]+' --include='*.swift' \(tests)")
    let functions = Set(found.lines.map { $0.dropFirst("func ".count) })
    let page = String(decoding: try Files.bytes(of: Files.root + "/docs/PROBLEMS.md"), as: UTF8.self)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count > 30)
    for row in rows {
      let cells = row.split(separator: "|")
      let names = cells.last?.split(separator: "`").filter { $0.contains { $0.isLetter } } ?? []
      #expect(cells.count == 3 && !names.isEmpty, "\(row)")
      for name in names { #expect(functions.contains(name), "no test is named \(name)") }
    }
  }
}
