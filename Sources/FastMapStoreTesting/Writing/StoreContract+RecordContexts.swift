internal import FastMapCore

extension StoreContract {
  static var recordContextChecks: [Check] {
    [
      Check("A context loads the relationships of records that it includes, and refuses to read others") {
        contract in
        let bench = try contract.makeRecords()
        let context = try ObjectContext(bench.store, for: bench.plan)
        guard let first = try context.record("Member", key: 1, including: ["friends", "mentor.badges"]) else {
          throw Failure(reason: "an object is not found")
        }
        try expect("the friends", first.keys("friends"), is: [3, 2])
        let mentor = try first.target("mentor")
        try expect(try mentor === first.targets("friends")[1], "an object has two records")
        try expect("the badges of the mentor", mentor?.texts("badges"), is: ["b", "c"])
        do {
          _ = try first.targets("badges")
          throw Failure(reason: "what is not included can be read")
        } catch let error as ContextError {
          try expect(
            "the error", error,
            is: .notLoaded(entity: "Member", key: 1, title: "Member 1", relationship: "badges"))
        }
        try context.load(["badges", "pupils"], of: [first])
        try expect("the badges", first.texts("badges"), is: ["a"])
        try expect("the inverse", first.keys("pupils"), is: [2])
        try bench.load(#"[{"id":1,"name":"z","friends":[2]},{"id":2,"name":"y"}]"#)
        mentor?["name"] = "mine"
        try expect("what is read again", context.record("Member", key: 1)?["name"], is: "a")
        try context.refreshAll()
        try expect("the name", first["name"], is: "z")
        try expect("the friends", first.keys("friends"), is: [2])
        try expect("the caller's own value", mentor?["name"], is: "mine")
      },
      Check("A context saves what differs of records, inserts and deletes, and rolls back") { contract in
        let bench = try contract.makeRecords()
        let context = try ObjectContext(bench.store, for: bench.plan)
        let all = try context.records("Member", including: ["mentor", "friends", "badges"])
        let (first, second) = (all[0], all[1])
        first["name"] = nil
        try first.set("friends", to: first.targets("friends").reversed())
        try first.targets("badges")[0]["text"] = "A"
        try second.set("mentor", to: nil)
        try second.set("badges", to: Array(second.targets("badges").dropFirst()))
        let new = try context.insert("Member", ["id": 4, "name": "d"])
        try new.set("mentor", to: first)
        try all[2].set("friends", to: [new, first])
        let report = try context.save()
        try expect("the members", report["Member"], is: .init(inserted: 1, updated: 3))
        try expect("the badges", report["Badge"], is: .init(updated: 1, deleted: 1))
        try bench.expectObject(1, is: #"mentor=2 friends=[2 3] badges=["A"]"#, "after the save")
        try bench.expectObject(2, is: #"name="b" badges=["c"]"#, "after the save")
        try bench.expectObject(3, is: "friends=[4 1]", "after the save")
        try bench.expectObject(4, is: #"name="d" mentor=1"#, "after the save")
        try expect("what is saved again", context.save().entities.count, is: 0)
        first["name"] = "z"
        try second.set("friends", to: [new])
        try context.delete(new)
        try context.rollBack()
        try expect("the name", first["name"], is: nil)
        try expect("the friends", second.keys("friends"), is: [])
        try expect(!context.hasChanges(), "something is left of what was rolled back")
        try context.delete(first)
        try expect("the members", context.save()["Member"]?.deleted, is: 1)
        try bench.expectObject(1, is: nil)
        try bench.expectObject(3, is: "friends=[4]", "after the deletion")
        try bench.expectSound("after the deletion")
      },
      Check("A context's save of a record fails on a field that another writer has changed, or settles it") {
        contract in
        let bench = try contract.makeRecords()
        let context = try ObjectContext(bench.store, for: bench.plan)
        guard let first = try context.record("Member", key: 1, including: ["friends"]) else {
          throw Failure(reason: "an object is not found")
        }
        first["name"] = "mine"
        try first.set("friends", to: [])
        try bench.load(#"{"id":1,"name":"theirs","mentor":3,"friends":[2]}"#)
        do {
          try context.save()
          throw Failure(reason: "the save succeeds")
        } catch let error as SaveConflictError {
          let name = #"Member 1.name: read "a", mine "mine", theirs "theirs""#
          let friends = "Member 1.friends: read 3, 2, mine none, theirs 2"
          try expect("the conflicts", error.description, is: "\(name)\n\(friends)")
        }
        let theirs = #"name="theirs" mentor=3 friends=[2] badges=["a"]"#
        try bench.expectObject(1, is: theirs, "after the conflict")
        try context.save(onConflict: .fields(["Member.name": .mine], otherwise: .theirs))
        try bench.expectObject(1, is: #"name="mine" mentor=3 friends=[2] badges=["a"]"#, "after the save")
        try expect("the friends of the record", first.keys("friends"), is: [2])
      },
    ]
  }

  /// Three records with every sort of relationship.
  private func makeRecords() throws -> Bench<S> {
    let bench = try makeBench(member)
    try bench.load(
      #"""
      [{"id":1,"name":"a","friends":[3,2],"mentor":2,"badges":[{"text":"a"}]},
       {"id":2,"name":"b","mentor":1,"badges":[{"text":"b"},{"text":"c"}]}, {"id":3}]
      """#)
    return bench
  }
}

private let member: Mapping<Record> = Mapping("Member", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("name", .string)
  ToOne("mentor", member)
  ToMany("friends", member)
  ToMany("badges", badge)
  ToMany("pupils", inverseOf: "mentor", of: member)
}

/// A badge belongs to its member.
private let badge = Mapping("Badge") { Attribute("text", .string) }

extension EditableRecord {
  fileprivate func keys(_ name: String) throws -> [PrimaryKey?] { try targets(name).map(\.key) }
  fileprivate func texts(_ name: String) throws -> [Value?] { try targets(name).map { $0["text"] } }
}
