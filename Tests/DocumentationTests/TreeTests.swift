// The blocks stand here as the page has them.
// swift-format-ignore-file
import CFastMapJansson
import FastMapCore
import FastMapMemory
import Testing

@Suite("YourOwnTrees.md", .printing)
struct TreeTests {
final class Person {
  var id = 0
  var name: String?

  static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

  @Test func aTreeIsAdoptedOrShared() throws {
    let mapper = Mapper(MemoryStore())
    let text = #"[{"id": 314, "name": "Ada"}, {"id": 7, "name": "Charles"}]"#
    guard let list = json_loads(text, 0, nil) else { return }
    let people = JSONDocument(unsafeAdopting: list)     // the reference is the document's now
    let report = try mapper.importJSON(people, as: Person.mapping)
    print(report.rootObjects)                           // 2

    let ada = json_object()
    json_object_set_new(ada, "id", json_integer(314))
    json_object_set_new(ada, "name", json_string("Ada Lovelace"))
    defer { json_decref(ada) }                          // yours, as before

    guard let ada else { return }
    let document = JSONDocument(unsafeSharing: ada)     // counts a reference of its own
    let person = try Person.mapping.object(from: document)
    print(person?.name ?? "nobody")                     // Ada Lovelace

    #expect(Printed.takeLines() == ["2", "Ada Lovelace"])
    #expect(ada.pointee.refcount == 2)
  }
}
