import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Keys of several parts: `"primaryKey": ["repo", "number"]`.
@Suite struct JoinedKeyTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Issue": {
            "primaryKey": ["repo", "number"],
            "attributes": {"repo": {"type": "string", "keyPath": "in.repo"}, "number": "integer", "title": "string"},
            "relationships": {
              "parent": {"mapping": "Issue"}, "blocks": {"mapping": "Issue", "toMany": true, "policy": "replace"},
              "seen": {"mapping": "IssueKey", "toMany": true, "weak": true}}},
          "IssueKey": {
            "entity": "Issue", "primaryKey": ["repo", "number"],
            "attributes": {"repo": {"type": "string", "keyPath": "[0]"}, "number": {"type": "integer", "keyPath": "[1]"}}},
          "Repo": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"}},
          "Pull": {
            "primaryKey": ["repo", "number"], "attributes": {"number": "integer", "title": "string"},
            "relationships": {"repo": {"mapping": "Repo"}}},
          "Review": {
            "primaryKey": ["pull", "user"], "attributes": {"user": "string", "state": "string"},
            "relationships": {"pull": {"mapping": "Pull"}}},
          "Draft": {
            "primaryKey": ["pull", "user"], "missingPrimaryKey": "skip", "attributes": {"user": "string"},
            "relationships": {"pull": {"mapping": "DraftPull"}}},
          "DraftPull": {
            "entity": "Pull", "primaryKey": ["repo", "number"], "missingPrimaryKey": "skip",
            "attributes": {"number": "integer"}, "relationships": {"repo": {"mapping": "Repo"}}},
          "Folder": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"files": {"mapping": "File", "toMany": true, "keyedBy": "name"}}},
          "File": {
            "primaryKey": ["name", "version"],
            "attributes": {"name": "string", "version": "integer", "size": "integer"}}}}
        """#)
  }

  private func makeWorld(_ kind: StoreKind, _ name: String = "Issue") throws -> World {
    let file = try Self.file.get()
    return try World(kind, file.plan(for: name), file.plan(for: "Repo"))
  }

  private static let issues = #"""
    [{"in":{"repo":"a"},"number":7,"title":"x","parent":["b",1],"blocks":[["a",8],{"in":{"repo":"c"},"number":2,"title":"y"}]},\#
    {"in":{"repo":"a"},"number":-3,"seen":[["b",1],["z",9]]}]
    """#

  @Test(arguments: StoreKind.allCases)
  func objectsWithTheSamePartsAreOne(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try #expect(world.load(Self.issues) == "Issue +5")
    try #expect(world.load(Self.issues) == "Issue =5")
    let text = try world.export()
    #expect(
      text == #"""
        [{"in":{"repo":"a"},"number":-3,"seen":[["b",1]]},\#
        {"in":{"repo":"a"},"number":7,"title":"x","parent":{"in":{"repo":"b"},"number":1},\#
        "blocks":[{"in":{"repo":"a"},"number":8},{"in":{"repo":"c"},"number":2}]},\#
        {"in":{"repo":"a"},"number":8},{"in":{"repo":"b"},"number":1},{"in":{"repo":"c"},"number":2,"title":"y"}]
        """#)
    let copy = try makeWorld(kind)
    try copy.load(text)
    try #expect(copy.export() == text)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var json: String
    var report: String
    var testDescription: String { json }
  }

  static let cases = [
    Case(json: #"{"in":{"repo":"a"},"number":7,"title":"z"}"#, report: "Issue ~1"),
    Case(json: #"{"in":{"repo":"a"},"number":9}"#, report: "Issue +1"),
    Case(json: #"{"in":{"repo":"A"},"number":7}"#, report: "Issue +1"),
    Case(json: #"{"in":{"repo":"a"},"number":7,"parent":null}"#, report: "Issue ~1"),
    Case(json: #"{"in":{"repo":"a"},"number":7,"parent":["a",7]}"#, report: "Issue ~1"),
    Case(json: #"{"in":{"repo":"a"},"number":7,"blocks":[["a",8]]}"#, report: "Issue ~1 =1 -1"),
    Case(json: #"{"in":{"repo":"a"},"number":7,"blocks":[]}"#, report: "Issue ~1 -2"),
    Case(
      json: #"[{"in":{"repo":"n"},"number":1,"title":"1"},{"in":{"repo":"n"},"number":1,"title":"2"}]"#,
      report: "Issue +1"),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 3))
  func occurrencesChangeTheObjectWithTheirParts(_ kind: StoreKind, _ example: Case) throws {
    let world = try makeWorld(kind)
    try world.load(Self.issues)
    try #expect(world.load(example.json) == example.report)
    let again = try world.load(example.json)
    #expect(!again.contains("+") && !again.contains("-"), "\(again)")
  }

  static let faults = [
    Case(
      json: #"{"in":{"repo":"a"}}"#,
      report: "$.number: expected an integer, a part of the primary key of Issue, found nothing"),
    Case(
      json: #"{"in":{"repo":null},"number":1}"#,
      report: "$.in.repo: expected a string, a part of the primary key of Issue, found null"),
    Case(
      json: #"{"in":{"repo":"a"},"number":"1"}"#,
      report: #"$.number: expected an integer, found the string "1""#),
    Case(
      json: #"{"in":{"repo":"a"},"number":1,"parent":["b"]}"#,
      report:
        "$.parent: expected an object or an array of the 2 parts of its key (repo and number), found an array"
    ),
    Case(
      json: #"{"in":{"repo":"a"},"number":1,"parent":7}"#,
      report:
        "$.parent: expected an object or an array of the 2 parts of its key (repo and number), found the number 7"
    ),
    Case(
      json: #"{"in":{"repo":"a"},"number":1,"seen":[["b",null]]}"#,
      report: "$.seen[0][1]: expected an integer, a part of the primary key of Issue, found null"),
    Case(json: #"["a",1]"#, report: #"$[0]: expected an object, found the string "a""#),
  ]

  @Test(arguments: faults)
  func aFaultNamesThePart(_ example: Case) throws {
    let world = try makeWorld(.memory)
    let error = #expect(throws: MappingError.self) { try world.load(example.json) }
    #expect(error.map { "\($0.path): \($0.message)" } == example.report)
  }

  @Test(arguments: StoreKind.allCases)
  func aTargetsKeyIsAPart(_ kind: StoreKind) throws {
    let world = try makeWorld(kind, "Review")
    let reviews = #"""
      [{"user":"ann","pull":{"number":1,"title":"t","repo":{"id":5,"name":"r"}}},{"user":"bob","pull":[4,1]},\#
      {"user":"ann","state":"ok","pull":{"number":1,"repo":5}}]
      """#
    try #expect(world.load(reviews) == "Review +2, Pull +2, Repo +2")
    try #expect(world.load(reviews) == "Review =2, Pull =2, Repo =2")
    let text = try world.export()
    #expect(
      text == #"""
        [{"user":"bob","pull":{"number":1,"repo":{"id":4}}},\#
        {"user":"ann","state":"ok","pull":{"number":1,"title":"t","repo":{"id":5,"name":"r"}}}]
        """#)
    // Without its repository there is no pull request, and without that no review.
    let plan = try Self.file.get().plan(for: "Repo")
    let report = try world.store.delete(plan, key: 5)
    #expect(report["Repo"] == 1 && report["Pull"] == 1 && report["Review"] == 1)
    try #expect(world.export() == #"[{"user":"bob","pull":{"number":1,"repo":{"id":4}}}]"#)
  }

  /// An object whose key is missing may be left out, but not one whose part is there and has no key.
  @Test(arguments: StoreKind.allCases, [#"{"number":1}"#, #"{"repo":{"name":"r"},"number":1}"#, "{}"])
  func aPartWithoutAKeyOfItsOwnIsNoMissingKey(_ kind: StoreKind, _ pull: String) throws {
    let world = try makeWorld(kind, "Draft")
    for missing in [#"{"user":"ann"}"#, #"{"user":"ann","pull":null}"#, #"{"pull":[4,1]}"#] {
      try #expect(world.load(missing).contains("Draft !1"), "\(missing)")
    }
    let failure = world.failure(of: #"{"user":"ann","pull":\#(pull)}"#) ?? "none"
    #expect(
      failure.hasPrefix("$.pull: expected one object or an array of the 2 parts of its key"), "\(failure)")
  }

  @Test(arguments: StoreKind.allCases)
  func theNameOfAMemberMayBeAPart(_ kind: StoreKind) throws {
    let world = try makeWorld(kind, "Folder")
    let folder = #"{"id":1,"files":{"a":{"version":1,"size":7},"b":{"version":2}}}"#
    try #expect(world.load(folder) == "Folder +1, File +2")
    try #expect(world.load(folder) == "Folder =1, File =2")
    try #expect(world.export() == "[\(folder)]")
  }

  @Test(arguments: StoreKind.allCases)
  func queriesFindTheFirstPartsByTheKey(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try world.load(Self.issues)
    let plan = try Self.file.get().plan(for: "Issue")
    try world.store.read(plan) { snapshot in
      let some = plan.where(try Filter(#"@.repo == "a""#))
      try #expect(
        snapshot.explain(some).description.contains(#"keys that begin with ["a"]: 3 objects looked at"#))
      try #expect(snapshot.keys(some) == [["a", -3], ["a", 7], ["a", 8]])
      let one = plan.where(try Filter(#"@.repo == "a" && @.number == 7 && @.title == "x""#))
      try #expect(snapshot.explain(one).description.contains(#"the key ["a", 7]"#))
      try #expect(snapshot.count(plan.where(try Filter(#"@.parent.repo == "b""#))) == 1)
    }
    let filter = try Filter(#"@.parent == "b""#)
    let error = #expect(throws: FilterError.self) {
      try world.store.read(plan) { try $0.count(plan.where(filter)) }
    }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains(#"has the parts "repo" and "number"; compare each of them"#))
  }

  @Test func partsSortOneAfterTheOther() {
    let keys: [PrimaryKey] = [
      [.integer(.min), 0], [-1, 5], [0, "a"], [7, -2], [7, 1], [7, "a"], ["", 1], ["\0", 1], ["\u{1}", 1],
      ["\u{2}", 1], ["a", -1], ["a", 9], ["a\0", 0], ["a\u{1}", 0], ["ab", 0], ["é", ["x", 1]],
    ]
    #expect(keys == keys.shuffled().sorted())
    for key in keys { #expect(key.parts.map { PrimaryKey(parts: $0) } == key) }
    #expect(keys[10].description == #"["a", -1]"#)
    #expect(
      PrimaryKey("a").parts == nil && PrimaryKey("\u{3}a").parts == nil && PrimaryKey("\u{2}12").parts == nil)
  }

  @Test func aKeyIsNoPartOfItself() throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "A": {"primaryKey": ["b", "id"], "attributes": {"id": "integer"}, "relationships": {"b": {"mapping": "B"}}},
        "B": {"primaryKey": ["a", "id"], "attributes": {"id": "integer"}, "relationships": {"a": {"mapping": "A", "weak": true}}},
        "C": {"primaryKey": ["id", "list"], "attributes": {"id": "integer"}, "relationships": {"list": {"mapping": "A", "toMany": true}}}}}
      """#
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: file) }
    let faults = error.map { $0.faults.map { "\($0)" }.joined(separator: "\n") } ?? ""
    #expect(
      faults.contains(
        "$.mappings.A.primaryKey: the key of A is a part of itself, through the key of a target"))
    #expect(faults.contains(#"$.mappings.B.primaryKey[0]: a part of a key has its target, and "a" is weak"#))
    #expect(
      faults.contains(#"$.mappings.C.primaryKey[1]: a part of a key is one object, and "list" is to-many"#))
  }
}

/// The same keys in contexts of records.
@Suite struct JoinedKeyRecordTests {
  static let repository = Mapping("Repository", primaryKey: "id") { Attribute("id", .integer) }
  static let issue = Mapping("Issue", primaryKey: ["repository", "number"]) {
    ToOne("repository", repository)
    Attribute("number", .integer)
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletedPartTakesItsDependantsAlong(_ kind: StoreKind) throws {
    let world = try World(kind, Self.issue)
    try world.load(#"[{"repository":5,"number":1},{"repository":5,"number":2},{"repository":6,"number":1}]"#)
    let context = try ObjectContext(world.store, for: Self.issue)
    let five = try #require(try context.record("Repository", key: 5))
    try context.delete(five)
    let report = try context.save()
    #expect(report["Repository"]?.deleted == 1 && report["Issue"]?.deleted == 2)
    try #expect(world.export() == #"[{"number":1,"repository":{"id":6}}]"#)
  }
}

/// New objects of contexts, whose key has the key of a target as a part.
@Suite struct JoinedKeyTargetTests {
  final class Repository {
    var id = 0
    static let mapping = Mapping(Repository.self, "Repository", primaryKey: "id", make: { Repository() }) {
      Attribute("id", \.id)
    }
  }
  final class Issue {
    var repository: Repository?
    var number = 0
    var title = ""
    static let mapping = Mapping(
      Issue.self, "Issue", primaryKey: ["repository", "number"], make: { Issue() }
    ) {
      ToOne("repository", \.repository, Repository.mapping)
      Attribute("number", \.number)
      Attribute("title", \.title)
    }
  }

  private func issue(_ repository: Repository?, _ number: Int, _ title: String) -> Issue {
    let issue = Issue()
    (issue.repository, issue.number, issue.title) = (repository, number, title)
    return issue
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveTakesTheKeyOfTheTarget(_ kind: StoreKind) throws {
    let world = try World(kind, Issue.mapping, Repository.mapping)
    try world.load(#"{"repository":5,"number":1,"title":"a"}"#)
    let context = try ObjectContext(world.store, for: Issue.mapping)
    let five = try #require(try context.object(Repository.mapping, key: 5))
    let six = Repository()
    six.id = 6
    for new in [issue(five, 2, "b"), issue(six, 1, "c")] { try context.insert(new, as: Issue.mapping) }
    let report = try context.save()
    #expect(report["Issue"]?.inserted == 2 && report["Repository"]?.inserted == 1)
    let export = #"""
      [{"number":1,"title":"a","repository":{"id":5}},{"number":2,"title":"b","repository":{"id":5}},{"number":1,"title":"c","repository":{"id":6}}]
      """#
    try #expect(world.export() == export)
    let other = try World(kind, Issue.mapping, holding: export)
    try #expect(other.dump() == world.dump())
    let found = try context.object(Issue.mapping, key: [6, 1] as PrimaryKey)
    #expect(found?.title == "c")
    found?.title = "d"
    try context.save()
    let again = try world.report(#"{"repository":6,"number":1,"title":"d"}"#)
    #expect(again.isUnchanged && again["Issue"]?.unchanged == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func aTakenAndAnUnsetKeyAreRefused(_ kind: StoreKind) throws {
    let world = try World(kind, Issue.mapping, Repository.mapping)
    try world.load(#"{"repository":5,"number":1,"title":"a"}"#)
    let before = try world.dump()
    for (repository, sentence) in [
      (5, "[5, 1] is taken"),
      (0, "a new object of Repository: expected a key, found 0, which every new instance has"),
      (nil, "expected a key, found no value"),
    ] {
      let context = try ObjectContext(world.store, for: Issue.mapping)
      let known = try context.object(Repository.mapping, key: 5)
      let target = repository == 5 ? known : repository.map { _ in Repository() }
      try context.insert(issue(target, 1, "b"), as: Issue.mapping)
      let found = message { try context.save() }
      #expect(found?.contains(sentence) == true, "\(found ?? "none")")
    }
    try #expect(world.dump() == before)
  }
}

/// The same keys in classes.
@Suite struct JoinedKeyClassTests {
  final class Issue {
    var repo = ""
    var number = 0
    var title: String?
    var blocks: [Issue] = []

    static let mapping: Mapping<Issue> = Mapping(
      Issue.self, "Issue", primaryKey: ["repo", "number"], make: { Issue() }
    ) {
      Attribute("repo", \.repo)
      Attribute("number", \.number)
      Attribute("title", \.title)
      ToMany("blocks", \.blocks, Issue.mapping)
    }
  }

  @Test func instancesWithTheSamePartsAreOne() throws {
    let json =
      #"[{"repo":"a","number":1,"blocks":[["a",2]]},{"repo":"a","number":2,"title":"t","blocks":[["a",1]]}]"#
    let issues = try Issue.mapping.objects(from: json)
    #expect(issues.count == 2 && issues[0].blocks.first === issues[1] && issues[1].blocks.first === issues[0])
    try Issue.mapping.fill(
      issues[0], from: #"{"repo":"a","number":1,"blocks":[{"repo":"a","number":2,"title":"u"}]}"#)
    #expect(issues[1].title == "u" && issues[0].blocks.first === issues[1])
    for issue in issues { issue.blocks = [] }
  }

  @Test(arguments: StoreKind.allCases)
  func contextsSaveTheParts(_ kind: StoreKind) throws {
    let plan = try Issue.mapping.plan()
    let store = try kind.make()
    let context = try ObjectContext(store, for: Issue.mapping)
    let issue = Issue()
    (issue.repo, issue.number, issue.title) = ("a", 7, "t")
    try context.insert(issue, as: Issue.mapping)
    try context.save()
    try #expect(store.read(plan) { try $0.keys(plan) } == [["a", 7]])
    issue.title = "u"
    try context.save()
    let other = try ObjectContext(store, for: Issue.mapping)
    let same = try other.object(Issue.mapping, key: ["a", 7] as PrimaryKey)
    #expect(same?.title == "u" && same?.number == 7)
    issue.number = 8
    #expect(throws: ContextError.self) { try context.save() }
  }
}
