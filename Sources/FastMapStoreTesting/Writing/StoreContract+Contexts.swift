internal import FastMapCore

extension StoreContract {
  static var contextChecks: [Check] {
    [
      Check("A context loads the relationships that it includes, and knows which are missing") { contract in
        let bench = try contract.makeMembers()
        try bench.store.withContext(for: bench.plan) { context in
          guard let first = try context.object(Member.mapping, key: 1, including: \.friends, \.mentor.badges)
          else { throw Failure(reason: "an object is not found") }
          try expect("the friends", first.friends.map(\.id), is: [3, 2])
          try expect("the mentor", first.mentor?.id, is: 2)
          try expect(first.mentor === first.friends[1], "an object has two instances")
          try expect("the badges of the mentor", first.mentor?.badges.map(\.text), is: ["b", "c"])
          try expect("whether its own badges are loaded", context.isLoaded(\.badges, of: first), is: false)
          try expect(first.badges.isEmpty, "what is not included is loaded")
          try context.load(\.badges, \.pupils, of: [first])
          try expect("the badges", first.badges.map(\.text), is: ["a"])
          try expect("the inverse", first.pupils.map(\.id), is: [2])
          try expect("what is not stored", context.object(Member.mapping, key: 9)?.id, is: nil)
        }
      },
      Check("A context has one instance for an object, and refreshes what is not edited") { contract in
        let bench = try contract.makeMembers()
        let context = try ObjectContext(bench.store, for: bench.plan)
        let all = try context.objects(Member.mapping, including: \.friends)
        try expect("the objects", all.map(\.id), is: [1, 2, 3])
        try expect(all[0].friends[0] === all[2], "an object has two instances")
        all[1].name = "mine"
        try bench.load(#"[{"id":1,"name":"z","friends":[2]},{"id":2,"mentor":null}]"#)
        let again = try context.objects(Member.mapping.keys([2, 1]))
        try expect(again[0] === all[0] && again[1] === all[1], "a second read makes new instances")
        try context.refreshAll()
        try expect("the name", all[0].name, is: "z")
        try expect("the friends", all[0].friends.map(\.id), is: [2])
        try expect("the caller's own value", all[1].name, is: "mine")
        try bench.store.delete(Member.mapping, key: 3)
        try expect("what is gone", context.refresh(all).map(\.id), is: [3])
      },
      Check("A context saves what differs, inserts and deletes, and rolls back") { contract in
        let bench = try contract.makeMembers()
        let context = try ObjectContext(bench.store, for: bench.plan)
        let all = try context.objects(Member.mapping, including: \.mentor, \.friends, \.badges)
        let (first, second) = (all[0], all[1])
        first.name = nil
        first.friends.reverse()
        first.badges[0].text = "A"
        second.mentor = nil
        second.badges.removeFirst()
        let new = Member()
        (new.id, new.name, new.mentor) = (4, "d", first)
        all[2].friends = [new, first]
        try context.insert(new, as: Member.mapping)
        let report = try context.save()
        try expect("the members", report["Member"], is: .init(inserted: 1, updated: 3))
        try expect("the badges", report["Badge"], is: .init(updated: 1, deleted: 1))
        try bench.expectObject(1, is: #"mentor=2 friends=[2 3] badges=["A"]"#, "after the save")
        try bench.expectObject(2, is: #"name="b" badges=["c"]"#, "after the save")
        try bench.expectObject(3, is: "friends=[4 1]", "after the save")
        try bench.expectObject(4, is: #"name="d" mentor=1"#, "after the save")
        try expect("what is saved again", context.save().entities.count, is: 0)
        first.name = "z"
        second.friends = [new]
        try context.delete(new)
        try context.rollBack()
        try expect("the name", first.name, is: nil)
        try expect("the friends", second.friends.isEmpty, is: true)
        try expect(!context.hasChanges(), "something is left of what was rolled back")
        try context.delete(first)
        try expect("the members", context.save()["Member"]?.deleted, is: 1)
        try bench.expectObject(1, is: nil)
        try bench.expectObject(3, is: "friends=[4]", "after the deletion")
        try bench.expectSound("after the deletion")
      },
      Check("A context's save fails on a field that another writer has changed, or settles it") { contract in
        let bench = try contract.makeMembers()
        let context = try ObjectContext(bench.store, for: bench.plan)
        guard let first = try context.object(Member.mapping, key: 1, including: \.friends) else {
          throw Failure(reason: "an object is not found")
        }
        first.name = "mine"
        first.friends = []
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
        try expect("the friends of the instance", first.friends.map(\.id), is: [2])
      },
    ]
  }

  /// Three objects of a class with every sort of relationship.
  private func makeMembers() throws -> Bench<S> {
    let bench = Bench(store: try makeBench().store, plan: try Member.mapping.plan())
    try bench.load(
      #"""
      [{"id":1,"name":"a","friends":[3,2],"mentor":2,"badges":[{"text":"a"}]},
       {"id":2,"name":"b","mentor":1,"badges":[{"text":"b"},{"text":"c"}]}, {"id":3}]
      """#)
    return bench
  }
}

/// A class with every sort of relationship.
private final class Member {
  var id = 0
  var name: String?
  var mentor: Member?
  var friends: [Member] = []
  var badges: [Badge] = []
  var pupils: [Member] = []

  static let mapping: Mapping<Member> = Mapping(Member.self, "Member", primaryKey: "id", make: { Member() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("mentor", \.mentor, Member.mapping)
    ToMany("friends", \.friends, Member.mapping)
    ToMany("badges", \.badges, Badge.mapping)
    ToMany("pupils", \.pupils, inverseOf: \.mentor, of: Member.mapping)
  }
}

/// A badge belongs to its member.
private final class Badge {
  var text: String?

  static let mapping = Mapping(Badge.self, "Badge", make: { Badge() }) { Attribute("text", \.text) }
}
