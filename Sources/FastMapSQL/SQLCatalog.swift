package import FastMapStoreKit

/// The entities and fields that a database has, with the tables and columns that hold them.
///
///     var catalog = SQLCatalog()
///     while try row.step() { try catalog.add(SQLCatalog.Entity(number: row.integer(0), name: row.text(1), …)) }
///     let binding = try catalog.bind(schema)
///
/// The numbers of a schema are valid for that schema only, so a store saves names. The store keeps two tables of its own, one
/// row for each ``Entity`` and one for each ``Field``, and reads them at the beginning of a transaction.
///
/// Names are compared by their bytes.
package struct SQLCatalog: Sendable {
  /// An entity with a table.
  ///
  ///     let book = SQLCatalog.Entity(number: 1, name: "Book", sqlName: "Book", keyKind: .integer)
  package struct Entity: Sendable {
    /// The store's number, from 1.
    package let number: Int64
    package let name: String
    /// The name of its table, without quotes.
    package let sqlName: String
    /// The kind of its keys; nil if no mapping has given it one.
    package fileprivate(set) var keyKind: AttributeKind?
    /// Its fields, in the order of their addition.
    package fileprivate(set) var fields: [Field] = []
    /// Its indexes, in the order of their addition.
    package fileprivate(set) var indexes: [Index] = []
    fileprivate var places: [ByteName: Int] = [:]

    /// Makes an entity without fields.
    package init(number: Int64, name: String, sqlName: String, keyKind: AttributeKind?) {
      self.number = number
      self.name = name
      self.sqlName = sqlName
      self.keyKind = keyKind
    }

    /// The field with a name; nil if there is none.
    package func field(named name: String) -> Field? { places[ByteName(name)].map { fields[$0] } }

    /// The index with a name; nil if there is none.
    package func index(named name: String) -> Index? {
      indexes.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The name of its table, quoted.
    package var identifier: String { SQLText.identifier(sqlName) }
  }

  /// An index that a mapping has declared.
  ///
  ///     let newest = SQLCatalog.Index(
  ///       number: 1, entity: 1, name: "-created", parts: [.init(field: 4, isDescending: true)], isUnique: false)
  package struct Index: Hashable, Sendable {
    /// A field of an index.
    ///
    ///     let part = SQLCatalog.Index.Part(field: 4, isDescending: true)
    package struct Part: Hashable, Sendable {
      package let field: Int64
      /// Whether the greatest comes first.
      package let isDescending: Bool

      /// Makes a part.
      package init(field: Int64, isDescending: Bool) {
        self.field = field
        self.isDescending = isDescending
      }
    }

    /// The store's number, from 1, unique among the indexes of all entities.
    package let number: Int64
    package let entity: Int64
    /// The name in its entity: `status,-created`.
    package let name: String
    /// The fields, the most important first.
    package let parts: [Part]
    /// Whether no two objects may have the same values.
    package let isUnique: Bool

    /// Makes an index.
    package init(number: Int64, entity: Int64, name: String, parts: [Part], isUnique: Bool) {
      self.number = number
      self.entity = entity
      self.name = name
      self.parts = parts
      self.isUnique = isUnique
    }

    /// The parts as the catalog keeps them: `3,-4`.
    package var partsText: String {
      parts.map { "\($0.isDescending ? "-" : "")\($0.field)" }.joined(separator: ",")
    }

    /// Reads the parts that the catalog keeps.
    ///
    /// - Throws: ``SQLCatalogError`` if no version of FastMap writes this.
    package static func parts(of text: String) throws(SQLCatalogError) -> [Part] {
      var parts: [Part] = []
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let number = Int64(part), number != 0 else {
          throw SQLCatalogError("an index has the fields \(text)")
        }
        parts.append(Part(field: abs(number), isDescending: number < 0))
      }
      return parts
    }
  }

  /// A field with a column, or with a table of links.
  ///
  ///     let title = SQLCatalog.Field(number: 3, entity: 1, name: "title", sqlName: "title", kind: .attribute(.string))
  package struct Field: Sendable {
    /// The store's number, from 1, unique among the fields of all entities.
    package let number: Int64
    package let entity: Int64
    package let name: String
    /// The name of its column, or of its table of links for a to-many relationship; without quotes.
    package let sqlName: String
    package let kind: Kind

    /// Makes a field.
    package init(number: Int64, entity: Int64, name: String, sqlName: String, kind: Kind) {
      self.number = number
      self.entity = entity
      self.name = name
      self.sqlName = sqlName
      self.kind = kind
    }

    /// The name of its column or table, quoted.
    package var identifier: String { SQLText.identifier(sqlName) }
  }

  /// The kind of a field, as `Schema.Kind`, with the store's number of an entity in place of a schema's.
  ///
  ///     if case .toOne(let target, _) = field.kind { print(try catalog.entity(target).name) }
  package enum Kind: Hashable, Sendable {
    case attribute(AttributeKind)
    case toOne(entity: Int64, isOwned: Bool)
    case toMany(entity: Int64, isOwned: Bool)
  }

  /// The entities, in the order of their addition.
  package private(set) var entities: [Entity] = []
  private var numbers: [Int64: Int] = [:]
  private var names: [ByteName: Int] = [:]
  private var lastEntity: Int64 = 0
  private var lastField: Int64 = 0
  private var lastIndex: Int64 = 0

  /// Makes an empty catalog.
  package init() {}

  /// Adds an entity that the database has.
  ///
  /// - Throws: ``SQLCatalogError`` if there is one of its number or name. The catalog is unchanged then.
  package mutating func add(_ entity: Entity) throws(SQLCatalogError) {
    guard numbers[entity.number] == nil else {
      throw SQLCatalogError("two entities have the number \(entity.number)")
    }
    let name = ByteName(entity.name)
    guard names[name] == nil else { throw SQLCatalogError("two entities have the name \(entity.name)") }
    names[name] = entities.count
    numbers[entity.number] = entities.count
    entities.append(entity)
    lastEntity = max(lastEntity, entity.number)
  }

  /// Adds a field that the database has, after its entity. Its targets may follow later.
  ///
  /// - Throws: ``SQLCatalogError`` if its entity does not exist, or has a field of its name. The catalog is unchanged
  ///   then.
  package mutating func add(_ field: Field) throws(SQLCatalogError) {
    guard let entity = numbers[field.entity] else {
      throw SQLCatalogError(
        "the field \(field.name) belongs to the entity \(field.entity), which does not exist")
    }
    let name = ByteName(field.name)
    guard entities[entity].places[name] == nil else {
      throw SQLCatalogError("two fields of \(entities[entity].name) have the name \(field.name)")
    }
    entities[entity].places[name] = entities[entity].fields.count
    entities[entity].fields.append(field)
    lastField = max(lastField, field.number)
  }

  /// Adds an index that the database has, after its fields.
  ///
  /// - Throws: ``SQLCatalogError`` if its entity or a field does not exist, or if there is one of its name. The
  ///   catalog is unchanged then.
  package mutating func add(_ index: Index) throws(SQLCatalogError) {
    guard let entity = numbers[index.entity] else {
      throw SQLCatalogError(
        "the index \(index.name) belongs to the entity \(index.entity), which does not exist")
    }
    guard entities[entity].index(named: index.name) == nil else {
      throw SQLCatalogError("two indexes of \(entities[entity].name) have the name \(index.name)")
    }
    for part in index.parts where !entities[entity].fields.contains(where: { $0.number == part.field }) {
      throw SQLCatalogError("the index \(index.name) has the field \(part.field), which does not exist")
    }
    entities[entity].indexes.append(index)
    lastIndex = max(lastIndex, index.number)
  }

  /// Makes an index unique.
  ///
  /// - Returns: Nil if it was unique.
  mutating func makeUnique(_ index: Index) -> Index? {
    guard !index.isUnique, let entity = numbers[index.entity],
      let place = entities[entity].indexes.firstIndex(of: index)
    else { return nil }
    let unique = Index(
      number: index.number, entity: index.entity, name: index.name, parts: index.parts, isUnique: true)
    entities[entity].indexes[place] = unique
    return unique
  }

  /// The entity with a number of the store.
  ///
  /// - Throws: ``SQLCatalogError`` if there is none.
  package func entity(_ number: Int64) throws(SQLCatalogError) -> Entity {
    guard let index = numbers[number] else { throw SQLCatalogError("the entity \(number) does not exist") }
    return entities[index]
  }

  /// The entity with a name; nil if there is none.
  package func entity(named name: String) -> Entity? { names[ByteName(name)].map { entities[$0] } }

  /// The relationships that may have objects of an entity as targets, with the entities that have them, ascending by
  /// the numbers of the fields. A deletion removes the object from each.
  package func referrers(to target: Entity) -> [(owner: Entity, field: Field)] {
    entities.flatMap { owner in
      owner.fields.filter { $0.target == target.number }.map { (owner: owner, field: $0) }
    }.sorted { $0.field.number < $1.field.number }
  }

  /// The numbers to give next.
  var nextEntity: Int64 { lastEntity + 1 }
  var nextField: Int64 { lastField + 1 }
  var nextIndex: Int64 { lastIndex + 1 }

  mutating func setKeyKind(_ kind: AttributeKind, of number: Int64) {
    if let index = numbers[number] { entities[index].keyKind = kind }
  }
}

extension SQLCatalog.Field {
  /// The store's number of the entity of its targets; nil for an attribute.
  package var target: Int64? {
    switch kind {
    case .attribute: nil
    case .toOne(let entity, _), .toMany(let entity, _): entity
    }
  }

  /// Whether it has a table of links in place of a column.
  package var isToMany: Bool {
    if case .toMany = kind { true } else { false }
  }
}

/// Kinds in the store's own table.
extension SQLCatalog.Kind {
  /// The kind as a text: `integer`, `toOne`, `toMany`, …
  package var text: String {
    switch self {
    case .attribute(let kind): kind.rawValue
    case .toOne: "toOne"
    case .toMany: "toMany"
    }
  }

  /// The store's number of the target entity, and whether targets are owned; nil for an attribute.
  package var target: (entity: Int64, isOwned: Bool)? {
    switch self {
    case .attribute: nil
    case .toOne(let entity, let isOwned), .toMany(let entity, let isOwned): (entity, isOwned)
    }
  }

  /// Makes a kind from the columns of the table.
  ///
  /// - Throws: ``SQLCatalogError`` if no version of FastMap writes this.
  package init(text: String, target: Int64?, isOwned: Bool) throws(SQLCatalogError) {
    switch (text, target, AttributeKind(rawValue: text)) {
    case ("toOne", let target?, _): self = .toOne(entity: target, isOwned: isOwned)
    case ("toMany", let target?, _): self = .toMany(entity: target, isOwned: isOwned)
    case (_, nil, let kind?): self = .attribute(kind)
    default:
      throw SQLCatalogError("a field has the kind \(text)\(target == nil ? " without" : " with") a target")
    }
  }
}

/// Tables of the store with contents that no store writes. Somebody else has changed them.
///
///     the catalog is damaged: two entities have the number 3
package struct SQLCatalogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A description of the fault.
  package let reason: String

  /// Makes the error.
  package init(_ reason: String) { self.reason = reason }

  package var description: String { "the catalog is damaged: \(printable(beginning(of: reason, most: 300)))" }
}
