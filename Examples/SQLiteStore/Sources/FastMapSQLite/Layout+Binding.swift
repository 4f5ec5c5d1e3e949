internal import FastMapCore

/// Where the entities and fields of one schema stand in a database.
struct Binding {
  /// One entity of the schema.
  struct Entity {
    let table: Layout.Entity
    /// By the number in the schema; nil where the database has not met the field.
    let fields: [Layout.Field?]
    /// Reads the columns of the known attributes and to-one relationships, in the order of `read`.
    let select: String
    /// The schema's numbers of those.
    let read: [Int]
    /// By the number in the schema, where it stands in `select`; 0 for what is not there, as the object's number is.
    let columns: [Int]
  }

  /// By the number in the schema; nil where the database has not met the entity.
  var entities: [Entity?] = []
}

extension Layout {
  /// Finds the entities and fields of a schema by their names.
  ///
  /// - Throws: `SchemaMismatchError` where they are stored otherwise.
  func bind(_ schema: Schema) throws -> Binding {
    var binding = Binding()
    for mapped in schema.entities {
      guard let stored = entity(named: mapped.name) else {
        binding.entities.append(nil)
        continue
      }
      if let kind = stored.keyKind, let other = mapped.keyKind, kind != other {
        throw SchemaMismatchError(
          entity: mapped.name, field: nil, stored: schema.noun(of: .attribute(kind)),
          mapped: schema.noun(of: .attribute(other)))
      }
      let fields = try mapped.fields.map { field in
        let found = stored.field(named: field.name)
        if let found { try check(found, field, of: mapped.name, schema) }
        return found
      }
      binding.entities.append(Binding.Entity(stored, fields))
    }
    return binding
  }

  /// Both are named as people say it: what differs in words differs in kind.
  private func check(
    _ stored: Field, _ mapped: Schema.Field, of entity: String, _ schema: Schema
  ) throws {
    let noun =
      switch stored.kind {
      case .attribute(let kind): schema.noun(of: .attribute(kind))
      case .toOne(let target, let isOwned):
        Schema.noun(isToMany: false, try self.entity(target).name, isOwned: isOwned)
      case .toMany(let target, let isOwned):
        Schema.noun(isToMany: true, try self.entity(target).name, isOwned: isOwned)
      }
    let other = schema.noun(of: mapped.kind)
    if noun != other {
      throw SchemaMismatchError(entity: entity, field: mapped.name, stored: noun, mapped: other)
    }
  }
}

extension Binding.Entity {
  init(_ table: Layout.Entity, _ fields: [Layout.Field?]) {
    let read = fields.indices.filter { fields[$0].map { !$0.isToMany } ?? false }
    let selected = ["id"] + read.compactMap { fields[$0]?.column }
    self.table = table
    self.fields = fields
    self.read = read
    self.columns = fields.indices.map { (read.firstIndex(of: $0) ?? -1) + 1 }
    select = "SELECT \(selected.joined(separator: ", ")) FROM \(table.table) WHERE id = ?1"
  }
  /// What a row of `select` holds of a field; nil where it is damaged.
  func field(_ number: Int, of statement: Statement) -> Field? {
    let column = columns[number]
    guard column > 0 else { return .missing }
    switch fields[number]?.kind {
    case .attribute(let kind): return statement.field(column, kind)
    case .toOne where !statement.isNull(column): return .target(statement.id(column))
    default: return .missing
    }
  }

  func damaged(_ number: Int) -> SQLiteStoreError {
    .damaged("the field \(fields[number]?.name ?? "") of \(table.name) holds what is not of its kind")
  }
}
