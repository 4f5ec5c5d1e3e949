internal import CFastMap

/// The entities and fields of an import or a read, as a store sees them.
///
///     for entity in schema.entities { print(entity.name, entity.fields.map(\.name)) }
///
/// Entities and fields are numbered by their position. The store protocols use these numbers. They are valid for this
/// schema only, so a persistent store must use the names.
public struct Schema: Sendable {
  /// An attribute or a relationship of an entity.
  ///
  ///     let field = Schema.Field(name: "email", kind: .attribute(.string))
  public struct Field: Sendable {
    /// The name in the mappings.
    public let name: String
    /// The kind of its value.
    public let kind: Kind
    /// The value in a new object whose payload lacks it; nil for none.
    public let defaultValue: Value?
    /// Its earlier name, under which a store may still have it.
    package var was: String?
    /// How stored values of another kind become values of its type; nil for a kind that cannot.
    package let widening: AttributeConversion.Rule?

    /// Makes a field.
    public init(name: String, kind: Kind, defaultValue: Value? = nil) {
      self.init(name: name, kind: kind, defaultValue: defaultValue, was: nil, widening: nil)
    }

    package init(
      name: String, kind: Kind, defaultValue: Value?, was: String?,
      widening: AttributeConversion.Rule?
    ) {
      self.name = name
      self.kind = kind
      self.defaultValue = defaultValue
      self.was = was
      self.widening = widening
    }
  }

  /// The kind of a field.
  ///
  ///     if case .toOne(let entity, _) = field.kind { print(schema.entities[entity].name) }
  public enum Kind: Hashable, Sendable {
    /// A value.
    case attribute(AttributeKind)
    /// A relationship to at most one object of the entity with this number. An owned target has no key and is deleted
    /// with its owner.
    case toOne(entity: Int, isOwned: Bool)
    /// A relationship to any number of objects, in order.
    case toMany(entity: Int, isOwned: Bool)

    /// The targets of a relationship of either cardinality; nil for an attribute.
    public var target: (entity: Int, isOwned: Bool)? {
      switch self {
      case .attribute: nil
      case .toOne(let entity, let isOwned), .toMany(let entity, let isOwned): (entity, isOwned)
      }
    }

    /// Whether it is a relationship to any number of objects.
    public var isToMany: Bool { if case .toMany = self { true } else { false } }
  }

  /// An order of the objects of an entity that the store keeps.
  ///
  ///     for index in schema.entities[0].indexes { print(index.name, index.parts.map(\.field)) }
  public struct Index: Hashable, Sendable {
    /// A field of an index.
    ///
    ///     let part = Schema.Index.Part(field: 2, isDescending: true)
    public struct Part: Hashable, Sendable {
      /// The number of an attribute or a to-one relationship.
      public let field: Int
      /// Whether the greatest comes first, and objects without a value last.
      public let isDescending: Bool

      /// Makes a part of an index.
      public init(field: Int, isDescending: Bool) {
        self.field = field
        self.isDescending = isDescending
      }
    }

    /// The most fields of an index.
    package static let mostFields = 8

    /// Its name in the entity, which it keeps in a store: `status,-created_at`.
    public let name: String
    /// The fields, the most important first, without repeats.
    public let parts: [Part]
    /// Whether no two objects may have the same values, none of them missing, when a transaction ends.
    public let isUnique: Bool

    /// Makes an index.
    public init(name: String, parts: [Part], isUnique: Bool) {
      self.name = name
      self.parts = parts
      self.isUnique = isUnique
    }
  }

  /// The other side of a relationship: the objects that refer to an object of an entity.
  ///
  ///     let relationship = schema.entities[inverse.entity].fields[inverse.field]
  ///
  /// Nothing of it is stored, and rows have no slot for it. ``StoreReader/owners(of:entity:field:)`` finds the objects.
  public struct Inverse: Sendable {
    /// The name in the mappings.
    public let name: String
    /// The number of the entity that has the relationship.
    public let entity: Int
    /// The number of the relationship in that entity.
    public let field: Int
    /// Whether it has all objects that refer to an object, or only the first one.
    public let isToMany: Bool

    /// Makes an inverse.
    package init(name: String, entity: Int, field: Int, isToMany: Bool) {
      self.name = name
      self.entity = entity
      self.field = field
      self.isToMany = isToMany
    }
  }

  /// The objects of one kind.
  ///
  ///     let person = Schema.Entity(name: "Person", fields: [field], keyKind: nil)
  public struct Entity: Sendable {
    /// The most attributes and relationships of an entity.
    package static let mostFields = 4096

    /// The name in the mappings.
    public let name: String
    /// Its attributes and relationships. The number of a field is its position here.
    public let fields: [Field]
    /// The inverses of relationships to its objects. They are no fields, and a store need not look at them.
    public let inverses: [Inverse]
    /// The kind of its primary keys; nil if no mapping has one.
    public let keyKind: AttributeKind?
    /// The field of the primary key; nil if there is none or it is unknown.
    public let keyField: Int?
    /// The indexes that its mappings declare.
    public let indexes: [Index]
    /// Whether a mapping keeps objects without a primary key.
    package let keepsKeyless: Bool
    /// Whether mappings have it, and none of them a primary key. A schema of the core's own may only not name the key.
    let isKeyless: Bool
    /// The fields of every mapping of the set, reached by the plan or not.
    package let fieldsElsewhere: Set<ByteName>
    /// Its earlier name, under which a store may still have it.
    package let was: String?

    /// Makes an entity.
    public init(
      name: String, fields: [Field], keyKind: AttributeKind?, keyField: Int? = nil, inverses: [Inverse] = [],
      indexes: [Index] = []
    ) {
      self.init(
        name: name, fields: fields, keyKind: keyKind, keyField: keyField, inverses: inverses,
        indexes: indexes, keepsKeyless: false)
    }

    package init(
      name: String, fields: [Field], keyKind: AttributeKind?, keyField: Int?, inverses: [Inverse] = [],
      indexes: [Index], keepsKeyless: Bool, isKeyless: Bool = false,
      fieldsElsewhere: Set<ByteName> = [], was: String? = nil
    ) {
      self.name = name
      self.fields = fields
      self.keyKind = keyKind
      self.keyField = keyField
      self.indexes = indexes
      self.inverses = inverses
      self.keepsKeyless = keepsKeyless
      self.isKeyless = isKeyless
      self.fieldsElsewhere = fieldsElsewhere
      self.was = was
    }
  }

  /// The entities. The number of an entity is its position here.
  public let entities: [Entity]
  /// Whether a write makes the changes of the store that the schema declares: see `changes(of:)`.
  package var changesStore = false
  /// The mapping file that a store keeps, after the changes; nil if it stays. For a store that makes them before the write.
  package var keptFile: (@Sendable (_ kept: [UInt8]) -> [UInt8]?)?
  /// Whether an entity or a field has an earlier name.
  package let hasEarlierNames: Bool

  /// Makes a schema.
  public init(entities: [Entity]) {
    self.entities = entities
    hasEarlierNames = entities.contains { $0.was != nil || $0.fields.contains { $0.was != nil } }
  }

  /// Makes a schema for a look at its names.
  package init(names entities: [Entity]) { (self.entities, hasEarlierNames) = (entities, false) }

  /// Whether both are copies of the same schema. The check takes constant time.
  package func isIdentical(to other: Schema) -> Bool {
    entities.withUnsafeBufferPointer { own in
      other.entities.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress && $0.count == own.count }
    }
  }

  /// The number of the entity with a name; nil if there is none.
  public func entity(named name: String) -> Int? { entities.firstIndex { NameIndex.isSame($0.name, name) } }
}

/// The kind of an attribute's value, independent of its format in JSON.
///
///     AttributeType.date(.epoch).kind     // .date
public enum AttributeKind: String, Sendable, CaseIterable {
  case boolean, integer, number, decimal, string, date, data, json
}

extension AttributeKind {
  /// The noun with its article, for messages.
  package var noun: String {
    switch self {
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .number: "a number"
    case .decimal: "a decimal of at most \(FASTMAP_DECIMAL_DIGITS) digits"
    case .string: "a string"
    case .date: "a date"
    case .data: "base64 data"
    case .json: "a JSON value"
    }
  }
}
