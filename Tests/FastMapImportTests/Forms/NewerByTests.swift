import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Occurrences that are older than their objects: `newerBy`.
@Suite struct NewerByTests {
  static let note = Mapping("Note") {
    Attribute("text", .string)
    ToOne("about", tag)
  }
  static let tag = Mapping("Tag", primaryKey: "name") {
    Attribute("name", .string)
    Attribute("color", .string)
  }
  static let issue = Mapping("Issue", primaryKey: "id", newerBy: "at") {
    Attribute("id", .integer)
    Attribute("at", .integer)
    Attribute("title", .string)
    ToMany("tags", tag, policy: .replace)
    ToMany("notes", note)
    ToOne("head", note)
  }
  static let plain = Mapping("Plain", entity: "Issue", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("at", .integer)
    Attribute("title", .string)
  }
  static let day = Mapping("Day", primaryKey: "id", newerBy: "day") {
    Attribute("id", .integer)
    Attribute("day", .date(.iso8601)).default(Timestamp(seconds: 86400))
    Attribute("title", .string)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var stored = #"{"id":1,"at":5,"title":"five"}"#
    var json: String
    var report: String
    var issue: String
    var testDescription: String { "\(json) over \(stored)" }
  }

  static let cases = [
    Case(json: #"{"id":1,"at":4,"title":"four"}"#, report: "Issue <1", issue: #"at=5 title="five""#),
    Case(json: #"{"id":1,"at":5,"title":"x"}"#, report: "Issue ~1", issue: #"at=5 title="x""#),
    Case(json: #"{"id":1,"at":6,"title":"six"}"#, report: "Issue ~1", issue: #"at=6 title="six""#),
    Case(json: #"{"id":1,"title":"x"}"#, report: "Issue ~1", issue: #"at=5 title="x""#),
    // Null is applied, and then each value is newer.
    Case(
      json: #"[{"id":1,"at":null,"title":"x"},{"id":1,"at":1,"title":"one"}]"#, report: "Issue ~1",
      issue: #"at=1 title="one""#),
    Case(
      json: #"[{"id":1,"at":9,"title":"nine"},{"id":1,"at":7,"title":"seven"}]"#, report: "Issue ~1",
      issue: #"at=9 title="nine""#),
    Case(
      json: #"[{"id":1,"at":4,"title":"four"},{"id":1,"at":3}]"#, report: "Issue <1",
      issue: #"at=5 title="five""#),
    // A bare key is no older occurrence.
    Case(
      stored: "[]", json: #"[{"id":1,"at":2,"title":"two"},{"id":1,"at":1,"title":"one"}]"#,
      report: "Issue +1", issue: #"at=2 title="two""#),
    Case(
      stored: #"{"id":1,"title":"x"}"#, json: #"{"id":1,"at":1}"#, report: "Issue ~1",
      issue: #"at=1 title="x""#),
    // Objects with keys inside are mapped, owned ones are not, and all count as met.
    Case(
      stored:
        #"{"id":1,"at":5,"tags":[{"name":"a"},{"name":"b"}],"notes":[{"text":"n"}],"head":{"text":"h"}}"#,
      json: #"""
        {"id":1,"at":4,"tags":[{"name":"a","color":"red"},{"name":"c"}],"head":{"text":"x","about":{"name":"d"}},
         "notes":[{"text":"m","about":{"name":"b","color":"blue"}},{"text":"n"}]}
        """#,
      report: "Issue <1, Tag +2 ~2", issue: #"at=5 tags=["a" "b"] notes=[#1] head=#2"#),
    Case(
      stored: #"{"id":1,"at":5,"tags":[{"name":"a"}]}"#,
      json: #"[{"id":1,"at":6,"tags":[{"name":"b"}]},{"id":1,"at":4,"tags":[{"name":"a"}]}]"#,
      report: "Issue ~1, Tag +1 =1", issue: #"at=6 tags=["b"]"#),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 4))
  func anOlderOccurrenceChangesNothing(_ kind: StoreKind, _ example: Case) throws {
    for batch in [nil, 1] as [Int?] {
      let world = try World(kind, Self.issue, Self.plain, holding: example.stored)
      var options = ImportOptions(isDryRun: true, batchSize: batch)
      let dry = try world.report(example.json, options: options)
      options.isDryRun = false
      let report = try world.report(example.json, options: options)
      #expect(summary(report) == example.report, "\(batch ?? 0)")
      #expect(dry.entities == report.entities)
      let line = try world.dump(of: "Issue 1")?.dropFirst("Issue 1 ".count)
      #expect(line.map(String.init) == example.issue)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func pagesInAnyOrderGiveTheSameStore(_ kind: StoreKind) throws {
    var random = Random(for: "NewerByTests")
    var exports: Set<String> = []
    let pages = (0..<6).map { page in
      let issues = (0..<5).map { id in
        let at = 10 * ((page * 3 + id) % 6) + id
        return
          #"{"id":\#(id),"at":\#(at),"title":"\#(at)","notes":[{"text":"\#(at)"}],"head":{"text":"h\#(at)"}}"#
      }
      return "[\(issues.joined(separator: ","))]"
    }
    for _ in 0..<TestSize.rounds(small: 4, whole: 40) {
      let world = try World(kind, Self.issue)
      for page in pages.shuffled(using: &random) { try world.load(page) }
      exports.insert(try world.export())
    }
    #expect(exports.count == 1)
    #expect(
      exports.first?.contains(#""at":52,"title":"52","notes":[{"text":"52"}],"head":{"text":"h52"}"#) == true)
  }

  @Test(arguments: StoreKind.allCases)
  func anotherMappingAndADefaultGiveTheObjectItsValue(_ kind: StoreKind) throws {
    let world = try World(kind, Self.issue, Self.plain, Self.day)
    try world.load(#"{"id":1,"at":9}"#, as: "Plain")
    try #expect(world.load(#"{"id":1,"at":8,"title":"x"}"#) == "Issue <1")
    try #expect(world.load(#"{"id":1,"at":2,"title":"x"}"#, as: "Plain") == "Issue ~1")
    try #expect(world.load(#"{"id":1,"at":8,"title":"x"}"#) == "Issue ~1")
    // The default is the value of a new object, unless references alone have made it.
    let days =
      #"[{"id":1,"title":"new"},{"id":1,"day":"1970-01-01","title":"old"},{"id":2},{"id":2,"day":"1970-01-01"},{"id":3}]"#
    try #expect(world.load(days, as: "Day") == "Day +3")
    try #expect(
      world.export("Day")
        == #"[{"id":1,"day":"1970-01-02T00:00:00Z","title":"new"},{"id":2,"day":"1970-01-01T00:00:00Z"},{"id":3,"day":null}]"#
    )
    try #expect(world.load(#"{"id":3,"title":"x"}"#, as: "Day") == "Day ~1")
    try #expect(world.export("Day").hasSuffix(#"{"id":3,"day":"1970-01-02T00:00:00Z","title":"x"}]"#))
  }

  @Test func faultsOfNewerByNameTheirPlace() throws {
    func fault(_ mapping: String) -> String? {
      message { _ = try MappingSet(file: #"{"fastmap":1,"mappings":{"A":\#(mapping)}}"#) }
    }
    #expect(
      fault(#"{"primaryKey":"id","newerBy":"att","attributes":{"id":"integer","at":"date"}}"#)
        == #"$.mappings.A.newerBy: no attribute named "att"; did you mean "at"?"#)
    #expect(
      fault(#"{"primaryKey":"id","newerBy":"at","attributes":{"id":"integer","at":"boolean"}}"#)
        == #"$.mappings.A.newerBy: expected an attribute of type integer, number, decimal, string or date, "at" is a boolean"#
    )
    #expect(
      fault(#"{"newerBy":"at","attributes":{"at":"date"}}"#)
        == #"$.mappings.A.newerBy: newerBy needs objects with a primary key; the mapping "A" has none"#)
    #expect(fault(#"{"primaryKey":"id","newerBy":"id","attributes":{"id":"integer"}}"#) == nil)
  }

  // MARK: Instances

  final class Post {
    var id = 0
    var at: Int?
    var title = ""
    var lines: [Line] = []
    static let mapping = Mapping(Post.self, "Post", primaryKey: "id", newerBy: "at", make: Post.init) {
      Attribute("id", \.id)
      Attribute("at", \.at)
      Attribute("title", \.title)
      ToMany("lines", \.lines, Line.mapping)
    }
  }

  final class Blog {
    var id = 0
    var posts: [Post] = []
    static let mapping = Mapping(Blog.self, "Blog", primaryKey: "id", make: Blog.init) {
      Attribute("id", \.id)
      ToMany("posts", \.posts, Post.mapping)
    }
  }

  final class Line {
    var text = ""
    static let mapping = Mapping(Line.self, "Line", make: Line.init) { Attribute("text", \.text) }
  }

  @Test func instancesWithoutAStoreTakeTheNewest() throws {
    let json = #"""
      [{"id":1,"at":2,"title":"two","lines":[{"text":"2"}]},{"id":1,"at":1,"title":"one","lines":[{"text":"1"}]},
       {"id":1,"at":3,"title":"three"},{"id":2,"title":"x"}]
      """#
    let posts = try Post.mapping.objects(from: json)
    #expect(posts.map(\.id) == [1, 1, 1, 2])
    #expect(posts[0].title == "three" && posts[0].at == 3)
    #expect(posts[0].lines.map(\.text) == ["2"])
    try Post.mapping.fill(posts[0], from: #"{"id":1,"at":2,"title":"old","lines":[]}"#)
    #expect(posts[0].title == "three" && posts[0].lines.count == 1)
    try Post.mapping.fill(posts[0], from: #"{"id":1,"at":3,"title":"new"}"#)
    #expect(posts[0].title == "new")
    // The instances that a filled one refers to have values, too.
    let blog = Blog()
    blog.posts = [posts[0]]
    try Blog.mapping.fill(
      blog, from: #"{"id":1,"posts":[{"id":1,"at":1,"title":"old"},{"id":5,"at":1,"title":"x"}]}"#)
    #expect(blog.posts.map(\.title) == ["new", "x"])
    _ = try Post.mapping.fill(posts[0], from: #"{"at":1,"title":"old"}"#)
    #expect(posts[0].title == "new")
  }
}
