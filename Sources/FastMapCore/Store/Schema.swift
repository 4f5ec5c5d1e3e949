/// The kinds of objects that one import or read is about, as a store sees them.
///
///     for entity in schema.entities { print(entity.name, entity.fields.map(\.name)) }
///
/// Entities and fields are numbered by their place here; those numbers are what the store protocols speak of.
/// They hold for one schema only: a store that persists must go by the names.
public struct Schema: Sendable {
  /// One attribute or relationship of an entity.
  ///
  ///     let field = Schema.Field(name: "email", kind: .attribute(.string))
  public struct Field: Sendable {
    /// What it is called in the mappings.
    public let name: String
    /// What it holds.
    public let kind: Kind
    /// The property of a Swift class that holds it; nil in a record.
    package let access: FieldAccess?

    /// Makes a field of records.
    public init(name: String, kind: Kind) { self.init(name: name, kind: kind, access: nil) }

    package init(name: String, kind: Kind, access: FieldAccess?) {
      self.name = name
      self.kind = kind
      self.access = access
    }
  }

  /// What a field holds.
  public enum Kind: Hashable, Sendable {
    /// A value.
    case attribute(AttributeKind)
    /// A relationship to at most one object of the entity with this number. Owned targets have no key and go
    /// with their owner.
    case toOne(entity: Int, isOwned: Bool)
    /// A relationship to any number of objects, in an order.
    case toMany(entity: Int, isOwned: Bool)
  }

  /// All objects of one kind.
  ///
  ///     let person = Schema.Entity(name: "Person", fields: [field], keyKind: nil)
  public struct Entity: Sendable {
    /// What the mappings call it.
    public let name: String
    /// Its attributes and relationships; a field's number is its place here.
    public let fields: [Field]
    /// The kind of its primary keys; nil where no mapping has one.
    public let keyKind: AttributeKind?
    /// The field of the primary key; nil where no mapping has one, or none says which.
    package let keyField: Int?
    /// The Swift class of its objects; nil for records.
    package let objects: ObjectAccess?
    /// Whether a mapping keeps objects that lack their primary key.
    package let keepsKeyless: Bool

    /// Makes an entity of records.
    public init(name: String, fields: [Field], keyKind: AttributeKind?) {
      self.init(
        name: name, fields: fields, keyKind: keyKind, keyField: nil, objects: nil,
        keepsKeyless: false)
    }

    package init(
      name: String, fields: [Field], keyKind: AttributeKind?, keyField: Int?,
      objects: ObjectAccess?,
      keepsKeyless: Bool
    ) {
      self.name = name
      self.fields = fields
      self.keyKind = keyKind
      self.keyField = keyField
      self.objects = objects
      self.keepsKeyless = keepsKeyless
    }
  }

  /// The entities; an entity's number is its place here.
  public let entities: [Entity]

  /// Makes a schema.
  public init(entities: [Entity]) { self.entities = entities }

  /// An entity with a main-actor class; nil where there is none.
  package var mainEntity: String? { entities.first { $0.objects?.isOnMain ?? false }?.name }

  /// Whether both are copies of one schema, which a glance tells.
  package func isIdentical(to other: Schema) -> Bool {
    entities.withUnsafeBufferPointer { own in
      other.entities.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress && $0.count == own.count }
    }
  }

  /// The number of the entity with a name; nil where there is none.
  public func entity(named name: String) -> Int? { entities.firstIndex { $0.name == name } }
}

/// What an attribute's value is, whatever its form in JSON.
///
///     AttributeType.date(.epoch).kind     // .date
public enum AttributeKind: String, Sendable, CaseIterable {
  case boolean, integer, number, string, date, data, json
}
