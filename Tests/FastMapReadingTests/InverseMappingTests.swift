import FastMapCore
import TestSupport
import Testing

/// Inverses in mappings, and their faults.
@Suite struct InverseMappingTests {
  /// A file with authors and books, where Author has this relationship.
  private static func file(_ relationship: String) -> String {
    #"""
    {"fastmap": 1, "mappings": {
      "Author": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {\#(relationship)}},
      "Book": {"primaryKey": "id", "attributes": {"id": "integer", "title": "string"}, "relationships": {
        "author": {"mapping": "Author"}, "editors": {"mapping": "Author", "toMany": true},
        "sequel": {"mapping": "Book"}, "isbn.old": {"mapping": "Author"},
        "prequel": {"inverseOf": "Book.sequel"}}}}}
    """#
  }

  private static let refusal =
    #"is refused beside "inverseOf": an inverse has the mapping of its relationship, and is neither read nor stored"#

  static let faults: [(relationship: String, fault: String)] = [
    (
      #""books": {"inverseOf": "Bok.author"}"#,
      #"books.inverseOf: no mapping named "Bok"; did you mean "Book"?"#
    ),
    (
      #""books": {"inverseOf": "Book.autor"}"#,
      #"books.inverseOf: the mapping "Book" has no relationship named "autor"; did you mean "author"?"#
    ),
    (
      #""books": {"inverseOf": "Book.title"}"#,
      #"books.inverseOf: expected a relationship, "title" of "Book" is a string"#
    ),
    (
      #""books": {"inverseOf": "Book.prequel"}"#,
      #"books.inverseOf: expected a relationship, "prequel" of "Book" is an inverse itself"#
    ),
    (
      #""books": {"inverseOf": "Book.sequel"}"#,
      #"books.inverseOf: expected a relationship to Author, "sequel" of "Book" leads to Book"#
    ),
    (
      #""books": {"inverseOf": "author"}"#,
      #"books.inverseOf: expected a mapping and a relationship, as in "Book.author", found "author"; a dot of a name is written \."#
    ),
    (
      #""books": {"inverseOf": "Book.isbn.old"}"#,
      #"books.inverseOf: expected a mapping and a relationship, as in "Book.author", found "Book.isbn.old"; a dot of a name is written \."#
    ),
    (#""books": {"inverseOf": 1}"#, "books.inverseOf: expected a string, found the number 1"),
    (
      #""books": {"inverseOf": "Book.author", "toMany": "yes"}"#,
      #"books.toMany: expected a boolean, found the string "yes""#
    ),
    (#""books": {"inverseOf": "Book.author", "policy": "merge"}"#, #"books.policy: "policy" "# + refusal),
    (#""books": {"inverseOf": "Book.author", "weak": true}"#, #"books.weak: "weak" "# + refusal),
    (#""books": {"inverseOf": "Book.author", "keyPath": "b"}"#, #"books.keyPath: "keyPath" "# + refusal),
    (#""books": {"inverseOf": "Book.author", "mapping": "Book"}"#, #"books.mapping: "mapping" "# + refusal),
    (
      #""books": {"inverseOf": "Book.author", "index": 1}"#,
      #"books.index: an inverse has no member named "index"; there are "inverseOf", "toMany", "mapping", "keyPath", "policy", "weak" and "lenient""#
    ),
    (#""id": {"inverseOf": "Book.author"}"#, #"id: "id" is declared twice"#),
  ]

  @Test(arguments: faults.indices)
  func aFaultOfAnInverseNamesItsPlaceAndTheExpectation(_ index: Int) {
    let (relationship, fault) = Self.faults[index]
    let found = message { _ = try MappingSet(file: Array(Self.file(relationship).utf8)) }
    #expect(found == "$.mappings.Author.relationships." + fault)
  }

  @Test func aFileNamesMappingAndRelationship() throws {
    let file = Self.file(
      #""books": {"inverseOf": "Book.author", "toMany": true}, "old": {"inverseOf": "Book.isbn\\.old"}"#)
    let set = try MappingSet(file: Array(file.utf8))
    let inverses = try #require(set["Author"]?.inverses)
    #expect((inverses.map(\.name), inverses.map(\.isToMany)) == (["books", "old"], [true, false]))
    let schema = try set.plan(for: "Author").schema
    #expect(schema.entities.map(\.name) == ["Author", "Book"])
    // They are no fields.
    #expect(schema.entities[0].fields.map(\.name) == ["id"])
    let found = schema.entities[0].inverses.map { inverse in
      "\(inverse.name): \(schema.entities[inverse.entity].fields[inverse.field].name)"
    }
    #expect(found == ["books: author", "old: isbn.old"])
  }

  @Test func twoMappingsOfAnEntityAgreeAboutItsInverses() throws {
    let book = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("author", .named("Author"))
      ToOne("editor", .named("Author"))
    }
    func author(_ name: String, _ inverse: ToMany<Record>) -> Mapping<Record> {
      Mapping(name, entity: "Author", primaryKey: "id") {
        Attribute("id", .integer)
        inverse
        ToMany("others", .named("Other"))
      }
    }
    let set = MappingSet([
      book, author("Author", ToMany("books", inverseOf: "author", of: .named("Book"))),
      author("Other", ToMany("books", inverseOf: "editor", of: .named("Book"))),
    ])
    #expect(
      message { _ = try set.plan(for: "Author") }
        == #"$.mappings.Other.relationships.books: "books" of Author is the to-many inverse of Book.editor here and the to-many inverse of Book.author in the mapping "Author""#
    )
  }

  @Test func anIndexOfAnInverseIsRefused() {
    let file = Self.file(
      #""books": {"inverseOf": "Book.author"}}, "indexes": [["-books"]], "relationships": {"#)
    let place = "$.mappings.Author.indexes[0][0]"
    let reason = #"an index has stored values; "books" is an inverse, which is not stored"#
    let fixed = file.replacing(#", "relationships": {}"#, with: "")
    #expect(message { _ = try MappingSet(file: Array(fixed.utf8)) } == "\(place): \(reason)")
  }

  private final class Writer {
    var id = 0
    var novels: [Novel] = []
  }

  private final class Novel {
    var id = 0
    var writer: Writer?
    var ghost: Writer?
  }

  @Test func aPropertyThatIsNotMappedHasNoInverse() throws {
    let novel = Mapping(Novel.self, "Novel", primaryKey: "id", make: Novel.init) { Attribute("id", \.id) }
    let writer = Mapping(Writer.self, "Writer", primaryKey: "id", make: Writer.init) {
      Attribute("id", \.id)
      ToMany("novels", \.novels, inverseOf: \.ghost, of: novel)
    }
    let found = message { _ = try writer.plan() }
    let words =
      #"$.mappings.Writer.relationships.novels.inverseOf: the mapping "Novel" has no relationship with the property "#
    #expect(found?.hasPrefix(words) ?? false)
  }

  @Test func aMappingThatIsMadeAnewForAnInverseIsAnError() throws {
    @Sendable func author() -> Mapping<Record> {
      Mapping("Author", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("books", inverseOf: "author", of: book())
      }
    }
    @Sendable func book() -> Mapping<Record> {
      Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", author())
      }
    }
    #expect(message { _ = try author().plan() }?.contains("is made again at each use") ?? false)
  }

  @Test func anInverseAloneIsNoMigration() throws {
    func author(_ inverses: [InverseDefinition]) -> MappingDefinition {
      MappingDefinition(
        "Author", primaryKey: "id", attributes: [AttributeDefinition("id", .integer)], inverses: inverses)
    }
    let book = MappingDefinition(
      "Book", primaryKey: "id", attributes: [AttributeDefinition("id", .integer)],
      relationships: [RelationshipDefinition("author", .named("Author"), isToMany: false)])
    let old = MappingSet([author([]), book])
    let inverse = InverseDefinition("books", of: "author", in: .named("Book"), isToMany: true)
    let new = MappingSet([author([inverse]), book])
    let store = try ScratchStore()
    let payload = #"[{"id":2,"author":{"id":7}},{"id":1,"author":{"id":7}}]"#
    _ = try Mapper(store).importJSON(payload, as: old.plan(for: "Book"))
    try #expect(Mapper(store).importJSON(payload, as: new.plan(for: "Book")).isUnchanged)
    try #expect(Mapper(store).importJSON(#"{"id":7}"#, as: new.plan(for: "Author")).isUnchanged)
    let record = try store.read(new.plan(for: "Author")) { snapshot in
      try snapshot.record("Author", key: 7).map { try snapshot.records("books", of: $0).map(\.key) }
    }
    #expect(record == [1, 2])
  }
}
