import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Fields that are new to a store, and read members that its objects keep in a rest.
@Suite struct NewFieldTests {
  /// A mapping with a rest, and others.
  static func plan(_ attributes: String, _ more: String = "", others: String = "") throws -> Plan {
    let attributes = (attributes.isEmpty ? "" : attributes + ", ") + #""id": "integer", "rest": "rest""#
    return try MappingSet(
      file:
        #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {\#(attributes)}\#(more)}\#(others)}}"#
    ).plan(for: "A")
  }

  /// The attributes of all objects: `1 n=5 rest={"x":1}`.
  static func show(_ plan: Plan, _ snapshot: inout Snapshot) throws -> [String] {
    let fields = plan.schema.entities[0].fields.filter { $0.kind.target == nil && $0.name != "id" }
    return try snapshot.records(plan).map { record in
      let values = fields.sorted { $0.name < $1.name }.compactMap { field in
        record[field.name].map { "\(field.name)=\(text(of: $0))" }
      }
      return ([record.key.map { "\($0)" } ?? "?"] + values).joined(separator: " ")
    }
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .json(let text), .string(let text): text
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .date(let date): "@\(date.seconds)"
    default: "\(value)"
    }
  }

  /// As a reading command shows it.
  static func shown(_ plan: Plan, _ store: some Store) throws -> [String] {
    try store.readWithRests(plan) { try show(plan, &$0) }
  }

  static func stored(_ plan: Plan, _ store: some Store) throws -> [String] {
    try store.read(plan) { try show(plan, &$0) }
  }

  @discardableResult
  static func load(
    _ json: String, _ plan: Plan, _ store: any Store, _ options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try Mapper(store).importJSON(json, as: plan, options: options)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var old = ""
    var new: String
    /// The members of objects with the keys 1, 2, …
    var members: [String]
    var rows: [String]
    var testDescription: String { new }
  }

  static let cases = [
    Case(
      new: #""n": "integer""#, members: [#""n":5,"x":1"#, #""n":"abc""#, "", #""x":2"#],
      rows: [#"1 n=5 rest={"x":1}"#, #"2 rest={"n":"abc"}"#, "3", #"4 rest={"x":2}"#]),
    Case(
      new: #""n": {"type": "integer", "lenient": true}"#, members: [#""n":"12""#, #""n":"x""#],
      rows: ["1 n=12", #"2 rest={"n":"x"}"#]),
    Case(
      new: #""n": "decimal", "m": "number""#, members: [#""m":1.5,"n":1.50"#, #""m":1,"n":1e9"#],
      rows: ["1 m=1.5 n=1.50", "2 m=1.0 n=1e9"]),
    Case(
      new: #""d": "date", "s": "string", "b": "boolean""#,
      members: [#""b":true,"d":"1970-01-01T00:00:05Z","s":"a""#, #""b":1,"d":"soon","s":7"#],
      rows: ["1 b=true d=@5 s=a", #"2 rest={"b":1,"d":"soon","s":7}"#]),
    Case(
      new: #""l": ["string"], "j": "json""#,
      members: [#""j":{"a":[1.0]},"l":["a","b"]"#, #""j":1E400,"l":[1]"#],
      rows: [#"1 j={"a":[1.0]} l=["a","b"]"#, #"2 j=1E400 rest={"l":[1]}"#]),
    Case(
      old: #""city": {"type": "string", "keyPath": "address.city"}"#,
      new:
        #""city": {"type": "string", "keyPath": "address.city"}, "zip": {"type": "string", "keyPath": "address.zip"}"#,
      members: [#""address":{"city":"C","zip":"Z"}"#, #""address":{"zip":1,"nr":2}"#],
      rows: ["1 city=C zip=Z", #"2 rest={"address":{"nr":2,"zip":1}}"#]),
    Case(
      new: #""n": {"type": "integer", "default": 7}"#, members: [#""n":5"#, "", #""n":"x""#],
      rows: ["1 n=5", "2 n=7", #"3 n=7 rest={"n":"x"}"#]),
    Case(
      new: #""n": {"type": "integer", "keyPath": "m.n"}, "m": {"type": "json", "keyPath": "k"}"#,
      members: [#""k":[1],"m":{"n":1}"#, #""m":2"#], rows: ["1 m=[1] n=1", #"2 rest={"m":2}"#]),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aNewFieldHasTheValuesThatARestHolds(_ kind: StoreKind, _ example: Case) throws {
    let (store, old, new) = (try kind.make(), try Self.plan(example.old), try Self.plan(example.new))
    let objects = example.members.enumerated().map { #"{"id":\#($0 + 1)\#($1.isEmpty ? "" : ",")\#($1)}"# }
    try Self.load("[\(objects.joined(separator: ","))]", old, store)
    // Reading commands read it from there before a write has declared it.
    try #expect(Self.shown(new, store) == example.rows)
    let report = try Self.load("[]", new, store)
    try #expect(Self.stored(new, store) == example.rows)
    try #expect(Self.shown(new, store) == example.rows)
    #expect(report.isUnchanged && !report.notes.isEmpty)
    try #expect(Self.load("[]", new, store).notes == [])
  }

  @Test(arguments: StoreKind.allCases)
  func theReportAndAnExportNameTheFieldsWhoseValuesStay(_ kind: StoreKind) throws {
    let others = #", "B": {"primaryKey": "id", "attributes": {"id": "integer"}}"#
    let (old, new) = (
      try Self.plan("", others: others),
      try Self.plan(#""n": "integer""#, #", "relationships": {"b": {"mapping": "B"}}"#, others: others)
    )
    let store = try kind.make()
    try Self.load(#"[{"id":1,"n":"x","b":{"id":2}},{"id":2,"n":3},{"id":3,"n":4}]"#, old, store)
    let left = [
      "A.n cannot take the members that 1 object kept before; these stay, and their export needs the older mapping",
      "A.b cannot take the members that 1 object kept before; these stay, and their export needs the older mapping",
    ]
    try #expect(store.membersLeftInRests(of: new) == left)
    let report = try Self.load("[]", new, store)
    #expect(report.notes == ["A.n has 2 values that no field read before"] + left)
    try #expect(store.membersLeftInRests(of: new) == left)
    try #expect(Self.stored(new, store).first == #"1 rest={"b":{"id":2},"n":"x"}"#)
    try #expect(store.exported(old).contains(#""n":"x""#))
    // A payload has the members.
    try Self.load(#"{"id":1,"b":2}"#, new, store)
    try #expect(Self.stored(new, store).first == #"1 rest={"n":"x"}"#)
    try #expect(store.membersLeftInRests(of: new) == [left[0]])
    try Self.load(#"[{"id":1},{"id":1,"n":null}]"#, new, store)
    try #expect(Self.stored(new, store).first == "1")
    try #expect(store.membersLeftInRests(of: new) == [])
  }

  @Test(arguments: StoreKind.allCases)
  func filtersSortsAndGroupsSeeAFieldBeforeItsFirstWrite(_ kind: StoreKind) throws {
    let new = try Self.plan(#""n": "integer""#, #", "indexes": [["n"]]"#)
    let store = try kind.make()
    let json = (1...300).map { #"{"id":\#($0),"n":\#($0 % 7)}"# }.joined(separator: ",")
    try Self.load("[\(json)]", try Self.plan(""), store)
    for isDeclared in [false, true] {
      if isDeclared { try Self.load("[]", new, store) }
      try store.readWithRests(new) { snapshot in
        try #expect(snapshot.count(new.where(Filter("@.n == 3"))) == 43)
        try #expect(snapshot.count(new.where(Filter("@.n > 3 && @.id <= 14"))) == 6)
        try #expect(snapshot.count(new.where(Filter("!@.rest"))) == 300)
        let sorted = new.sorted(by: "n", descending: true).limit(2)
        try #expect(snapshot.records(sorted).map { $0["id"] } == [6, 13])
        try #expect(snapshot.record("A", key: 5)?["n"] == 5)
        try #expect(snapshot.records(new.keys(10..<12)).map { $0["n"] } == [3, 4])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aNewAgeCountsBeforeVerdicts(_ kind: StoreKind) throws {
    let store = try kind.make()
    try Self.load(#"[{"id":1,"v":5,"x":1},{"id":2,"v":2,"x":1}]"#, try Self.plan(""), store)
    let new = try Self.plan(#""v": "integer""#, #", "newerBy": "v""#)
    let report = try Self.load(#"[{"id":1,"v":3,"x":2},{"id":2,"v":3,"x":2}]"#, new, store)
    #expect(summary(report) == "A ~1 <1")
    try #expect(Self.stored(new, store) == [#"1 rest={"x":1} v=5"#, #"2 rest={"x":2} v=3"#])
  }

  @Test(arguments: StoreKind.allCases)
  func aWriteThatFailsMovesNothingAndTheNextOneMovesAll(_ kind: StoreKind) throws {
    let new = try Self.plan(#""n": "integer""#)
    let store = try kind.make()
    try Self.load(#"[{"id":1,"n":5},{"id":2,"n":6}]"#, try Self.plan(""), store)
    #expect(throws: MappingError.self) { try Self.load(#"[{"id":1,"n":"x"}]"#, new, store) }
    try #expect(Self.shown(new, store) == ["1 n=5", "2 n=6"])
    try #expect(Self.stored(try Self.plan(""), store) == [#"1 rest={"n":5}"#, #"2 rest={"n":6}"#])
    try Self.load(#"[{"id":1,"n":7}]"#, new, store)
    try #expect(Self.stored(new, store) == ["1 n=7", "2 n=6"])
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletionIsAFirstWriteToo(_ kind: StoreKind) throws {
    let new = try Self.plan(#""n": "integer""#)
    let store = try kind.make()
    try Self.load(#"[{"id":1,"n":5},{"id":2,"n":6},{"id":3}]"#, try Self.plan(""), store)
    try #expect(store.delete(new.where(Filter("@.n == 5"))).total == 1)
    try #expect(Self.stored(new, store) == ["2 n=6", "3"])
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveLeavesTheValuesToTheNextImport(_ kind: StoreKind) throws {
    let new = try Self.plan(#""n": "integer""#)
    let store = try kind.make()
    try Self.load(#"[{"id":1,"n":5},{"id":2,"n":6}]"#, try Self.plan(""), store)
    let context = try ObjectContext(store, for: new)
    let record = try #require(try context.record("A", key: 2))
    record["n"] = 8
    try context.save()
    try #expect(Self.shown(new, store) == ["1 n=5", "2 n=8"])
    try Self.load("[]", new, store)
    try #expect(Self.stored(new, store) == ["1 n=5", "2 n=8"])
  }

  @Test(arguments: StoreKind.allCases)
  func objectsGetTheKindsThatARestHolds(_ kind: StoreKind) throws {
    let old = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Item": {"primaryKey": "id", "attributes": {"id": "integer", "rest": "rest"}}}}
        """#
    ).plan(for: "Item")
    let new = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Item": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"book": "Book", "film": "Film"}}},
          "Book": {"entity": "Item", "primaryKey": "id",
            "attributes": {"id": "integer", "pages": "integer", "rest": "rest"}},
          "Film": {"entity": "Item", "primaryKey": "id",
            "attributes": {"id": "integer", "length": "integer", "rest": "rest"}}}}
        """#
    ).plan(for: "Item")
    let store = try kind.make()
    let json =
      #"[{"id":1,"type":"book","pages":5,"length":1},{"id":2,"type":"film","length":"x"},{"id":3,"type":"song"},{"id":4,"a":1}]"#
    try Self.load(json, old, store)
    let rows = [
      #"1 kind=Book pages=5 rest={"length":1} type=book"#, #"2 kind=Film rest={"length":"x"} type=film"#,
      #"3 rest={"type":"song"}"#, #"4 rest={"a":1}"#,
    ]
    try #expect(Self.shown(new, store) == rows)
    let report = try Self.load("[]", new, store)
    try #expect(Self.stored(new, store) == rows)
    #expect(report.notes.count == 5, "\(report.notes)")
    // A change of kind moves values likewise.
    try Self.load(#"[{"id":1,"type":"film"}]"#, new, store)
    try #expect(Self.stored(new, store).first == "1 kind=Film length=1 type=film")
  }

  /// Walks through versions of a mapping, beside a model.
  @Test(arguments: StoreKind.allCases)
  func noValueIsLostThroughVersionsOfAMapping(_ kind: StoreKind) throws {
    var random = Random(for: "noValueIsLostThroughVersionsOfAMapping")
    for _ in 0..<(kind == .postgres ? 2 : 8) {
      var walk = try Walk(kind)
      try walk.run(&random)
    }
  }

  private struct Walk {
    let store: any Store
    /// The members that are fields, and members that were and are sent no more.
    var fields: Set<String> = []
    var retired: Set<String> = []
    /// By object and member, the JSON of its field, and of its rest.
    var values: [Int: [String: String]] = [:]
    var rests: [Int: [String: String]] = [:]

    static let types = ["a": "integer", "b": "string", "c": "json", "d": "boolean", "e": "decimal"]

    init(_ kind: StoreKind) throws { store = try kind.make() }

    func fits(_ json: String, _ name: String) -> Bool {
      switch name {
      case "a": json.allSatisfy(\.isNumber)
      case "b": json.hasPrefix("\"")
      case "d": json == "true"
      case "e": json.first?.isNumber ?? false
      default: true
      }
    }

    var plan: Plan {
      get throws {
        try NewFieldTests.plan(
          fields.sorted().map { #""\#($0)": "\#(Self.types[$0] ?? "")""# }.joined(separator: ", "))
      }
    }

    var rows: [String] {
      values.keys.sorted().map { id in
        var parts = values[id, default: [:]].filter { fields.contains($0.key) }
          .map { "\($0)=\($0 == "b" ? $1.filter { $0 != "\"" } : $1)" }
        let rest = rests[id, default: [:]].sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }
        if !rest.isEmpty { parts.append("rest={\(rest.joined(separator: ","))}") }
        return (["\(id)"] + parts.sorted()).joined(separator: " ")
      }
    }

    /// A member becomes a field, or a field goes.
    mutating func change(_ random: inout Random) {
      if let gone = fields.sorted().first, random.next(3) == 0 {
        fields.remove(gone)
        retired.insert(gone)
        return
      }
      let others = Self.types.keys.filter { !fields.contains($0) && !retired.contains($0) }.sorted()
      guard !others.isEmpty else { return }
      let name = others[random.next(others.count)]
      fields.insert(name)
      for id in rests.keys {
        guard let json = rests[id]?[name], fits(json, name) else { continue }
        values[id, default: [:]][name] = json
        rests[id]?[name] = nil
      }
    }

    mutating func payload(_ random: inout Random) -> String {
      let objects = (0..<random.next(6)).map { _ in
        let id = random.next(8)
        values[id, default: [:]] = values[id] ?? [:]
        var members = ["\"id\":\(id)"]
        for name in Self.types.keys.sorted() where !retired.contains(name) && random.next(2) == 0 {
          let json = ["1", "2", "\"x\"", "\"y\"", "true", "null"][random.next(6)]
          let isField = fields.contains(name)
          if isField, json != "null", !fits(json, name) { continue }
          members.append("\"\(name)\":\(json)")
          rests[id]?[name] = nil
          if isField {
            values[id]?[name] = json == "null" ? nil : json
          } else if json != "null" {
            rests[id, default: [:]][name] = json
          }
        }
        return "{\(members.joined(separator: ","))}"
      }
      return "[\(objects.joined(separator: ","))]"
    }

    mutating func run(_ random: inout Random) throws {
      for _ in 0..<14 {
        if random.next(2) == 0 {
          change(&random)
          try #expect(NewFieldTests.shown(plan, store) == rows)
        }
        let json = payload(&random)
        let options = ImportOptions(batchSize: random.next(2) == 0 ? 1 : nil)
        _ = try NewFieldTests.load(json, plan, store, options)
        try #expect(NewFieldTests.shown(plan, store) == rows, "\(json)")
      }
      if let store = store as? any PersistentStore { try #expect(store.check().problems == []) }
    }
  }
}
