import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Random imports: their changes beside all objects, read before and after.
@Suite struct ChangeModelTests {
  /// The objects with a key, `Order 3`, with their fields as text.
  private static func objects(_ world: World) throws -> [String: [String: String]] {
    let schema = world.plan().schema
    return try world.store.read(world.plan()) { snapshot in
      var records: [String: [ObjectID: Record]] = [:]
      for entity in schema.entities {
        for record in try snapshot.records(entity.name) {
          records[entity.name, default: [:]][record.id] = record
        }
      }
      func fields(_ record: Record) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in record.values where value != .null { texts[name] = "\(value)" }
        for entity in schema.entities where entity.name == record.entity {
          for field in entity.fields {
            guard let target = field.kind.target else { continue }
            let text = record.targets(field.name).map { id in
              let found = records[schema.entities[target.entity].name]?[id]
              return found?.key.map { "\($0)" } ?? found.map { "\(fields($0).sorted { $0.key < $1.key })" }
                ?? "?"
            }
            if !text.isEmpty { texts[field.name] = text.joined(separator: ",") }
          }
        }
        return texts
      }
      var objects: [String: [String: String]] = [:]
      for record in records.values.joined().map(\.value) {
        if let key = record.key { objects["\(record.entity) \(key)"] = fields(record) }
      }
      return objects
    }
  }

  private static func difference(
    _ before: [String: [String: String]], _ after: [String: [String: String]]
  ) -> Set<String> {
    var lines: Set<String> = []
    for (object, fields) in after {
      guard let old = before[object] else {
        lines.insert("inserted \(object)")
        continue
      }
      let names = Set(fields.keys).union(old.keys).filter { fields[$0] != old[$0] }.sorted()
      if !names.isEmpty { lines.insert("updated \(object) \(names)") }
    }
    for object in before.keys where after[object] == nil { lines.insert("deleted \(object)") }
    return lines
  }

  private static func order(_ random: inout Random) -> String {
    var members = ["\"id\":\(random.next(6))"]
    func add(_ name: String, _ random: inout Random, _ value: (inout Random) -> String) {
      if random.next(4) == 0 {
        members.append("\"\(name)\":\(random.next(5) == 0 ? "null" : value(&random))")
      }
    }
    func list(_ random: inout Random, _ element: (inout Random) -> String) -> String {
      "[" + (0..<random.next(4)).map { _ in element(&random) }.joined(separator: ",") + "]"
    }
    add("total", &random) { "\($0.next(3))" }
    add("customer", &random) { "{\"code\":\"\($0.next(3))\",\"name\":\"\($0.next(3))\"}" }
    add("lines", &random) { list(&$0) { "{\"n\":\($0.next(3)),\"note\":{\"id\":\($0.next(4))}}" } }
    add("parts", &random) { list(&$0) { "{\"nr\":\($0.next(3)),\"w\":\($0.next(2))}" } }
    add("notes", &random) { list(&$0) { "{\"id\":\($0.next(4)),\"text\":\"\($0.next(2))\"}" } }
    add("friends", &random) { list(&$0) { "\($0.next(6))" } }
    add("home", &random) {
      "{\"city\":\"\($0.next(2))\",\"door\":{\"nr\":\($0.next(2)),\"note\":{\"id\":\($0.next(4))}}}"
    }
    if random.next(8) == 0 { members.append("\"gone\":true") }
    return "{" + members.joined(separator: ",") + "}"
  }

  @Test(arguments: StoreKind.allCases)
  func theChangesAreTheDifferenceOfAllObjects(_ kind: StoreKind) throws {
    var random = Random(for: "ChangeModelTests")
    for _ in 0..<TestSize.count(small: 5, whole: 100) {
      let world = try World(kind, try MappingSet(file: ChangeTests.file).plan(for: "Order"))
      for _ in 0..<10 {
        let json =
          "[" + (0..<1 + random.next(8)).map { _ in Self.order(&random) }.joined(separator: ",") + "]"
        let options = ImportOptions(
          replaces: random.next(4) == 0 ? .all : nil, batchSize: [nil, 1, 2][random.next(3)])
        let before = try Self.objects(world)
        let found = Collector<String>()
        var told = options
        told.onChange = { change in
          let names = change.kind == .updated ? " \(change.fields.map(\.name).sorted())" : ""
          found.add("\(change.kind) \(change.entity) \(change.key.map { "\($0)" } ?? "-")\(names)")
        }
        _ = try world.report(json, options: told)
        let expected = Self.difference(before, try Self.objects(world))
        #expect(Set(found.all) == expected, "\(json)")
        #expect(found.all.count == expected.count, "\(json)")
      }
    }
  }
}
