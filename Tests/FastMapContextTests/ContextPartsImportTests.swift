import FastMapCore
import TestSupport
import Testing

/// Imports into contexts that store the objects of new instances, whose keys have several parts or an owner's.
@Suite struct ContextPartsImportTests {
  typealias Keys = ContextJoinedKeyTests
  typealias Desk = Orders.Desk

  /// A review and its pull request, both new, in the context.
  private func draft(
    _ context: ObjectContext, _ form: Form, repo: Int64, title: String
  ) throws -> (review: AnyObject, pull: AnyObject, repo: AnyObject) {
    if form == .records {
      let known = try context.record("Repo", key: PrimaryKey.integer(repo))
      let target = try known ?? context.insert("Repo", ["id": .integer(repo)])
      let pull = try context.insert("Pull", ["number": 2, "title": .string(title)])
      try pull.set("repo", to: target)
      let review = try context.insert("Review", ["user": "bob"])
      try review.set("pull", to: pull)
      return (review, pull, target)
    }
    let known = try context.object(Keys.Repo.mapping, key: PrimaryKey.integer(repo))
    let (review, pull, target) = (Keys.Review(), Keys.Pull(), known ?? Keys.Repo())
    (target.id, pull.repo, pull.number, pull.title) = (Int(repo), target, 2, title)
    (review.pull, review.user) = (pull, "bob")
    try context.insert(review, as: Keys.Review.mapping)
    return (review, pull, target)
  }

  private func value(_ name: String, _ object: AnyObject) -> String? {
    switch object {
    case let record as EditableRecord:
      if case .string(let text)? = record[name] { text } else { nil }
    case let review as Keys.Review: review.state
    case let pull as Keys.Pull: pull.title
    case let repo as Keys.Repo: repo.name
    case let line as Orders.Line: line.text
    case let note as Orders.Note: note.by
    default: nil
    }
  }

  /// The repository 5 is stored, and 6 is new.
  @Test(arguments: StoreKind.allCases, [5, 6] as [Int64])
  func newInstancesBecomeTheObjectsOfTheirParts(_ kind: StoreKind, repo: Int64) throws {
    for form in Form.allCases {
      let world = try Keys.world(kind, form)
      let context = try ObjectContext(world.store, for: world.plan())
      let new = try draft(context, form, repo: repo, title: "mine")
      _ = try context.importJSON(
        #"{"user":"bob","state":"ok","pull":{"number":2,"title":"theirs","repo":{"id":\#(repo),"name":"n"}}}"#,
        as: world.plan())
      #expect(value("state", new.review) == "ok")
      #expect(value("title", new.pull) == "mine")
      #expect(value("name", new.repo) == "n")
      #expect(
        message { try context.save() }
          == #"Pull [\#(repo), 2].title: read no value, mine "mine", theirs "theirs""#)
      try #expect(summary(context.save(onConflict: .mine)) == "Pull ~1")
      try #expect(!context.hasChanges() && context.save().isUnchanged)
      switch form {
      case .classes:
        let review = try #require(new.review as? Keys.Review)
        #expect(review.pull === new.pull && review.pull?.repo === new.repo)
        try #expect(
          context.object(Keys.Review.mapping, key: [[.integer(repo), 2], "bob"] as PrimaryKey) === review)
      case .records:
        let review = try #require(new.review as? EditableRecord)
        #expect(review.key == [[.integer(repo), 2], "bob"])
        try #expect(review.target("pull") === new.pull)
        let pull = try context.record("Pull", key: [.integer(repo), 2] as PrimaryKey)
        try #expect(pull?.target("repo") === new.repo)
      }
      try #expect(
        world.export().hasSuffix(
          #"{"user":"bob","state":"ok","pull":{"number":2,"title":"mine","repo":{"id":\#(repo),"name":"n"}}}]"#
        ))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDraftOfOtherPartsIsRefused(_ kind: StoreKind) throws {
    for form in Form.allCases {
      let world = try Keys.world(kind, form)
      let context = try ObjectContext(world.store, for: world.plan())
      let new = try draft(context, form, repo: 5, title: "mine")
      let before = try world.dump()
      func fill(_ json: String) throws {
        if let record = new.review as? EditableRecord {
          try context.fill(record, from: json, as: world.plan())
        }
        if let review = new.review as? Keys.Review {
          try context.fill(review, from: json, as: Keys.Review.mapping)
        }
      }
      #expect(
        message { try fill(#"{"user":"ann","pull":[5,2],"state":"ok"}"#) }
          == #"expected a payload for Review [[5, 2], "bob"], found one for Review [[5, 2], "ann"]"#)
      try #expect(world.dump() == before)
      try fill(#"{"user":"bob","pull":{"number":2,"title":"theirs","repo":5},"state":"ok"}"#)
      #expect(value("state", new.review) == "ok")
      try #expect(summary(context.save(onConflict: .mine)) == "Pull ~1")
    }
  }

  /// A new line of a stored order, and a new order with lines of the same numbers.
  @Test(arguments: StoreKind.allCases)
  func newInstancesBecomeTheObjectsOfTheirOwners(_ kind: StoreKind) throws {
    for form in Form.allCases {
      let world = try Orders.world(kind, form)
      let desk = try Desk(world, form)
      let (first, note) = (try desk.line(3, "mine"), try desk.note("y"))
      let second = try desk.line(4, notes: [note])
      let order = try desk.order(1)
      try desk.add("lines", order, first)
      try desk.add("lines", order, second)
      let (other, gift) = (try desk.insertOrder(3), try desk.line(3, "mine"))
      try desk.add("gifts", other, gift)
      let lines =
        #"[{"nr":1},{"nr":2},{"nr":3,"text":"theirs"},{"nr":4,"text":"x","notes":[{"at":"y","by":"z"}]}]"#
      _ = try desk.context.importJSON(
        #"[{"id":1,"lines":\#(lines)},{"id":3,"gifts":[{"nr":3,"text":"mine"}]}]"#, as: world.plan())
      #expect([value("text", first), value("text", second), value("by", note)] == ["mine", "x", "z"])
      #expect(
        message { try desk.context.save() }
          == #"Line [1, 3].text: read no value, mine "mine", theirs "theirs""#)
      let saved = try summary(desk.context.save(onConflict: .mine))
      #expect(saved == "Order =2, Line ~1 =2")
      try #expect(!desk.context.hasChanges() && desk.context.save().isUnchanged)
      let shown = try desk.targets("lines", desk.order(1))
      #expect(shown.count == 4 && shown[2] === first && shown[3] === second)
      try #expect(desk.targets("notes", second).first === note)
      try desk.context.refreshAll()
      try #expect(desk.targets("gifts", other).first === gift)
      // They are edited like any others.
      desk.setText(gift, "new")
      try desk.set("notes", second, [])
      try #expect(summary(desk.context.save()) == "Line ~2, Note -1")
    }
  }

  /// A line with the number of another order's, and one without an owner, stay new.
  @Test(arguments: StoreKind.allCases)
  func aLineOfAnotherOwnerStaysNew(_ kind: StoreKind) throws {
    for form in Form.allCases {
      let world = try Orders.world(kind, form)
      let desk = try Desk(world, form)
      let (line, loose) = (try desk.line(3, "mine"), try desk.line(4, "loose", insert: true))
      try desk.add("lines", desk.order(2), line)
      _ = try desk.context.importJSON(
        #"{"id":1,"lines":[{"nr":3,"text":"theirs"},{"nr":4,"text":"theirs"}]}"#, as: world.plan())
      #expect([value("text", line), value("text", loose)] == ["mine", "loose"])
      try #require(
        message { try desk.context.save() }?.contains("expected an owner of 4, found none") == true)
      try desk.add("gifts", desk.order(2), loose)
      try #expect(summary(desk.context.save()) == "Order ~1, Line +2")
    }
  }
}
