internal import FastMapCore

// State ── tables ─┬─ objects    id → key, values, links          (pages)
//                  ├─ referrers  id → who refers to the object    (pages)
//                  ├─ keys       key → id                         (shards)
//                  └─ order      ids by key, made when asked for
//
// Entities and fields are kept by name, as the numbers of a schema hold for that schema only. A `Binding` leads from
// the numbers of one schema to tables and places.

/// All that a store holds.
struct MemoryState: Sendable {
  var tables: [Table] = []

  /// The last number given to an object; one count for all entities, so that no two objects share a number.
  var lastID: ObjectID = 0

  /// What imports in several transactions have let go of and not deleted yet.
  var leftovers: [KeptLeftovers] = []

  /// The number of the commit that it is of.
  var commit: UInt64 = 0

  /// An entity with instances of a main-actor class; nil where there is none. Such a state is written on the main actor
  /// alone, as a write may set a property of any object.
  var mainEntity: String?
}

/// The objects of one entity.
struct Table: Sendable {
  let name: String
  var keyKind: AttributeKind?
  /// The field of the primary key of most objects; the first that a schema has named.
  var keyField: Int?
  var fields: [Field] = []
  var count = 0
  var objects = Pages<StoredObject>()
  var referrers = Pages<Referrers>()
  var keys = KeyIndex()
  var order = ObjectOrder()
  /// The class of its instances; nil for records.
  var objectAccess: ObjectAccess?
  /// Whether a mapping keeps objects that lack their key.
  var keepsKeyless = false
  /// What a new instance shows for a key, which is none yet; where objects without one are kept.
  var blankKey: BlankKey?

  struct BlankKey: Sendable {
    /// Nil where it shows none.
    let key: PrimaryKey?
    /// Of the key's field.
    let place: Int
  }

  /// One attribute or relationship that a schema has had.
  struct Field: Sendable {
    let name: String
    let kind: Kind
    /// Its place among the object's values or its links.
    let place: Int
    /// The property that holds it; nil in a record.
    var access: FieldAccess?
  }

  /// As `Schema.Kind`, with the number of a table in an entity's place.
  enum Kind: Hashable, Sendable {
    case attribute(AttributeKind)
    case link(table: Int, isToMany: Bool, isOwned: Bool)
  }

  var valueCount: Int { fields.count { !$0.isLink } }
  var linkCount: Int { fields.count { $0.isLink } }
}

extension Table.Field {
  var isLink: Bool {
    if case .link = kind { true } else { false }
  }
}

/// One object: of records, its values; of instances, the instance, whose properties hold the values. Its links
/// are kept in either case, as the referrers go by them. Arrays that are shorter than the table's fields are those of an object older than its youngest
/// fields.
struct StoredObject: Sendable {
  /// As it was when somebody last looked, if it is of an instance.
  var key: PrimaryKey?
  /// Of an instance, the field that its key was taken from.
  var keyField: Int?
  private(set) var instance: Instance?
  /// The attributes; absent ones are null.
  private(set) var values: [Value]
  /// The targets of the relationships, in their order.
  private(set) var links: [[ObjectID]]

  init(key: PrimaryKey?, keyField: Int?, instance: Instance?, valueCount: Int, linkCount: Int) {
    self.key = key
    self.keyField = keyField
    self.instance = instance
    values = instance == nil ? Array(repeating: .null, count: valueCount) : []
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

  func with(_ instance: Instance) -> StoredObject {
    var object = self
    object.instance = instance
    return object
  }

  func isIdentical(to other: StoredObject) -> Bool {
    (0..<max(values.count, other.values.count)).allSatisfy {
      value(at: $0).isIdentical(to: other.value(at: $0))
    }
      && (0..<max(links.count, other.links.count)).allSatisfy { targets(at: $0) == other.targets(at: $0) }
  }
}

extension Value {
  /// Whether two values are the same to the last bit: `==` would take two spellings of "é" for one, and -0
  /// for 0.
  func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)), (.json(let a), .json(let b)): a.utf8.elementsEqual(b.utf8)
    case (.number(let a), .number(let b)): a.bitPattern == b.bitPattern
    default: self == other
    }
  }

  /// Whether a row's field, which is not missing, holds just this. Makes no copy of a string to find out.
  func isIdentical(to row: Row, at field: Int) -> Bool {
    switch self {
    case .string(let text), .json(let text): row.withBytes(at: field) { text.utf8.elementsEqual($0) } ?? false
    case .data(let bytes): row.withBytes(at: field) { bytes.elementsEqual($0) } ?? false
    default: row.value(at: field).map { isIdentical(to: $0) } ?? false
    }
  }
}
