import TestSupport
import Testing

/// `--orphans`, and the objects that `--replace-all` leaves.
@Suite struct OrphanTests {
  @Test func orphansAreFoundAndDeleted() throws {
    let workspace = try RepeatTests.workspace(
      #"[{"id": 1, "by": {"id": 7}, "items": [{"id": 11, "for": {"id": 7}}, {"id": 12, "for": {"id": 8}}]}, {"id": 2}]"#
    )
    func fastmap(_ words: String...) throws -> Program.Run {
      try workspace.run([FastMapTool.path] + words + ["--mappings", "m.json"])
    }
    #expect(try fastmap("query", "s.db", "Item", "--orphans").output == "")
    try workspace.write(#"[{"id": 3, "by": {"id": 9}}]"#, to: "next.json")
    let next = try fastmap("import", "s.db", "next.json", "--as", "Order", "--replace-all", "--quiet")
    #expect(next.status == 0)
    #expect(
      next.errors
        == "2 of 2 objects of Order are deleted, which the payload does not have; 2 objects that only deleted ones "
        + "referred to are left\n")
    #expect(try fastmap("query", "s.db", "Order", "--orphans", "--keys").output == "3\n")
    #expect(try fastmap("query", "s.db", "Customer", "--orphans", "--keys").output == "")
    #expect(try fastmap("query", "s.db", "Item", "--orphans", "--keys").output == "11\n12\n")
    #expect(try fastmap("query", "s.db", "Item", "@.id > 11", "--orphans", "--count").output == "1\n")
    #expect(try fastmap("query", "s.db", "Item", "--orphans", "--max", "id").output == "{\"max(id)\":12}\n")
    #expect(try fastmap("delete", "s.db", "Item", "--where", "@.id > 11", "--orphans").status == 0)
    #expect(try fastmap("query", "s.db", "Customer", "--orphans", "--keys").output == "8\n")
    let given = try fastmap("delete", "s.db", "Customer", "--orphans")
    #expect(given.status == 2)
    #expect(given.errors.hasPrefix("fastmap: --orphans needs --where FILTER, or the mapping file"))
    let both = try workspace.fastmap("delete", "s.db", "Customer", "8", "--orphans")
    #expect((both.status, both.complaints.first) == (2, "fastmap: expected KEY… or --orphans, found both"))
    let root = try workspace.fastmap("delete", "s.db", "Order", "--orphans")
    #expect(root.status == 2)
    #expect(root.errors.contains("as objects of Order were imported at the root"))
    #expect(try workspace.fastmap("delete", "s.db", "Customer", "--orphans").status == 0)
    #expect(try fastmap("query", "s.db", "Customer", "--keys").output == "7\n9\n")
  }
}
