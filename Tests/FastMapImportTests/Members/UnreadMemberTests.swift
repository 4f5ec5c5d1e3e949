import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Members of a payload that no field reads: the unread members of a report.
@Suite struct UnreadMemberTests {
  private final class Silent: ImportDelegate {}

  /// `Order.discount 2 $[0].discount` for each unread member.
  private static func lines(_ report: ImportReport) -> [String] {
    report.unread.map { "\($0.member) \($0.objects) \($0.paths[0])" }
  }

  private static func plan(_ mappings: String, _ name: String = "Order") throws -> Plan {
    try MappingSet(file: #"{"fastmap": 1, "mappings": {\#(mappings)}}"#).plan(for: name)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var mappings: String
    var json: String
    var unread: [String]
    var root = "Order"
    var testDescription: String { json }
  }

  private static let order = #"""
    "Order": {"primaryKey": "id",
      "attributes": {"id": "integer", "tag": {"type": "string", "keyPath": "meta.tag"},
        "codes": {"type": ["string"], "keyPath": "lines[].code"}},
      "relationships": {"customer": {"mapping": "Customer"}, "items": {"mapping": "Item", "toMany": true}}},
    "Customer": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"}},
    "Item": {"attributes": {"sku": "string"}}
    """#

  private static func order(_ members: String, customer: String = "", item: String = "") -> String {
    order.replacing(#""Order": {"#, with: #""Order": {\#(members), "#)
      .replacing(
        #""Customer": {"#, with: customer.isEmpty ? #""Customer": {"# : #""Customer": {\#(customer), "#
      )
      .replacing(#""Item": {"#, with: item.isEmpty ? #""Item": {"# : #""Item": {\#(item), "#)
  }

  private static let keyed = #"""
    "Site": {"primaryKey": "id", "attributes": {"id": "integer"},
      "relationships": {"plugins": {"mapping": "Plugin", "toMany": true, "keyedBy": "name"}}},
    "Plugin": {"primaryKey": "name", "keyedBy": "name", "attributes": {"name": "string", "version": "string"}}
    """#

  private static let kinds = #"""
    "Animal": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"cat": "Cat", "dog": "Dog"}}},
    "Cat": {"entity": "Animal", "primaryKey": "id", "attributes": {"id": "integer", "lives": "integer"}},
    "Dog": {"entity": "Animal", "primaryKey": "id",
      "attributes": {"id": "integer", "barks": "boolean", "chip": {"type": "string", "keyPath": "vet.chip"}}}
    """#

  private static func kinds(_ members: String, of name: String) -> String {
    kinds.replacing(#""\#(name)": {"#, with: #""\#(name)": {\#(members), "#)
  }

  private static let cases = [
    Case(mappings: order, json: #"[{"id":1,"meta":{"tag":"a"}},{"id":2,"lines":[]}]"#, unread: []),
    Case(
      mappings: order, json: #"[{"id":1},{"discount":1,"id":2},{"id":3,"discount":null}]"#,
      unread: ["Order.discount 2 $[1].discount"]),
    // Most objects first; ties by name.
    Case(
      mappings: order, json: #"[{"id":1,"c":1,"b":1},{"id":2,"a":1,"b":1,"c":[]},{"id":3,"b":{}}]"#,
      unread: ["Order.b 3 $[0].b", "Order.c 2 $[0].c", "Order.a 1 $[1].a"]),
    // On the way of a key path, and through a list of them.
    Case(
      mappings: order, json: #"[{"id":1,"meta":{"tag":"a","etag":"x"}},{"id":2,"meta":{"etag":"y"}}]"#,
      unread: ["Order.meta.etag 2 $[0].meta.etag"]),
    Case(
      mappings: order, json: #"[{"id":1,"lines":[{"code":"a"},{"code":"b","n":1}]}]"#,
      unread: ["Order.lines[].n 1 $[0].lines[1].n"]),
    // Members inside of an unread one do not count.
    Case(
      mappings: order, json: #"[{"id":1,"x":{"y":{"z":1},"customer":{"q":1}}}]"#, unread: ["Order.x 1 $[0].x"]
    ),
    // Nested objects, lists and references.
    Case(
      mappings: order,
      json:
        #"[{"id":1,"customer":{"id":7,"phone":"1"},"items":[{"sku":"a"},{"sku":"b","qty":1},{"qty":2}]},{"id":2,"customer":7}]"#,
      unread: ["Item.qty 2 $[0].items[1].qty", "Customer.phone 1 $[0].customer.phone"]),
    Case(
      mappings: order, json: #"{"id":1,"a.b":1,"@root":2}"#,
      unread: [#"Order.\@root 1 $.@root"#, #"Order.a\.b 1 $["a.b"]"#]),
    // A reference with more than the key, and an object that is left out.
    Case(
      mappings: order, json: #"[{"id":1,"customer":{"id":7,"href":"/7"}}]"#,
      unread: ["Customer.href 1 $[0].customer.href"]),
    Case(
      mappings: order(#""missingPrimaryKey": "skip""#), json: #"[{"note":1}]"#,
      unread: ["Order.note 1 $[0].note"]),
    // Ignored members.
    Case(
      mappings: order(#""ignores": ["discount", "meta.etag", "a\\.b", "lines[].n"]"#),
      json:
        #"[{"id":1,"discount":1,"a.b":1,"meta":{"etag":1,"x":1},"lines":[{"n":1}],"customer":{"id":7,"discount":1}}]"#,
      unread: ["Customer.discount 1 $[0].customer.discount", "Order.meta.x 1 $[0].meta.x"]),
    Case(
      mappings: order(#""ignores": true"#),
      json: #"[{"id":1,"a":1,"meta":{"etag":1},"customer":{"id":1,"b":1}}]"#,
      unread: ["Customer.b 1 $[0].customer.b"]),
    Case(mappings: order(#""ignores": false"#), json: #"[{"id":1,"a":1}]"#, unread: ["Order.a 1 $[0].a"]),
    // A rest has all of its own object.
    Case(
      mappings: order.replacing(
        #""attributes": {"id": "integer", "tag""#,
        with: #""attributes": {"rest": "rest", "id": "integer", "tag""#
      )
      .replacing(#", "keyPath": "lines[].code""#, with: ""),
      json: #"[{"id":1,"a":1.50,"meta":{"tag":"t","etag":1},"customer":{"id":7,"b":1},"items":[{"c":1}]}]"#,
      unread: ["Customer.b 1 $[0].customer.b", "Item.c 1 $[0].items[0].c"]),
    // Objects by name.
    Case(
      mappings: keyed,
      json: #"{"id":1,"plugins":{"git":{"version":"1","size":2},"mvn":{"size":3,"name":"mvn"}},"x":1}"#,
      unread: ["Plugin.size 2 $.plugins.git.size", "Site.x 1 $.x"], root: "Site"),
    Case(
      mappings: keyed, json: #"{"git":{"version":"1"},"mvn":{"size":3}}"#,
      unread: ["Plugin.size 1 $.mvn.size"], root: "Plugin"),
    // A target that is read from its owner's object, and a field that is read from outside.
    Case(
      mappings: #"""
        "Order": {"primaryKey": "id", "attributes": {"id": "integer"},
          "relationships": {"team": {"mapping": "Team", "keyPath": null}, "items": {"mapping": "Item", "toMany": true}}},
        "Team": {"primaryKey": "code", "attributes": {"code": {"type": "string", "keyPath": "team_code"}}},
        "Item": {"attributes": {"currency": {"type": "string", "keyPath": "@parent.currency"}}}
        """#,
      json: #"[{"id":1,"team_code":"x","currency":"EUR","note":1,"items":[{"a":1}]}]"#,
      unread: ["Item.a 1 $[0].items[0].a", "Order.note 1 $[0].note"]),
    // The chooser has the members that no kind reads, and each kind the members that only another kind reads.
    Case(
      mappings: kinds,
      json: #"[{"id":1,"type":"cat","color":"red"},{"id":2,"type":"dog","color":"red","barks":true}]"#,
      unread: ["Animal.color 2 $[0].color"], root: "Animal"),
    Case(
      mappings: kinds,
      json:
        #"[{"id":1,"type":"cat","barks":true,"vet":{"chip":"x"}},{"id":2,"type":"dog","lives":9,"vet":{"name":"V"}},{"id":3,"type":"cat","barks":null}]"#,
      unread: [
        "Animal.vet.name 1 $[1].vet.name", "Cat.barks 1 $[0].barks", "Cat.vet 1 $[0].vet",
        "Dog.lives 1 $[1].lives",
      ], root: "Animal"),
    Case(
      mappings: kinds(#""ignores": ["barks"]"#, of: "Cat"),
      json: #"[{"id":1,"type":"cat","barks":true,"vet":{"chip":"x"}}]"#,
      unread: ["Cat.vet 1 $[0].vet"], root: "Animal"),
    Case(
      mappings: kinds(#""ignores": true"#, of: "Cat"),
      json: #"[{"id":1,"type":"cat","barks":true,"color":1},{"id":2,"type":"dog","color":1}]"#,
      unread: ["Dog.color 1 $[1].color"], root: "Animal"),
    Case(
      mappings: kinds.replacing(#""lives": "integer""#, with: #""lives": "integer", "rest": "rest""#),
      json:
        #"[{"id":1,"type":"cat","barks":true,"color":1},{"id":2,"type":"dog","color":1,"vet":{"name":1}}]"#,
      unread: ["Dog.color 1 $[1].color", "Dog.vet.name 1 $[1].vet.name"], root: "Animal"),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func unreadMembersAreCountedByMappingAndKeyPath(_ kind: StoreKind, test: Case) throws {
    let world = try World(kind, try Self.plan(test.mappings, test.root))
    let report = try world.report(test.json)
    #expect(Self.lines(report) == test.unread)
    #expect(report.moreUnread == 0)
  }

  @Test(arguments: cases)
  func theCountsDoNotDependOnHowThePayloadArrives(_ test: Case) throws {
    let plan = try Self.plan(test.mappings, test.root)
    for size in [1, 7, 1000] {
      let report = try World(.memory, plan).report(test.json, inChunksOf: size)
      #expect(Self.lines(report) == test.unread, "in chunks of \(size)")
    }
    var options = ImportOptions(batchSize: 1)
    options.alwaysReadsAhead = true
    #expect(Self.lines(try World(.memory, plan).report(test.json, options: options)) == test.unread)
    options.commitInterval = 1
    #expect(Self.lines(try World(.memory, plan).report(test.json, options: options)) == test.unread)
    let shown = try World(.memory, plan).report(test.json, options: ImportOptions(delegate: Silent()))
    #expect(Self.lines(shown) == test.unread)
    try Array(test.json.utf8).withUnsafeBytes { bytes in
      let document = try JSONDocument(parsing: bytes)
      let report = try Mapper(World(.memory, plan).store).importJSON(document, as: plan)
      #expect(Self.lines(report) == test.unread)
    }
  }

  @Test func linesAndPagesNameThePlaces() throws {
    let plan = try Self.plan(Self.order)
    let lines = ImportOptions(format: .ndjson)
    let report = try World(.memory, plan).report("{\"id\":1}\n{\"id\":2,\"x\":1}\n", options: lines)
    #expect(Self.lines(report) == ["Order.x 1 $[1].x"])
    let inside = ImportOptions(format: .ndjson, rootPath: "data")
    let wrapped = try World(.memory, plan).report(
      #"{"data":{"id":1,"meta":{"x":1}},"page":1}"#, options: inside)
    #expect(Self.lines(wrapped) == ["Order.meta.x 1 $[0].data.meta.x"])
    let pages = ImportOptions(rootPath: "pages[].items")
    let text = #"{"pages":[{"items":[{"id":1}],"n":1},{"items":[{"id":2},{"id":3,"x":1}]}]}"#
    for size in [nil, 5] {
      let report = try World(.memory, plan).report(text, inChunksOf: size, options: pages)
      #expect(Self.lines(report) == ["Order.x 1 $.pages[1].items[1].x"])
    }
  }

  /// Runs its first transaction twice.
  @Test(arguments: StoreKind.allCases)
  func aTransactionThatRunsAgainCountsOnce(_ kind: StoreKind) throws {
    let plan = try Self.plan(
      #"""
      "Order": {"primaryKey": "id", "attributes": {"id": "integer", "code": "string"},
        "indexes": [{"fields": ["code"], "unique": true}]}
      """#)
    let world = try World(kind, plan)
    let report = try world.report(
      #"[{"id":1,"code":"a","x":1},{"id":2,"code":"a","x":1},{"id":3,"x":1}]"#,
      options: ImportOptions(faults: .skip))
    #expect(report.errorCount == 1)
    #expect(Self.lines(report) == ["Order.x 3 $[0].x"])
  }

  @Test func aDryRunCountsAndAnImportThatFailsReportsItsCounts() throws {
    let plan = try Self.plan(Self.order)
    #expect(
      Self.lines(try World(.memory, plan).report(#"[{"id":1,"x":1}]"#, options: .dry)) == ["Order.x 1 $[0].x"]
    )
  }

  @Test func anObjectThatIsReadTwiceInAStreamCountsOnce() throws {
    let plan = try Self.plan(Self.order)
    let rows = (0..<50).map {
      #"{"id":\#($0),"x":"\#(String(repeating: "y", count: $0))","lines":[{"n":1}]}"#
    }
    for size in [1, 3, 64] {
      let report = try World(.memory, plan).report("[" + rows.joined(separator: ",") + "]", inChunksOf: size)
      #expect(Self.lines(report) == ["Order.lines[].n 50 $[0].lines[0].n", "Order.x 50 $[0].x"])
    }
  }

  @Test func manyNamesTakeLittleMemoryAndAreCountedTogether() throws {
    let plan = try Self.plan(Self.order)
    let rows = (0..<300).map { row in
      "{\"id\":\(row)," + (0..<10).map { "\"x\(row)_\($0)\":1" }.joined(separator: ",") + "}"
    }
    let report = try World(.memory, plan).report("[" + rows.joined(separator: ",") + "]")
    #expect(report.unread.count == 100)
    #expect(report.unread.allSatisfy { $0.objects == 1 })
    #expect(report.moreUnread == 2900)
    let long = String(repeating: "l", count: 300)
    let other = try World(.memory, plan).report(#"{"id":1,"\#(long)":1,"x":1}"#)
    #expect((other.unread.map(\.member), other.moreUnread) == (["Order.x"], 1))
  }

  /// Objects with unread members in any order, with escapes and whitespace, have the counts of the tree.
  @Test func aTextHasTheCountsOfItsTree() throws {
    var random = Random(for: "UnreadMemberTests")
    let plan = try Self.plan(Self.order)
    let names = [
      "a", "bb", #"c\""#, #"d\\"#, #"e"#, "é", "meta", "name", "sku", "tag", "customer", "items", "lines",
    ]
    for _ in 0..<TestSize.count(small: 200, whole: 5000) {
      func value(_ depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 3 ? 3 : 6), using: &random) {
        case 0: return "1.5"
        case 1: return #""x,\"y""#
        case 2: return "null"
        case 3: return "[" + (0..<2).map { _ in value(depth + 1) }.joined(separator: ", ") + "]"
        default: return object(depth + 1)
        }
      }
      func object(_ depth: Int) -> String {
        let chosen = names.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
        let space = Bool.random(using: &random) ? " " : ""
        let members = chosen.map { name in
          let written = name == "a" && Bool.random(using: &random) ? #"\u0061"# : name
          return "\"\(written)\"\(space):\(space)\(value(depth))"
        }
        return "{\(space)" + members.joined(separator: space + "," + space) + "}"
      }
      let json = "[" + (0..<4).map { _ in object(0) }.joined(separator: ",") + "]"
      let options = ImportOptions(faults: .skip)
      let text = try World(.memory, plan).report(json, options: options)
      let chunks = try World(.memory, plan).report(json, inChunksOf: 9, options: options)
      try Array(json.utf8).withUnsafeBytes { bytes in
        let document = try JSONDocument(parsing: bytes)
        let tree = try Mapper(World(.memory, plan).store).importJSON(document, as: plan, options: options)
        #expect(Self.lines(text) == Self.lines(tree), "\(json)")
        #expect(Self.lines(chunks) == Self.lines(tree), "\(json)")
      }
    }
  }

  // MARK: The mapping

  @Test(
    arguments: [
      (
        #"["id"]"#,
        #"$.mappings.Order.ignores[0]: expected a member that no field reads, found "id", which "id" reads"#
      ),
      (
        #"["x", "meta"]"#,
        #"$.mappings.Order.ignores[1]: expected a member that no field reads, found "meta", which "tag" reads"#
      ),
      (
        #"["customer.phone"]"#,
        #"$.mappings.Order.ignores[0]: expected a member that no field reads, found "customer.phone", which "customer" reads"#
      ),
      (#"["x", "x"]"#, #"$.mappings.Order.ignores[1]: "x" is ignored twice"#),
      (#"["x[]"]"#, #"$.mappings.Order.ignores[0]: expected the key path of a member, found "x[]""#),
      (
        #"["@root.x"]"#, #"$.mappings.Order.ignores[0]: expected a member inside the object, found "@root.x""#
      ),
      (#"[7]"#, #"$.mappings.Order.ignores[0]: expected a string, found the number 7"#),
      (#""x""#, #"$.mappings.Order.ignores: expected true or an array of key paths, found the string "x""#),
    ])
  func anIgnoredMemberIsOneThatNoFieldReads(_ ignores: String, _ fault: String) {
    #expect(message { _ = try Self.plan(Self.order(#""ignores": \#(ignores)"#)) } == fault)
  }

  @Test func mappingsInSwiftIgnoreMembers() throws {
    func order(_ ignores: [JSONKeyPath]) -> Mapping<Record> {
      Mapping("Order", primaryKey: "id", ignores: ignores) {
        Attribute("id", .integer)
        Attribute("tag", .string, at: "meta.tag")
      }
    }
    let json = #"{"id":1,"x":1,"y":1,"meta":{"etag":1}}"#
    let some = try World(.memory, order(["x", "meta.etag"])).report(json)
    #expect(Self.lines(some) == ["Order.y 1 $.y"])
    #expect(try World(.memory, order([.wholeValue]).lenient).report(json).unread == [])
  }

  // MARK: Strict

  @Test(arguments: StoreKind.allCases)
  func aStrictImportTakesAnUnreadMemberForAFault(_ kind: StoreKind) throws {
    let plan = try Self.plan(Self.order)
    var options = ImportOptions()
    options.refusesUnread = true
    let json = #"[{"id":1},{"id":2,"meta":{"etag":1}},{"id":3,"cutsomer":{"id":7}}]"#
    let world = try World(kind, plan)
    #expect(
      world.failure(of: json, options: options)
        == #"$[1].meta.etag: no field of the mapping "Order" reads this member; did you mean "tag"? (line 1, column 34)"#
    )
    #expect(try world.dump() == "")
    options.faults = .skip
    let report = try world.report(json, options: options)
    #expect(
      report.errors.map(\.description) == [
        #"$[1].meta.etag: no field of the mapping "Order" reads this member; did you mean "tag"? (line 1, column 34)"#,
        #"$[2].cutsomer: no field of the mapping "Order" reads this member; did you mean "customer"? (line 1, column 57)"#,
      ])
    #expect(Self.lines(report) == ["Order.cutsomer 1 $[2].cutsomer", "Order.meta.etag 1 $[1].meta.etag"])
    #expect(try world.dump() == "Order 1")
  }

  @Test func aStrictImportTakesIgnoredMembersRestsAndReferences() throws {
    var options = ImportOptions()
    options.refusesUnread = true
    let ignoring = try Self.plan(Self.order(#""ignores": ["x", "meta.etag"]"#, customer: #""ignores": true"#))
    let json = #"[{"id":1,"x":1,"meta":{"etag":1},"customer":{"id":7,"y":1}}]"#
    #expect(try World(.memory, ignoring).load(json, options: options) == "Order +1, Customer +1")
    let kinds = try Self.plan(Self.kinds, "Animal")
    #expect(
      try World(.memory, kinds).failure(of: #"[{"id":1,"type":"cat","barks":true}]"#, options: options)
        == #"$[0].barks: no field of the mapping "Cat" reads this member (line 1, column 31)"#)
  }
}
