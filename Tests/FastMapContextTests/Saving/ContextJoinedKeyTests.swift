import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// New objects of contexts whose keys have the keys of new targets as parts, and these have parts themselves.
@Suite struct ContextJoinedKeyTests {
  final class Repo {
    var id = 0
    var name: String?
    static let mapping = Mapping(Repo.self, "Repo", primaryKey: "id", make: { Repo() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }
  final class Pull {
    var repo: Repo?
    var number = 0
    var title: String?
    static let mapping = Mapping(Pull.self, "Pull", primaryKey: ["repo", "number"], make: { Pull() }) {
      ToOne("repo", \.repo, Repo.mapping)
      Attribute("number", \.number)
      Attribute("title", \.title)
    }
  }
  final class Review {
    var pull: Pull?
    var user: String?
    var state: String?
    var comments: [Comment] = []
    static let mapping = Mapping(Review.self, "Review", primaryKey: ["pull", "user"], make: { Review() }) {
      ToOne("pull", \.pull, Pull.mapping)
      Attribute("user", \.user)
      Attribute("state", \.state)
      ToMany("comments", \.comments, Comment.mapping)
    }
  }
  final class Comment {
    var nr = 0
    static let mapping = Mapping(Comment.self, "Comment", primaryKey: .scoped("nr"), make: { Comment() }) {
      Attribute("nr", \.nr)
    }
  }

  static let repo = Mapping("Repo", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }
  static let pull = Mapping("Pull", primaryKey: ["repo", "number"]) {
    ToOne("repo", repo)
    Attribute("number", .integer)
    Attribute("title", .string)
  }
  static let review = Mapping("Review", primaryKey: ["pull", "user"]) {
    ToOne("pull", pull)
    Attribute("user", .string)
    Attribute("state", .string)
    ToMany("comments", Mapping("Comment", primaryKey: .scoped("nr")) { Attribute("nr", .integer) })
  }

  static let stored = #"{"user":"ann","pull":{"number":1,"title":"t","repo":{"id":5,"name":"r"}}}"#

  static func world(_ kind: StoreKind, _ form: Form) throws -> World {
    try World(kind, form == .classes ? Review.mapping.plan() : review.plan(), holding: stored)
  }

  /// Adds a review of a new pull request, with comments.
  ///
  /// - Parameter repo: The key of the repository, which is stored or new; nil for none.
  private func add(
    _ context: ObjectContext, _ form: Form, repo: Int64?, number: Int64, user: String? = "bob",
    comments: [Int64] = []
  ) throws {
    if form == .records {
      let known = try repo.flatMap { try context.record("Repo", key: PrimaryKey.integer($0)) }
      let target = try known ?? repo.map { try context.insert("Repo", ["id": .integer($0)]) }
      let pull = try context.insert("Pull", ["number": .integer(number)])
      if let target { try pull.set("repo", to: target) }
      let review = try context.insert("Review", user.map { ["user": .string($0)] } ?? [:])
      try review.set("pull", to: pull)
      try review.set("comments", to: comments.map { try context.insert("Comment", ["nr": .integer($0)]) })
      return
    }
    var target = try repo.flatMap { try context.object(Repo.mapping, key: PrimaryKey.integer($0)) }
    if target == nil, let repo {
      target = Repo()
      target?.id = Int(repo)
    }
    let (pull, review) = (Pull(), Review())
    (pull.repo, pull.number, review.pull, review.user) = (target, Int(number), pull, user)
    review.comments = comments.map { nr in
      let comment = Comment()
      comment.nr = Int(nr)
      return comment
    }
    try context.insert(review, as: Review.mapping)
  }

  @Test(arguments: StoreKind.allCases, Form.allCases)
  func aSaveJoinsTheKeysOfNewTargets(_ kind: StoreKind, _ form: Form) throws {
    let world = try Self.world(kind, form)
    let context = try ObjectContext(world.store, for: world.plan())
    try add(context, form, repo: 5, number: 2, comments: [1, 2])
    try add(context, form, repo: 6, number: 1, comments: [1])
    let report = try context.save()
    #expect(["Review", "Pull", "Repo", "Comment"].map { report[$0]?.inserted } == [2, 2, 1, 3])
    try #expect(!context.hasChanges() && context.save().isUnchanged)
    let export = try world.export()
    #expect(
      export
        == #"[{"user":"ann","pull":{"number":1,"title":"t","repo":{"id":5,"name":"r"}}},{"user":"bob","pull":{"number":2,"repo":{"id":5,"name":"r"}},"comments":[{"nr":1},{"nr":2}]},{"user":"bob","pull":{"number":1,"repo":{"id":6}},"comments":[{"nr":1}]}]"#
    )
    try #expect(world.report(export).isUnchanged)
    let copy = try World(kind, world.plan(), holding: export)
    try #expect(copy.dump() == world.dump())
    // The saved objects are edited like any others.
    switch form {
    case .classes:
      let review = try #require(try context.object(Review.mapping, key: [[6, 1], "bob"] as PrimaryKey))
      review.state = "ok"
      review.comments = []
    case .records:
      let review = try #require(try context.record("Review", key: [[6, 1], "bob"] as PrimaryKey))
      #expect(review.key == [[6, 1], "bob"])
      review["state"] = "ok"
      try review.set("comments", to: [])
    }
    try #expect(summary(context.save()) == "Review ~1, Comment -1")
    try #expect(
      world.export().hasSuffix(#"{"user":"bob","state":"ok","pull":{"number":1,"repo":{"id":6}}}]"#))
  }

  struct Refused: Sendable {
    var repo: Int64?
    var number: Int64
    var user: String?
    var message: String
  }

  static let refused = [
    Refused(
      repo: 5, number: 1, user: "bob",
      message: "a new object of Pull: expected a new key, [5, 1] is taken; read that object and change it"),
    Refused(
      repo: nil, number: 1, user: "bob",
      message: #"a new object of Pull: expected a key, found no value for its part "repo""#),
    Refused(
      repo: 5, number: 2, user: nil,
      message: #"a new object of Review: expected a key, found no value for its part "user""#),
  ]

  @Test(arguments: TestSize.onStores(refused, others: 1))
  func aMissingPartIsNamed(_ kind: StoreKind, _ example: Refused) throws {
    for form in Form.allCases {
      let world = try Self.world(kind, form)
      let before = try world.dump()
      let context = try ObjectContext(world.store, for: world.plan())
      try add(context, form, repo: example.repo, number: example.number, user: example.user, comments: [1])
      let found = message { try context.save() }
      #expect(found?.hasSuffix(example.message) == true, "\(found ?? "none")")
      try #expect(world.dump() == before)
      try context.rollBack()
      try #expect(!context.hasChanges())
    }
  }

  /// Without its part, a new object would be another one.
  @Test(arguments: StoreKind.allCases)
  func aPartThatAnotherWriterHasDeletedIsRefusedUnderEachRule(_ kind: StoreKind) throws {
    for rule in [ConflictRule.fail, .mine, .theirs] {
      let world = try Self.world(kind, .classes)
      let context = try ObjectContext(world.store, for: Review.mapping)
      try add(context, .classes, repo: 5, number: 2)
      _ = try world.store.delete(Repo.mapping, key: 5)
      let before = try world.dump()
      let error = #expect(throws: SaveConflictError.self) { try context.save(onConflict: rule) }
      #expect(error?.deleted == ["Repo 5"])
      try #expect(world.dump() == before)
    }
  }
}
