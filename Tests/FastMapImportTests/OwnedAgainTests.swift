import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Owned to-one targets that their owners lose and get again in one payload. The old object was deleted, so nothing of it remains.
@Suite struct OwnedAgainTests {
  private static let ink = Mapping("Ink") {
    Attribute("c", .integer)
    Attribute("d", .integer)
  }
  private static let stamp = Mapping("Stamp") {
    Attribute("at", .integer)
    Attribute("by", .integer)
    Attribute.rest("more")
    ToOne("ink", ink)
    ToMany("inks", ink)
  }
  private static let page = Mapping("Page", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("stamp", stamp)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    /// The values of the member, in one payload; nil for no member.
    var stamps: [String?]
    var export: String
    var testDescription: String { stamps.map { $0 ?? "-" }.joined(separator: " ") }

    init(_ stamps: String?..., export: String) { (self.stamps, self.export) = (stamps, export) }
  }

  static let cases = [
    Case(#"{"at":1}"#, "null", #"{"by":2}"#, export: #"{"by":2}"#),
    Case("null", #"{"by":2}"#, export: #"{"by":2}"#),
    Case(#"{"at":1}"#, nil, #"{"by":2}"#, export: #"{"at":1,"by":2}"#),
    Case(#"{"at":1}"#, "null", #"{"by":2}"#, nil, #"{"at":3}"#, export: #"{"at":3,"by":2}"#),
    Case(
      #"{"at":1}"#, "null", #"{"by":2}"#, "null", #"{"at":3}"#, "null", #"{"x":4}"#, export: #"{"x":4}"#),
    Case(#"{"at":1,"x":1}"#, "null", #"{"y":2}"#, #"{"by":5,"z":1}"#, export: #"{"y":2,"z":1,"by":5}"#),
    Case(
      #"{"at":1,"ink":{"c":1},"inks":[{"c":1}]}"#, "null", #"{"by":2,"ink":{"d":1}}"#,
      export: #"{"by":2,"ink":{"d":1}}"#),
    Case(
      #"{"at":1,"ink":{"c":1}}"#, #"{"ink":null}"#, #"{"ink":{"d":2}}"#,
      export: #"{"at":1,"ink":{"d":2}}"#),
    Case(
      #"{"ink":{"c":1}}"#, "null", #"{"ink":{"d":2}}"#, #"{"ink":{"c":3}}"#,
      export: #"{"ink":{"c":3,"d":2}}"#),
    Case(#"{"at":1}"#, "null", #"{"by":2}"#, "null", export: "null"),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 5), [nil, #"{"at":9,"x":9,"ink":{"c":9,"d":9}}"#])
  func aTargetThatComesBackIsAFreshOne(_ on: (StoreKind, Case), stored: String?) throws {
    let (kind, example) = on
    // A first payload that leaves the stamp as it is has nothing to forget.
    if stored != nil, example.stamps[0] != "null", !example.stamps[0...1].contains("null") { return }
    let payload = example.stamps.map { #"{"id":1\#($0.map { #","stamp":\#($0)"# } ?? "")}"# }
    let export = example.export == "null" ? #"[{"id":1}]"# : #"[{"id":1,"stamp":\#(example.export)}]"#
    for size in [1, 2, 3, 100] {
      for commits in [nil, 2] as [Int?] {
        let world = try World(kind, Self.page)
        if let stored { try world.load(#"{"id":1,"stamp":\#(stored)}"#) }
        var options = ImportOptions()
        (options.batchSize, options.commitInterval) = (size, commits)
        let text = "[\(payload.joined(separator: ","))]"
        try world.load(text, options: options)
        try #expect(world.export() == export, "\(size) \(commits ?? 0)")
        let counts = try world.store.read(world.plan()) { snapshot in
          try ["Stamp", "Ink"].map { try snapshot.count(of: $0) }
        }
        #expect(counts[0] == (example.export == "null" ? 0 : 1), "\(size) \(commits ?? 0)")
        try world.load(text, options: options)
        try #expect(world.export() == export, "again, \(size) \(commits ?? 0)")
      }
    }
  }
}
