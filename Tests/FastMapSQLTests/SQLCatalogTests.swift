import FastMapCore
import FastMapSQL
import Testing

@Suite struct SQLCatalogTests {
  private let schema = Schema(entities: [
    .init(
      name: "Book",
      fields: [
        .init(name: "id", kind: .attribute(.integer)),
        .init(name: "Title", kind: .attribute(.string)),
        .init(name: "title", kind: .attribute(.string)),
        .init(name: "author", kind: .toOne(entity: 1, isOwned: false)),
        .init(name: "editions", kind: .toMany(entity: 2, isOwned: true)),
      ], keyKind: .integer),
    .init(name: "Author", fields: [.init(name: "name", kind: .attribute(.string))], keyKind: nil),
    .init(name: "Book_editions", fields: [], keyKind: nil),
  ])
  private let names = SQLNames(maximumBytes: 63, ignoresCase: true)

  private func catalog() throws -> SQLCatalog {
    var catalog = SQLCatalog()
    _ = try catalog.extend(to: schema, tables: names, columns: names)
    return catalog
  }

  @Test func aCatalogGrowsByTheNewPartsOfASchema() throws {
    var catalog = SQLCatalog()
    let additions = try catalog.extend(to: schema, tables: names, columns: names)
    #expect(
      additions.map(\.text) == [
        "table 1 Book integer", "table 2 Author", "table 3 Book_editions", "1 Book.id integer",
        "2 Book.Title string", "3 Book.title_2 string", "4 Book.author toOne 2",
        "5 Book.Book_editions_2 toMany 3 owned", "6 Author.name string",
      ])
    #expect(try catalog.extend(to: schema, tables: names, columns: names).isEmpty)
  }

  @Test func aSecondSchemaAddsNewFieldsAndRemovesNone() throws {
    var catalog = try catalog()
    let other = Schema(entities: [
      .init(
        name: "Author",
        fields: [
          .init(name: "NAME", kind: .attribute(.string)),
          .init(name: "books", kind: .toMany(entity: 1, isOwned: false)),
        ], keyKind: .string),
      .init(name: "Book", fields: [], keyKind: nil),
    ])
    let additions = try catalog.extend(to: other, tables: names, columns: names)
    #expect(
      additions.map(\.text) == [
        "key string Author", "7 Author.NAME_2 string", "8 Author.Author_books toMany 1",
      ])
    #expect(try catalog.entity(2).keyKind == .string)
    #expect(catalog.entity(named: "Book")?.fields.count == 5)
  }

  @Test func aSchemaIsBoundByNames() throws {
    let catalog = try catalog()
    let other = Schema(entities: [
      .init(name: "Car", fields: [.init(name: "id", kind: .attribute(.integer))], keyKind: .integer),
      .init(
        name: "Book",
        fields: [
          .init(name: "editions", kind: .toMany(entity: 2, isOwned: true)),
          .init(name: "pages", kind: .attribute(.integer)),
          .init(name: "author", kind: .toOne(entity: 3, isOwned: false)),
          .init(name: "id", kind: .attribute(.integer)),
        ], keyKind: .integer),
      .init(name: "Book_editions", fields: [], keyKind: nil),
      .init(name: "Author", fields: [], keyKind: nil),
    ])
    let binding = try catalog.bind(other)
    #expect(binding[0] == nil)
    let book = try #require(binding[1])
    #expect(book.fields.map { $0?.number } == [5, nil, 4, 1])
    #expect((book.columns, book.columnNames, book.lists) == ([2, 3], ["author", "id"], [0]))
    #expect((0..<4).map { book.column(of: $0)?.place } == [nil, nil, 0, 1])
    #expect(book.column(of: 2)?.kind == .toOne(entity: 2, isOwned: false))
    #expect(binding.number(of: try catalog.entity(2)) == 3)
    #expect(try catalog.bind(schema).number(of: try catalog.entity(2)) == 1)
  }

  @Test(arguments: [
    (Schema.Kind.attribute(.date), "Title", "a string", "a date"),
    (.attribute(.string), "author", "a to-one relationship to Author", "a string"),
    (
      .toMany(entity: 1, isOwned: false), "author", "a to-one relationship to Author",
      "a to-many relationship to Author"
    ),
    (
      .toOne(entity: 0, isOwned: false), "author", "a to-one relationship to Author",
      "a to-one relationship to Book"
    ),
    (
      .toMany(entity: 2, isOwned: false), "editions", "a to-many relationship to Book_editions without a key",
      "a to-many relationship to Book_editions"
    ),
  ])
  func aFieldOfAnotherKindIsAMismatch(
    _ kind: Schema.Kind, _ field: String, _ stored: String, _ mapped: String
  ) throws {
    var catalog = try catalog()
    let other = Schema(entities: [
      .init(name: "Book", fields: [.init(name: field, kind: kind)], keyKind: .integer),
      .init(name: "Author", fields: [], keyKind: nil), .init(name: "Book_editions", fields: [], keyKind: nil),
    ])
    let error = SchemaMismatchError(entity: "Book", field: field, stored: stored, mapped: mapped)
    #expect(throws: error) { try catalog.bind(other) }
    #expect(throws: error) { try catalog.extend(to: other, tables: names, columns: names) }
  }

  @Test func aKeyOfAnotherKindIsAMismatch() throws {
    let other = Schema(entities: [.init(name: "Book", fields: [], keyKind: .string)])
    #expect(
      throws: SchemaMismatchError(entity: "Book", field: nil, stored: "an integer", mapped: "a string")
    ) { try catalog().bind(other) }
  }

  @Test func relationshipsToAnEntityAreKnown() throws {
    let catalog = try catalog()
    let referrers = catalog.referrers(to: try catalog.entity(2))
    #expect(referrers.map { "\($0.owner.name).\($0.field.name)" } == ["Book.author"])
  }

  @Test func aDamagedCatalogIsAnErrorAndNoTrap() throws {
    var catalog = try catalog()
    let before = catalog.entities.count
    #expect(throws: SQLCatalogError("two entities have the number 1")) {
      try catalog.add(SQLCatalog.Entity(number: 1, name: "Other", sqlName: "Other", keyKind: nil))
    }
    #expect(throws: SQLCatalogError("two entities have the name Book")) {
      try catalog.add(SQLCatalog.Entity(number: 9, name: "Book", sqlName: "Other", keyKind: nil))
    }
    #expect(throws: SQLCatalogError.self) {
      try catalog.add(field(number: 9, entity: 77, "x", .attribute(.date)))
    }
    #expect(throws: SQLCatalogError("two fields of Book have the name id")) {
      try catalog.add(field(number: 9, entity: 1, "id", .attribute(.date)))
    }
    #expect(throws: SQLCatalogError("the entity 77 does not exist")) { try catalog.entity(77) }
    #expect(catalog.entities.count == before)

    try catalog.add(field(number: 9, entity: 1, "lost", .toOne(entity: 77, isOwned: false)))
    let other = Schema(entities: [
      .init(
        name: "Book", fields: [.init(name: "lost", kind: .toOne(entity: 0, isOwned: false))], keyKind: nil)
    ])
    #expect(throws: SQLCatalogError("the entity 77 does not exist")) { try catalog.bind(other) }
  }

  private func field(number: Int64, entity: Int64, _ name: String, _ kind: SQLCatalog.Kind)
    -> SQLCatalog.Field
  {
    SQLCatalog.Field(number: number, entity: entity, name: name, sqlName: name, kind: kind)
  }

  @Test func kindsAreTextsAndBack() throws {
    let kinds: [SQLCatalog.Kind] =
      AttributeKind.allCases.map { .attribute($0) }
      + [.toOne(entity: 3, isOwned: false), .toMany(entity: 4, isOwned: true)]
    for kind in kinds {
      let target = kind.target
      #expect(
        try SQLCatalog.Kind(text: kind.text, target: target?.entity, isOwned: target?.isOwned ?? false)
          == kind)
    }
    #expect(throws: SQLCatalogError("a field has the kind colour without a target")) {
      try SQLCatalog.Kind(text: "colour", target: nil, isOwned: false)
    }
    #expect(throws: SQLCatalogError("a field has the kind toOne without a target")) {
      try SQLCatalog.Kind(text: "toOne", target: nil, isOwned: false)
    }
    #expect(throws: SQLCatalogError("a field has the kind date with a target")) {
      try SQLCatalog.Kind(text: "date", target: 1, isOwned: false)
    }
  }
}

extension SQLAddition {
  fileprivate var text: String {
    switch self {
    case .entity(let entity):
      ["table \(entity.number) \(entity.sqlName)", entity.keyKind?.rawValue].compactMap(\.self).joined(
        separator: " ")
    case .keyKind(let kind, let entity): "key \(kind.rawValue) \(entity.sqlName)"
    case .field(let field, let entity):
      "\(field.number) \(entity.sqlName).\(field.sqlName) \(field.kind.text)"
        + (field.kind.target.map { " \($0.entity)\($0.isOwned ? " owned" : "")" } ?? "")
    case .index(let index, let entity): "index \(index.number) \(entity.sqlName) \(index.partsText)"
    }
  }
}
