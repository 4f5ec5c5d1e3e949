package import FastMapStoreKit

/// Where the entities and fields of one schema are in a database.
///
///     let binding = try catalog.bind(schema)
///     guard let bound = binding[entity] else { return 0 }      // the database has no such entity yet
///     let sql = "SELECT \(SQLText.list(bound.columnNames)) FROM \(bound.stored.identifier)"
///
/// Missing tables and columns are no errors: an entity without a table has no objects, and a field without a column has
/// no values.
package struct SQLBinding: Sendable {
  /// One entity of a schema that the database has.
  ///
  ///     guard let (place, kind) = bound.column(of: field) else { return .missing }
  ///     return row.value(place, kind)
  package struct Entity: Sendable {
    /// The entity in the database, which may have more fields than the schema.
    package let stored: SQLCatalog.Entity
    /// By the numbers of the schema; nil if the database does not have the field.
    package let fields: [SQLCatalog.Field?]
    /// The numbers of attributes and to-one relationships that have a column, ascending. A statement selects them in
    /// this order.
    package let columns: [Int]
    /// The numbers of to-many relationships that have a table, ascending.
    package let lists: [Int]
    /// The numbers of all relationships that the database has, ascending.
    package let relationships: [Int]
    /// The indexes whose fields the schema has, each with the schema's numbers.
    package let indexes: [(index: Schema.Index, stored: SQLCatalog.Index)]
    private let places: [(place: Int, kind: SQLCatalog.Kind)?]

    fileprivate init(_ stored: SQLCatalog.Entity, _ fields: [SQLCatalog.Field?]) {
      self.stored = stored
      self.fields = fields
      columns = fields.indices.filter { fields[$0].map { !$0.isToMany } ?? false }
      lists = fields.indices.filter { fields[$0]?.isToMany ?? false }
      relationships = fields.indices.filter { fields[$0]?.target != nil }
      var numbers: [Int64: Int] = [:]
      for case (let number, let field?) in fields.enumerated() { numbers[field.number] = number }
      indexes = stored.indexes.compactMap { index in
        let parts = index.parts.compactMap { part in
          numbers[part.field].map { Schema.Index.Part(field: $0, isDescending: part.isDescending) }
        }
        guard parts.count == index.parts.count else { return nil }
        return (Schema.Index(name: index.name, parts: parts, isUnique: index.isUnique), index)
      }
      var places = [(place: Int, kind: SQLCatalog.Kind)?](repeating: nil, count: fields.count)
      for (place, field) in columns.enumerated() { places[field] = fields[field].map { (place, $0.kind) } }
      self.places = places
    }

    /// Where a field is among ``columns``, and its kind; nil if it has no column.
    package func column(of field: Int) -> (place: Int, kind: SQLCatalog.Kind)? { places[field] }

    /// The names of ``columns``, without quotes.
    package var columnNames: [String] { columns.compactMap { fields[$0]?.sqlName } }
  }

  /// By the numbers of the schema; nil if the database does not have the entity.
  package let entities: [Entity?]
  private let numbers: [Int64: Int]

  fileprivate init(_ entities: [Entity?]) {
    self.entities = entities
    var numbers: [Int64: Int] = [:]
    for case (let index, let entity?) in entities.enumerated() { numbers[entity.stored.number] = index }
    self.numbers = numbers
  }

  /// An entity of the schema; nil if the database does not have it.
  package subscript(entity: Int) -> Entity? { entities[entity] }

  /// The schema's number of a stored entity; nil if the schema does not name it.
  package func number(of stored: SQLCatalog.Entity) -> Int? { numbers[stored.number] }
}

extension SQLCatalog {
  /// Finds the entities and fields of a schema by their names.
  ///
  /// - Throws: `SchemaMismatchError` if a field or a key is stored with another type. ``SQLCatalogError`` if a stored
  ///   relationship has targets of an entity that does not exist.
  package func bind(_ schema: Schema) throws -> SQLBinding {
    SQLBinding(
      try schema.entities.map { mapped in
        guard let stored = entity(named: mapped.name) else {
          try mapped.checkEarlierName { self.entity(named: $0) == nil ? nil : 0 }
          return nil
        }
        try mapped.checkKeyKind(stored.keyKind)
        let fields = try mapped.fields.map { field in
          let found = stored.field(named: field.name)
          if let found {
            try check(found, field, of: mapped, schema)
          } else {
            try mapped.checkEarlierName(of: field) { stored.field(named: $0) == nil ? nil : 0 }
          }
          return found
        }
        return SQLBinding.Entity(stored, fields)
      })
  }

  /// Compares the nouns that an error would name: kinds that differ have different nouns.
  private func check(_ stored: Field, _ mapped: Schema.Field, of entity: Schema.Entity, _ schema: Schema)
    throws
  {
    var attribute: AttributeKind?
    if case .attribute(let kind) = stored.kind { attribute = kind }
    let noun =
      switch stored.kind {
      case .attribute(let kind): schema.noun(of: .attribute(kind))
      case .toOne(let target, let isOwned):
        Schema.noun(isToMany: false, try self.entity(target).name, isOwned: isOwned)
      case .toMany(let target, let isOwned):
        Schema.noun(isToMany: true, try self.entity(target).name, isOwned: isOwned)
      }
    try entity.check(mapped, in: schema, stored: noun, attribute)
  }
}
