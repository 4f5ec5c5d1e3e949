import FastMapCore
import TestSupport
import Testing

/// Owned objects of the entity that is exported stand inside of their owners alone, so that an export comes back as it was.
@Suite struct SerializerOwnedTests {
  private static let comment: Mapping<Record> = Mapping("Comment") {
    Attribute("text", .string)
    ToMany("replies", comment)
  }

  private static let keyed: Mapping<Record> = Mapping("Part", primaryKey: "id", missingPrimaryKey: .owned) {
    Attribute("id", .integer)
    Attribute("text", .string)
    ToMany("parts", keyed)
    ToOne("main", keyed)
  }

  private static let outer: Mapping<Record> = Mapping("Outer") {
    Attribute("text", .string)
    ToOne("inner", inner)
  }
  private static let inner: Mapping<Record> = Mapping("Inner") { ToMany("outers", outer) }

  @Test(
    arguments: StoreKind.allCases,
    [
      (
        comment,
        #"[{"text":"r","replies":[{"text":"k","replies":[{"text":"kk"}]},{"text":"l"}]},{"text":"s"}]"#
      ),
      (
        keyed,
        #"[{"id":1,"parts":[{"text":"a","parts":[{"text":"b"}]},{"id":2}],"main":{"text":"c"}},{"id":2},{"text":"d"}]"#
      ),
      (
        outer,
        #"[{"text":"a","inner":{"outers":[{"text":"b"},{"text":"c","inner":{"outers":[{"text":"d"}]}}]}}]"#
      ),
    ] as [(Mapping<Record>, String)])
  func anExportWithOwnedObjectsComesBack(_ kind: StoreKind, _ test: (Mapping<Record>, String)) throws {
    let (mapping, text) = test
    let store = try kind.make(text, as: mapping)
    let export = try store.exported(mapping)
    #expect(export == text)
    let second = try kind.make(export, as: mapping)
    #expect(try second.exported(mapping) == text)
  }

  /// Nothing could stand for it, and to leave it out would lose a link.
  @Test(arguments: StoreKind.allCases)
  func anObjectInsideOfItselfWhoseKeyIsMadeOfTheWholeIsAnError(_ kind: StoreKind) throws {
    let store = try kind.make()
    _ = try Mapper(store).importJSON(
      #"[{"a":"x","links":[{"a":"y","links":[{"a":"x"}]}]}]"#, as: Node.mapping)
    let error = #expect(throws: ExportError.self) { try store.exported(Node.mapping) }
    #expect(
      error?.description.contains("an object of Node contains itself and cannot be written as its key")
        == true,
      "\(String(describing: error))")
  }
}

private final class Node {
  var id = ""
  var a: String?
  var links: [Node] = []

  static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: Node.init) {
    Attribute(
      "id", \.id, at: .wholeValue,
      transform: Transform<String>(reading: { .value("key-" + ($0["a"]?.string ?? "?")) }))
    Attribute("a", \.a)
    ToMany("links", \.links, Node.mapping)
  }
}
