import TestSupport
import Testing

/// Members that no field reads, and contradictions, in the reports of the tool.
@Suite struct FindingTests {
  private func workspace(_ ignores: String = "") throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {"Order": {"primaryKey": "id"\#(ignores), "attributes": {"id": "integer", "total": "integer"}}}}
      """#, to: "mappings.json")
    return workspace
  }

  private static let text = #"[{"id": 1, "total": 1, "a": 1, "b": 1}, {"id": 1, "total": 2, "b": 1, "c": 1}]"#

  @Test func standardErrorHasALineOfUnreadMembersAndOneOfContradictions() throws {
    let run = try workspace().importing(Self.text, as: "Order")
    run.expect(
      0,
      complaints: [
        "no field reads Order.b (2 objects), Order.a (1 object) and Order.c (1 object)",
        "the payload gives different values to Order.total of the object 1, at $[0] and $[1]",
      ])
    #expect(try workspace().importing(Self.text, as: "Order", "--quiet").errors == "")
  }

  @Test func theLineNamesTheFirstFive() throws {
    let members = "abcdefg".map { #""\#($0)": 1"# }.joined(separator: ", ")
    let run = try workspace().importing(#"[{"id": 1, "total": 1, \#(members)}]"#, as: "Order")
    let named = "abcde".map { "Order.\($0) (1 object)" }.joined(separator: ", ")
    run.expect(0, complaints: ["no field reads \(named) and 2 more"])
  }

  @Test func theJSONReportHasBoth() throws {
    let run = try workspace().importing(Self.text, as: "Order", "--json", "--quiet")
    #expect(
      run.output.contains(
        #"""
        "unread": [{"member": "Order.b", "objects": 2, "path": "$[0].b"}, \#
        {"member": "Order.a", "objects": 1, "path": "$[0].a"}, {"member": "Order.c", "objects": 1, "path": "$[1].c"}], \#
        "contradictions": [{"entity": "Order", "key": 1, "field": "total", "paths": ["$[0]", "$[1]"]}], "errors": []}
        """#))
    let members = (0..<150).map { #""m\#($0)": 1"# }.joined(separator: ", ")
    let rows = (0..<24).map { #"{"id": \#($0 % 12), "total": \#($0)}"# }.joined(separator: ", ")
    let many = try workspace().importing(
      #"[{"id": 100, "total": 1, \#(members)}, \#(rows)]"#, as: "Order", "--json", "--quiet")
    #expect(many.output.contains(#", "moreUnread": 50, "contradictions": ["#))
    #expect(many.output.contains(#"], "moreContradictions": 2, "errors": []"#))
  }

  @Test func ignoredMembersAreNotCounted() throws {
    let some = try workspace(#", "ignores": ["a", "b"]"#).importing(
      #"{"id": 1, "total": 1, "a": 1, "c": 1}"#, as: "Order")
    some.expect(0, complaints: ["no field reads Order.c (1 object)"])
    let all = try workspace(#", "ignores": true"#).importing(#"{"id": 1, "total": 1, "a": 1}"#, as: "Order")
    all.expect(0, complaints: [])
  }

  @Test func overridesAndSwiftClassesHaveIgnoredMembers() throws {
    let workspace = try workspace(#", "ignores": ["a", "meta.etag"]"#)
    try workspace.write(#"{"fastmap": 1, "mappings": {"Order": {"ignores": ["a"]}}}"#, to: "overrides.json")
    let inferred = try workspace.run(
      [FastMapTool.path, "infer", "--name", "Order", "--quiet", "--overrides", "overrides.json", "-"],
      input: #"[{"id": 1, "total": 1}, {"id": 2, "total": 1}]"#)
    #expect(inferred.output.contains(#""ignores": ["a"]"#), "\(inferred.output)")
    let swift = try workspace.run([FastMapTool.path, "swift", "--mappings", "mappings.json"], input: "")
    #expect(swift.output.contains(#"ignores: ["a", "meta.etag"]"#), "\(swift.output)")
  }

  @Test func strictTakesAnUnreadMemberForAFault() throws {
    let run = try workspace().importing(
      #"[{"id": 1, "total": 1}, {"id": 2, "totla": 1}]"#, as: "Order", "--strict")
    let error =
      #"$[1].totla: no field of the mapping "Order" reads this member; did you mean "total"? (line 1, column 44)"#
    run.expect(1, complaints: [error])
    let skipping = try workspace().importing(
      #"[{"id": 1, "total": 1}, {"id": 2, "totla": 1}]"#, as: "Order", "--strict", "--on-error", "skip")
    skipping.expect(1, complaints: [error, "no field reads Order.totla (1 object)"])
  }
}
