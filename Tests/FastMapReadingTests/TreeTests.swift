import CFastMapJansson
import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// Trees that a caller has built with jansson, and trees that no JSON text can express.
@Suite struct TreeTests {
  typealias Tree = UnsafeMutablePointer<json_t>

  final class Person {
    var id = 0
    var name: String?
    var email: String?
    var friends: [Person] = []

    static let mapping: Mapping<Person> = Mapping(
      Person.self, "Person", primaryKey: "id", make: Person.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email)
      ToMany("friends", \.friends, Person.mapping)
    }
  }

  private static let note = Mapping("Note", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("title", .string)
    Attribute("j", .json)
  }

  private func tree(_ text: String) throws -> Tree {
    try #require(json_loads(text, Int(JSON_DECODE_ANY), nil), "\(text)")
  }

  // MARK: Whatever takes bytes

  @Test(arguments: StoreKind.allCases)
  func aTreeIsTakenByEveryCallThatTakesBytes(_ kind: StoreKind) throws {
    let store = try kind.make()
    let mapper = Mapper(store)
    let list = JSONDocument(
      unsafeAdopting: try tree(#"[{"id": 1, "name": "Ada", "friends": [{"id": 2, "name": "Mary"}]}]"#))
    let first = try mapper.importJSON(list, as: Person.mapping)
    #expect(first["Person"] == .init(inserted: 2))
    let again = try mapper.importJSON(list, as: Person.mapping.plan())
    #expect(again["Person"] == .init(unchanged: 2))
    let people = try mapper.roundTrip(list, as: Person.mapping, depth: .max)
    #expect((people.map(\.name), people.first?.friends.map(\.id)) == (["Ada", "Mary"], [2]))

    let one = JSONDocument(unsafeAdopting: try tree(#"{"id": 2, "email": "mary@example.org"}"#))
    let found = try mapper.roundTrip(one, as: Person.mapping, depth: .max).last
    let mary = try #require(found)
    #expect((mary.name, mary.email) == ("Mary", "mary@example.org"))
  }

  // Never changed once it is made.
  final class Place: @unchecked Sendable {
    var id = 0
    static let mapping = Mapping(Place.self, "Place", primaryKey: "id", make: Place.init) {
      Attribute("id", \.id)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aTreeIsImportedWithAwait(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let document = JSONDocument(unsafeAdopting: try tree(#"[{"id": 1}, {"id": 2}]"#))
    let mapper = Mapper(store)
    let report = try await mapper.importJSON(document, as: Place.mapping)
    #expect(report["Place"] == .init(inserted: 2))
    let places = try mapper.roundTrip(document, as: Place.mapping, depth: .max)
    #expect(places.map(\.id) == [1, 2])
  }

  @Test(arguments: StoreKind.allCases)
  func aTreeHasTheRootPathOfTheMappingOrTheOptions(_ kind: StoreKind) throws {
    let store = try kind.make()
    let document = JSONDocument(unsafeAdopting: try tree(#"{"result": {"notes": [{"id": 1}, {"id": 2}]}}"#))
    let options = ImportOptions(rootPath: "result.notes")
    let report = try Mapper(store).importJSON(document, as: Self.note, options: options)
    #expect(report["Note"] == .init(inserted: 2, stubs: 2))
  }

  @Test func aTreeIsTheCallersAgainWhenTheDocumentGoesOrGoneWithIt() throws {
    let shared = try tree(#"{"id": 1}"#)
    do {
      let document = JSONDocument(unsafeSharing: shared)
      #expect(shared.pointee.refcount == 2)
      _ = try Mapper(MemoryStore()).importJSON(document, as: Self.note)
    }
    #expect(shared.pointee.refcount == 1)
    json_decref(shared)

    let inner = try #require(json_array())
    let adopted = try #require(json_array())
    json_array_append(adopted, inner)
    #expect(inner.pointee.refcount == 2)
    do { _ = JSONDocument(unsafeAdopting: adopted) }
    #expect(inner.pointee.refcount == 1)
    json_decref(inner)
  }

  // MARK: Refused trees

  private enum Made: String, CaseIterable {
    case deep, deepMember, text, name, cyclic, endless
    var message: String {
      switch self {
      case .deep:
        "$.j" + String(repeating: "[0]", count: 31)
          + ": expected at most 512 levels of arrays and objects, found more"
      case .deepMember: "$.j[0][0]: expected at most 3 levels of arrays and objects, found more"
      case .text: "$.title: expected a string in UTF-8, found the byte 0xFF at offset 2"
      case .name: "$.j: expected names of members in UTF-8, found the byte 0xC3 at offset 4"
      case .cyclic: "$.j[0].up: expected a tree, found an array or an object that contains itself"
      case .endless: "$: expected a tree of at most 67108864 bytes, shared values counted each time, found "
      }
    }
  }

  private func nested(_ depth: Int) -> Tree? {
    var tree = json_array()
    for _ in 1..<depth {
      let outer = json_array()
      json_array_append_new(outer, tree)
      tree = outer
    }
    return tree
  }

  private func make(_ made: Made) throws -> Tree {
    let root = try tree(#"{"id": 1}"#)
    switch made {
    case .deep: json_object_set_new(root, "j", nested(1_000_000))
    case .deepMember: json_object_set_new(root, "j", nested(3))
    case .text:
      let bytes = [0x61, 0x62, 0xFF].map { CChar(truncatingIfNeeded: $0) }
      json_object_set_new(root, "title", json_stringn_nocheck(bytes, bytes.count))
    case .name:
      let object = json_object()
      let bytes = [0x63, 0x61, 0x66, 0x65, 0xC3].map { CChar(truncatingIfNeeded: $0) }
      json_object_setn_new_nocheck(object, bytes, bytes.count, json_null())
      json_object_set_new(root, "j", object)
    case .cyclic:
      let object = json_object()
      json_object_set(object, "up", root)
      let array = json_array()
      json_array_append_new(array, object)
      json_object_set_new(root, "j", array)
    case .endless:
      var tree = json_array()
      for _ in 0..<60 {
        let outer = json_array()
        json_array_append(outer, tree)
        json_array_append_new(outer, tree)
        tree = outer
      }
      json_object_set_new(root, "j", tree)
    }
    return root
  }

  private func failure(
    of document: JSONDocument, in store: some Store, _ options: ImportOptions
  ) -> MappingError? {
    do {
      _ = try Mapper(store).importJSON(document, as: Self.note, options: options)
    } catch {
      return error as? MappingError
    }
    return nil
  }

  @Test(arguments: StoreKind.allCases, Made.allCases)
  private func aTreeThatIsNoJSONIsRefusedWithItsPath(_ kind: StoreKind, _ made: Made) throws {
    let store = try kind.make()
    let root = try make(made)
    var options = ImportOptions()
    if made == .deepMember { options.maxDepth = 3 }
    do {
      let document = JSONDocument(unsafeAdopting: root)
      // The cycle is the caller's to undo: nobody's last reference ever goes.
      if made == .cyclic { json_incref(root) }
      let error = failure(of: document, in: store, options)
      #expect("\(error.map { "\($0)" } ?? "none")".hasPrefix(made.message), "\(made)")
      #expect(error?.location == nil)
    }
    if made == .cyclic {
      json_object_del(root, "j")
      json_decref(root)
    }
    let count = try store.read(Plan(Self.note)) { try $0.count(of: "Note") }
    #expect(count == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func aTreeIsAsDeepAsTheOptionsSay(_ kind: StoreKind) throws {
    let store = try kind.make()
    let options = ImportOptions(maxDepth: 100_001)
    let root = try tree(#"{"id": 1}"#)
    json_object_set_new(root, "j", nested(100_000))
    let document = JSONDocument(unsafeAdopting: root)
    let report = try Mapper(store).importJSON(document, as: Self.note, options: options)
    #expect(report["Note"] == .init(inserted: 1))
  }

  @Test(arguments: StoreKind.allCases)
  func aTreeMayHaveAValueInSeveralPlaces(_ kind: StoreKind) throws {
    let store = try kind.make()
    let friend = try tree(#"{"id": 2, "name": "Mary"}"#)
    let list = json_array()
    for id in 10..<1_010 {
      let person = json_object()
      json_object_set_new(person, "id", json_integer(json_int_t(id)))
      let friends = json_array()
      json_array_append(friends, friend)
      json_object_set_new(person, "friends", friends)
      json_array_append_new(list, person)
    }
    json_decref(friend)
    let document = JSONDocument(unsafeAdopting: try #require(list))
    let report = try Mapper(store).importJSON(document, as: Person.mapping)
    #expect(report["Person"] == .init(inserted: 1_001))
  }

  @Test func aReadTreeIsLimitedByALowerDepth() throws {
    let options = ImportOptions(maxDepth: 3)
    let text = Array(#"{"id": 1, "j": [[[]]]}"#.utf8)
    try text.withUnsafeBytes { bytes in
      let document = try JSONDocument(parsing: bytes)
      _ = try Mapper(MemoryStore()).importJSON(document, as: Self.note)
      let error = failure(of: document, in: MemoryStore(), options)
      let message = "$.j[0][0]: expected at most 3 levels of arrays and objects, found more"
      #expect(error?.description == message)
    }
  }
}
