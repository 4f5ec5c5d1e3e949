internal import FastMapStoreKit

// State ── tables ─┬─ objects    id → key, values, links          (pages)
//                  ├─ referrers  id → who refers to the object    (pages)
//                  ├─ keys       key → id                         (shards)
//                  └─ order      ids by key, made when asked for
//
// Entities and fields are identified by name, because the numbers of a schema are valid for that schema only. A
// `Binding` maps the numbers of one schema to tables and places.

/// The complete contents of a store.
struct MemoryState: Sendable {
  var tables: [Table] = []

  /// The last number given to an object. All entities share this counter, so no two objects have the same number.
  var lastID = ObjectID.unset

  /// Objects that imports in several transactions have unlinked and not deleted yet.
  var leftovers: [KeptLeftovers] = []

  var texts: [KeptText: [UInt8]] = [:]
}

/// The objects of one entity.
struct Table: Sendable {
  var name: String
  var keyKind: AttributeKind?
  /// The field of the primary key of most objects, which is the first one that a schema named.
  var keyField: Int?
  var fields: [Field] = []
  var count = 0
  var objects = Pages<StoredObject>()
  var referrers = Pages<Referrers>()
  var keys = KeyIndex()
  var order = ObjectOrder()
  /// The declared indexes, in the order of their declaration.
  var indexes: [TableIndex] = []

  /// An attribute or a relationship that some schema had.
  struct Field: Sendable {
    var name: String
    var kind: Kind
    /// Its place among the object's values or its links.
    let place: Int
  }

  /// Like `Schema.Kind`, with the number of a table instead of an entity.
  enum Kind: Hashable, Sendable {
    case attribute(AttributeKind)
    case link(table: Int, isToMany: Bool, isOwned: Bool)

    /// The kind of an attribute; nil for a relationship.
    var attribute: AttributeKind? { if case .attribute(let kind) = self { kind } else { nil } }
  }

  var valueCount: Int { fields.count { !$0.isLink } }
  var linkCount: Int { fields.count { $0.isLink } }
}

extension Table {
  mutating func setAll(_ value: Value, at place: Int) {
    for (id, var object) in objects.all {
      object.set(value, at: place)
      objects[id] = object
    }
  }
}

extension Table.Field {
  var isLink: Bool {
    if case .link = kind { true } else { false }
  }
}

/// One object. An array that is shorter than the table's fields belongs to an object that is older than its newest fields.
struct StoredObject: Sendable {
  var key: PrimaryKey?
  /// The attributes. Missing ones are null.
  private(set) var values: [Value]
  /// The targets of the relationships, in order.
  private(set) var links: [[ObjectID]]

  init(key: PrimaryKey?, valueCount: Int, linkCount: Int) {
    self.key = key
    values = Array(repeating: .null, count: valueCount)
    links = Array(repeating: [], count: linkCount)
  }

  func value(at place: Int) -> Value { place < values.count ? values[place] : .null }
  func targets(at place: Int) -> [ObjectID] { place < links.count ? links[place] : [] }

  mutating func set(_ value: Value, at place: Int) {
    while values.count <= place { values.append(.null) }
    values[place] = value
  }

  mutating func set(_ targets: [ObjectID], at place: Int) {
    while links.count <= place { links.append([]) }
    links[place] = targets
  }

  mutating func remove(_ targets: Set<ObjectID>, at place: Int) {
    links[place].removeAll { targets.contains($0) }
  }

  func isIdentical(to other: StoredObject) -> Bool {
    (0..<max(values.count, other.values.count)).allSatisfy {
      value(at: $0).isIdentical(to: other.value(at: $0))
    }
      && (0..<max(links.count, other.links.count)).allSatisfy { targets(at: $0) == other.targets(at: $0) }
  }
}

extension Value {
  /// Whether two values are equal bit for bit. `==` treats two spellings of "é" as equal, and -0 and 0.
  func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)), (.json(let a), .json(let b)): a.utf8.elementsEqual(b.utf8)
    case (.number(let a), .number(let b)): a.bitPattern == b.bitPattern
    default: self == other
    }
  }

  /// Whether a row's field, which is not missing, holds exactly this value. Copies no string.
  func isIdentical(to row: Row, at field: Int) -> Bool {
    switch self {
    case .string(let text), .json(let text): row[field].bytes.map { text.utf8.elementsEqual($0) } ?? false
    case .data(let bytes): row[field].bytes.map { bytes.elementsEqual($0) } ?? false
    default: row[field].value.map { isIdentical(to: $0) } ?? false
    }
  }
}
