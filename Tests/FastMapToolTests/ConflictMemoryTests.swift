#if os(Linux)
  import FastMapStoreTesting
  import FastMapSystem
  import TestSupport
  import Testing

  /// The memory of an import for objects that a unique index leaves out.
  @Suite struct ConflictMemoryTests {
    private static let mappings = #"""
      {"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer", "s": "string"},
        "indexes": [{"fields": ["s"], "unique": true}]}}}
      """#

    /// The most anonymous memory of an import, in kB: it has no part of the store's map.
    private func peak(_ workspace: Workspace, _ name: String, _ value: (Int) -> String) throws -> Int {
      let objects = (0..<Self.count).map { #"{"id":\#($0),"s":"\#(value($0))"}"# }
      try workspace.write("[" + objects.joined(separator: ",") + "]", to: name)
      try workspace.write(Self.mappings, to: "unique.json")
      let process = try FastMapTool.start(
        [
          "import", "--store", "\(workspace.path)/\(name).db", "--mappings", "\(workspace.path)/unique.json",
          "--as",
          "A", "--quiet", "--on-error", "skip", "\(workspace.path)/\(name)",
        ], output: "/dev/null", errors: "\(workspace.path)/errors")
      var peak = 0
      while true {
        if let ending = Program.ending(of: process, waits: false) {
          #expect(ending == .exited(name == "plain" ? 0 : 1))
          return peak
        }
        let status = String(decoding: (try? Files.bytes(of: "/proc/\(process)/status")) ?? [], as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        peak = max(
          peak,
          line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0)
        usleep(1000)
      }
    }

    private static let count = TestSize.count(small: 4000, whole: 20_000)

    @Test func anObjectThatIsLeftOutTakesLittleMemory() throws {
      let workspace = try Workspace()
      let plain = try peak(workspace, "plain") { "value \($0)" }
      for (name, value) in [
        ("same", { _ in "same" }), ("pairs", { "value \($0 / 2)" }),
      ] as [(String, (Int) -> String)] {
        let found = try peak(workspace, name, value)
        let complaints = try workspace.bytes(of: "errors").count { $0 == UInt8(ascii: "\n") }
        #expect(complaints == (name == "same" ? Self.count - 1 : Self.count / 2))
        // Two imports of the same payload differ by some 1.5 MB.
        #expect((found - plain - 1500) * 1000 / complaints < 400, "bytes for each object of \(name)")
      }
    }
  }
#endif
