internal import FastMapCore

// The numbers of a schema hold for that schema only, so a database goes by names. Two tables say what it has met:
//
//     fastmap_entity   number, name, kind of its keys, next free object number
//     fastmap_field    number, entity, name, kind, and for a relationship its targets
//
// and every entity has its own, with a link table for each relationship to many:
//
//     e1_Book      id, key, f1_title, f2_publisher, …    attributes, and to-one targets
//     l3_authors   owner, position, target
//
// Their names bear numbers because SQLite takes `Name` and `name` for one, and names in JSON may be anything.

/// What a database has met of entities and fields, at the snapshot at which it was read.
struct Layout {
  struct Entity {
    let number: Int64
    let name: String
    var keyKind: AttributeKind?
    var fields: [Field] = []
    var table: String { "e\(number)_\(letters(name))" }
  }

  struct Field {
    let number: Int64
    let entity: Int64
    let name: String
    let kind: Kind
    /// Where the value stands, or the to-one target.
    var column: String { "f\(number)_\(letters(name))" }
    /// Where the targets of a relationship to many stand.
    var linkTable: String { "l\(number)_\(letters(name))" }
  }

  /// As `Schema.Kind`, with the stored number of an entity in the place of a schema's.
  enum Kind {
    case attribute(AttributeKind)
    case toOne(entity: Int64, isOwned: Bool)
    case toMany(entity: Int64, isOwned: Bool)
  }

  /// In the order in which they were met.
  private(set) var entities: [Entity] = []

  static let tables = """
    CREATE TABLE fastmap_entity (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, key_kind TEXT, next_id INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE fastmap_field (
      number INTEGER PRIMARY KEY, entity INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
      target INTEGER, is_owned INTEGER, UNIQUE (entity, name));
    """

  /// Reads what there is; the first statement of every transaction, so it also fixes the snapshot.
  init(_ connection: Connection) throws {
    try connection.query("SELECT number, name, key_kind FROM fastmap_entity ORDER BY number") { row in
      while try row.step() {
        let kind = row.isNull(2) ? nil : AttributeKind(rawValue: row.text(2))
        entities.append(Entity(number: row.integer(0), name: row.text(1), keyKind: kind))
      }
    }
    let sql = "SELECT number, entity, name, kind, target, is_owned FROM fastmap_field ORDER BY number"
    try connection.query(sql) { row in
      while try row.step() {
        let field = Field(
          number: row.integer(0), entity: row.integer(1), name: row.text(2), kind: try Self.kind(row))
        try append(field)
      }
    }
  }

  private static func kind(_ row: Statement) throws -> Kind {
    let isOwned = row.integer(5) != 0
    switch row.text(3) {
    case "toOne": return .toOne(entity: row.integer(4), isOwned: isOwned)
    case "toMany": return .toMany(entity: row.integer(4), isOwned: isOwned)
    case let name:
      guard let kind = AttributeKind(rawValue: name) else {
        throw SQLiteStoreError.damaged("a field has the kind \(name)")
      }
      return .attribute(kind)
    }
  }

  func entity(_ number: Int64) throws -> Entity {
    guard let entity = entities.first(where: { $0.number == number }) else {
      throw SQLiteStoreError.damaged("there is no entity \(number)")
    }
    return entity
  }

  func entity(named name: String) -> Entity? { entities.first { $0.name.isIdentical(to: name) } }

  /// The relationships that may have an object of an entity as a target, with the entities that have them.
  func referrers(to target: Entity) -> [(owner: Entity, field: Field)] {
    entities.flatMap { owner in
      owner.fields.filter { $0.target == target.number }.map { (owner, $0) }
    }
  }

  // MARK: Growing

  mutating func append(_ entity: Entity) { entities.append(entity) }

  mutating func append(_ field: Field) throws {
    guard let index = entities.firstIndex(where: { $0.number == field.entity }) else {
      throw SQLiteStoreError.damaged("there is no entity \(field.entity)")
    }
    entities[index].fields.append(field)
  }

  mutating func setKeyKind(_ kind: AttributeKind, of number: Int64) {
    for index in entities.indices where entities[index].number == number { entities[index].keyKind = kind }
  }
}

extension Layout.Field {
  /// The entity of its targets; nil for an attribute.
  var target: Int64? {
    switch kind {
    case .attribute: nil
    case .toOne(let entity, _), .toMany(let entity, _): entity
    }
  }

  var isToMany: Bool {
    if case .toMany = kind { true } else { false }
  }
}

extension Layout.Entity {
  func field(named name: String) -> Layout.Field? { fields.first { $0.name.isIdentical(to: name) } }
}

extension String {
  /// By bytes: `==` takes two spellings of "é" for one.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// What of a name a person would recognise, and SQLite takes in an identifier without quotes.
private func letters(_ name: String) -> String {
  String(
    name.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }.prefix(40).map(Character.init))
}
