import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

/// `fastmap swift`: the classes of this folder are its output, and the tests import with them.
@Suite struct GeneratedTests {
  private static let here = Files.root + "/Tests/FastMapToolTests/Generated/"

  private static func text(_ path: String) throws -> String {
    String(decoding: try Files.bytes(of: path), as: UTF8.self)
  }

  @Test(arguments: [
    (here + "Mappings/shop.json", "Shop", ""),
    (here + "Mappings/hostile.json", "Hostile", "Hostile"),
    (here + "Mappings/events.json", "Events", "Events"),
  ])
  func theClassesOfThisFolderAreTheOutputOfTheTool(mappings: String, file: String, namespace: String) throws {
    let options = namespace.isEmpty ? [] : ["--namespace", namespace]
    let run = try Workspace().run([FastMapTool.path, "swift", "--mappings", mappings] + options)
    #expect(run.errors == "")
    #expect(run.output == (try Self.text(Self.here + file + ".swift")))
  }

  // MARK: Imports

  /// The dump of a store after some imports, and the reports. An import that fails counts with its error.
  private static func result(_ imports: [(plan: Plan, json: String)]) throws -> (
    dump: String, reports: [String]
  ) {
    let scratch = Scratch()
    let store = try LMDBStore(at: scratch.path("store"))
    var reports: [String] = []
    for (plan, json) in imports {
      do {
        let report = try Mapper(store).importJSON(json, as: plan)
        reports.append(
          plan.schema.entities.map { "\($0.name) \(report[$0.name].map { "\($0)" } ?? "")" }.joined())
      } catch {
        reports.append("\(error)")
      }
    }
    var dump: [UInt8] = []
    try store.dump { dump += $0 }
    return (String(decoding: dump, as: UTF8.self), reports)
  }

  /// Imports by the mappings of a file and by classes, and compares the stores.
  private func compare(
    _ mappings: String, _ classes: MappingSet, _ imports: [(mapping: String, json: String)]
  ) throws {
    let file = try MappingSet(file: try Files.bytes(of: Self.here + "Mappings/\(mappings).json"))
    let byFile = try Self.result(imports.map { (try file.plan(for: $0.mapping), $0.json) })
    let byClass = try Self.result(imports.map { (try classes.plan(for: $0.mapping), $0.json) })
    #expect(byFile.dump.split(separator: "\n").count > 10)
    #expect(byClass.dump == byFile.dump)
    #expect(byClass.reports == byFile.reports)
  }

  private static let customers = #"""
    {"data": {"customers": [
      {"id": 1, "user_name": "Ada", "contact": {"e.mail": 7}, "address": {"city": "Bern"}, "is_active": null,
       "seen": 12.5, "updated_at": 1600000000000, "labels": [{"name": "red"}, {"x": 1}, {"name": null}],
       "position": [51.5, -0.12], "avatar": "AAE=", "extra": [1.50, {"b": null}], "account": "main", "boss_id": 9,
       "orders": [{"number": "A1", "placed": "2020-01-02T03:04:05.25Z", "total": 19.90, "tags": [], "rates": ["1.5", 2, 0.10],
                   "prices": [0.10, "1.50", 7], "flags": [true, false], "days": ["2020-01-02", "2020-01-02T00:00:00Z"],
                   "stock": [{"count": 1}, {}, {"count": 9223372036854775807}], "moments": [1, 2.5], "blobs": ["AAE=", ""],
                   "lines": [{"position": 1, "quantity": 2, "product": {"sku": 7, "price": "2.50"}},
                             {"position": 2, "product": "x"}]},
                  "A2"],
       "friends": [2, 3], "plugins": {"git": {"version": "5"}, "maven": {}},
       "notes": [{"text": "a", "x": 0.10}, {"id": 4, "text": "b", "y": {"z": null}, "body": {"w": 1}}, {"text": "a"}, {}],
       "wish": ""},
      {"id": 2, "born": "1815-12-10", "role": "admin", "extra": "x", "orders": ["A2"], "wish": {"sku": "x", "name": 3},
       "plugins": null, "notes": {}},
      {"id": 3, "user_name": null, "score": null, "friends": [1, 1], "is_active": false, "updated_at": 5}
    ]}}
    """#

  private static let later = #"""
    {"data": {"customers": [
      {"id": 1, "user_name": "old", "updated_at": 1},
      {"id": 2, "orders": [], "friends": [3], "notes": [{"id": 4, "y": null, "v": [1E400]}, {"text": "n"}], "account": null},
      {"id": 9, "user_name": "Boss", "contact": {"e.mail": "7"}},
      {"id": 3, "orders": [{"number": "A3", "lines": [{"position": 1}, {"position": 1, "quantity": 3}]}]}
    ]}}
    """#

  @Test func eachFormOfMappingIsStoredAsByItsMappingFile() throws {
    let stock =
      #"{"stock": [{"items": [{"product": "x", "place": "a", "count": 1}, {"product": {"sku": "y"}, "place": "b"}]}, {}]}"#
    try compare(
      "shop", allMappings,
      [
        ("Customer", Self.customers), ("Customer", Self.customers),
        ("Customer", Self.later),  // two with one address
        ("Customer", Self.later.replacing(#", "contact": {"e.mail": "7"}"#, with: "")),
        ("CustomerCard", #"{"cards": [{"id": "5", "title": true}, {"title": "x"}]}"#), ("Stock", stock),
        ("Plugin", #"{"plugins": {"git": {"version": "6"}, "ant": {}}}"#),
        ("Flight", #"{"states": [["3c6444", "DLH9LF", 1e2], ["4b1806"]]}"#),
        ("Order", #"{"number": "A1", "lines": []}"#),
        ("Order", #"{"number": 1}"#),  // a fault
        ("Order", #"{"number": "x", "tags": ["a", 1]}"#),  // and more
        ("Order", #"{"number": "x", "prices": [0.1, null]}"#),
        ("Order", #"{"number": "x", "days": ["2020-13-01"]}"#),
        ("Order", #"{"number": "x", "stock": [{"count": 1.5}]}"#),
        (
          "NoteBody",
          #"{"bodies": [{"id": "4", "body": {"text": "c", "u": 2}}, {"id": 5, "x": 1, "body": {}}]}"#
        ),
      ])
  }

  @Test func hostileNamesAreStoredAsByTheirMappingFile() throws {
    let json = #"""
      {"self": "k", "init": 1, "class": true, "user_name": "a", "userName": "b", "UserName": "c", "+1": 1, "-1": 2, "2fa": false,
       "😀": "d", "a.b": "e", "é": "f", "é": "g", "日本": "h", "*/ }": "i", "\\(1)": "j", "$0": 3, "_": 4, "mapping": "m",
       "Type": "n", "#if": "o", "name 2": "p", "name2": "q", "__": 5, "a\"b\\c\n\u0007\u202e": "r", "userIDs": [1],
       "default": {"self": "k2"}, "any": [{"Int": 1, "Double": 2}], "ow.ner": {"x": 7}}
      """#
    try compare(
      "hostile", Hostile.allMappings,
      [
        ("class", json), ("class_", #"["k", "k3"]"#), ("\n\0", #"[{"id": 1, "\t": "x"}]"#),
        ("Any", #"{"Any": 1}"#),
        ("Self", #"{"nil": 1}"#),
      ])
  }

  // MARK: Instances

  @Test func instancesHaveTheValuesOfThePayload() throws {
    let found = try Customer.mapping.objects(from: Self.customers)
    let ada = try #require(found.first)
    #expect(ada.userName == "Ada")
    #expect(ada.isActive == nil)
    #expect(ada.role == #"gu"est"#)
    #expect(ada.score == 5)
    #expect(ada.extra == JSONText(#"[1.50,{"b":null}]"#) || ada.extra == JSONText(#"[1.5,{"b":null}]"#))
    #expect(ada.avatar == [0, 1])
    #expect(ada.born == Timestamp(seconds: 946_684_800))
    #expect(ada.orders.map(\.number) == ["A1", "A2"])
    #expect(ada.orders[1].customers.map(\.id) == [1, 2])
    #expect(ada.orders[0].lines.map(\.product?.price) == [2.5, nil])
    #expect(ada.plugins.map(\.name) == ["git", "maven"])
    let order = ada.orders[0]
    #expect(order.total == "19.90" && order.tags == [] && order.counts == [1, nil, .max])
    #expect(
      order.rates == [1.5, 2, 0.1] && order.prices == ["0.10", "1.50", 7] && order.flags == [true, false])
    #expect(order.days?.map(\.seconds) == [1_577_923_200, 1_577_923_200] && order.blobs == [[0, 1], []])
    #expect(ada.orders[1].tags == ["new", "a\"b"])
    #expect(
      ada.notes.map(\.other) == [
        JSONText(#"{"x":0.10}"#), JSONText(#"{"body":{"w":1},"y":{"z":null}}"#), nil, nil,
      ])
  }

  // MARK: Faults

  @Test(arguments: [
    ("my shop", #"--namespace: expected the name of a type in Swift, such as MyShop, found "my shop""#),
    ("", #"--namespace: expected the name of a type in Swift, found """#),
    (
      "Mapping",
      #"--namespace: expected the name of a type in Swift, such as MappingNamespace, found "Mapping""#
    ),
    ("Self", #"--namespace: expected the name of a type in Swift, such as SelfNamespace, found "Self""#),
    ("Type", #"--namespace: expected the name of a type in Swift, such as TypeNamespace, found "Type""#),
    ("Error", #"--namespace: expected the name of a type in Swift, such as ErrorNamespace, found "Error""#),
    (
      "X{}",
      #"--namespace: expected the name of a type in Swift, such as X, found "X{}""#
    ),
  ])
  func aNamespaceIsTheNameOfAType(name: String, message: String) throws {
    let run = try Workspace().fastmap("swift", "--mappings", "mappings.json", "--namespace=\(name)")
    #expect(run.status == 2)
    #expect(run.complaints.first == "fastmap: " + message)
  }

  @Test func manyNamesThatCollideAreDistinct() throws {
    let workspace = try Workspace()
    let names = (0..<2000).map { number in
      "\"a" + String(number, radix: 2).map { $0 == "0" ? "-" : "." }.joined() + "\": \"string\""
    }
    try workspace.write(
      #"{"fastmap": 1, "mappings": {"X": {"attributes": {\#(names.joined(separator: ", "))}}}}"#,
      to: "many.json")
    let run = try workspace.fastmap("swift", "--mappings", "many.json")
    let properties = run.lines.filter { $0.hasPrefix("  var ") }
    #expect(Set(properties).count == 2000)
    #expect(properties.last == "  var a2000: String?")
  }
}
