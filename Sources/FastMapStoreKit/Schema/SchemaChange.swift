// A mapping may declare another type or another name for something that a store has. The first import that declares it makes
// the change, in its transaction. Every other use of the store is refused until then.

/// A change of a stored schema. Entities and fields have the numbers of that schema.
package enum SchemaChange: Sendable {
  case renameEntity(Int, to: String)
  case renameField(Int, of: Int, to: String)
  case convert(AttributeConversion)
}

/// Another type for a stored attribute.
package struct AttributeConversion: Sendable {
  /// Converts a value without loss; nil if it does not fit.
  package typealias Widening = @Sendable (Value) -> Value?
  /// The conversion of values of a kind; nil for a kind that cannot be converted.
  package typealias Rule = @Sendable (AttributeKind) -> Widening?

  package let entity: Int
  package let field: Int
  package let kind: AttributeKind
  private let mismatch: SchemaMismatchError
  private let widening: Widening?

  /// The value in the new type; nil if it does not fit.
  package func converted(_ value: Value) -> Value? {
    value == .null ? value : widening?(value)
  }

  /// The objects whose values do not fit: their number, and the three with the least keys, in whatever order they come.
  package struct Misfits: Sendable {
    package private(set) var count = 0
    private var first: [PrimaryKey?] = []

    package init() {}

    package mutating func add(_ key: PrimaryKey?) {
      count += 1
      first.append(key)
      first.sort { a, b in a.map { a in b.map { a < $0 } ?? true } ?? false }
      if first.count > 3 { first.removeLast() }
    }

    fileprivate var text: String {
      let names = first.map { $0.map { "\($0)" } ?? "one without a key" }
      return "; \(count == 1 ? "1 object has a value that does" : "\(count) objects have values that do") "
        + "not fit: " + names.joined(separator: ", ") + (count > names.count ? ", …" : "")
    }
  }

  /// - Throws: ``SchemaMismatchError`` if there are any.
  package func check(_ misfits: Misfits) throws(SchemaMismatchError) {
    if misfits.count > 0 { throw mismatch.adding(misfits.text) }
  }

  fileprivate func check(_ indexes: [Schema.Index]) throws(SchemaMismatchError) {
    let known = indexes.first { $0.parts.contains { $0.field == field } }
    guard kind == .json, let known else { return }
    throw mismatch.adding(
      "; the index \(quoted(known.name)) has it, and JSON values have no order: drop the index first")
  }

  fileprivate init(
    _ field: Int, of entity: Int, from old: AttributeKind, to kind: AttributeKind, _ mapped: Schema.Field,
    _ name: String
  ) {
    (self.entity, self.field, self.kind) = (entity, field, kind)
    widening = mapped.widening?(old)
    mismatch = SchemaMismatchError(
      entity: name, field: mapped.name, stored: old.noun, mapped: kind.noun)
  }

  fileprivate var note: String {
    "\(escaped(mismatch.entity)): \(quoted(mismatch.field ?? "")) was \(mismatch.stored), and is now \(mismatch.mapped)"
  }
}

extension Schema {
  /// The changes of a store that the schema declares: renames, and other types of attributes.
  ///
  /// A rename acts only while the old name exists and the new one does not. A key keeps its type, so a change of it is left for
  /// the store to refuse.
  ///
  /// - Parameter stored: All that the store has.
  /// - Returns: The changes in order, and a sentence about each for the report.
  /// - Throws: ``SchemaMismatchError`` for an index that the new type cannot have.
  package func changes(
    of stored: Schema
  ) throws(SchemaMismatchError) -> (changes: [SchemaChange], notes: [String]) {
    var changes: [SchemaChange] = []
    var notes: [String] = []
    let numbers = NameIndex(stored.entities.map(\.name))
    var renamed: Set<Int> = []
    for mapped in entities {
      var number = numbers[mapped.name]
      if number == nil, let old = mapped.was.flatMap({ numbers[$0] }), renamed.insert(old).inserted {
        changes.append(.renameEntity(old, to: mapped.name))
        notes.append("the entity \(quoted(stored.entities[old].name)) is now \(quoted(mapped.name))")
        number = old
      }
      guard let number else { continue }
      let entity = stored.entities[number]
      let places = NameIndex(entity.fields.map(\.name))
      var moved: Set<Int> = []
      for field in mapped.fields {
        var place = places[field.name]
        if place == nil, let old = field.was.flatMap({ places[$0] }), moved.insert(old).inserted {
          changes.append(.renameField(old, of: number, to: field.name))
          notes.append(
            "\(escaped(mapped.name)): \(quoted(entity.fields[old].name)) is now \(quoted(field.name))")
          place = old
        }
        guard let place, place != entity.keyField, case .attribute(let kind) = field.kind,
          case .attribute(let old) = entity.fields[place].kind, old != kind
        else { continue }
        let conversion = AttributeConversion(place, of: number, from: old, to: kind, field, mapped.name)
        try conversion.check(entity.indexes)
        changes.append(.convert(conversion))
        notes.append(conversion.note)
      }
    }
    return (changes, notes)
  }

  /// The same schema, for a write that makes its changes of the store.
  package var changingStore: Schema {
    var schema = self
    schema.changesStore = true
    return schema
  }
}

extension Schema.Entity {
  /// Throws if the store has the entity under its earlier name only.
  ///
  /// - Parameter number: The number of a stored entity, by its name.
  public func checkEarlierName(_ number: (String) -> Int?) throws(SchemaMismatchError) {
    if let was, number(was) != nil { throw SchemaMismatchError(name, field: nil, stored: was) }
  }

  /// Throws if the store has a field under its earlier name only.
  ///
  /// - Parameter number: The number of a stored field, by its name.
  public func checkEarlierName(
    of field: Schema.Field, _ number: (String) -> Int?
  ) throws(SchemaMismatchError) {
    if let was = field.was, number(was) != nil {
      throw SchemaMismatchError(name, field: field.name, stored: was)
    }
  }

  /// Throws if the stored type of a field is another.
  ///
  /// - Parameters:
  ///   - stored: The stored type, with its article.
  ///   - kind: The stored kind of an attribute; nil for a relationship.
  public func check(
    _ field: Schema.Field, in schema: Schema, stored: String, _ kind: AttributeKind?
  ) throws(SchemaMismatchError) {
    let mapped = schema.noun(of: field.kind)
    if stored.utf8.elementsEqual(mapped.utf8) { return }
    let error = SchemaMismatchError(entity: name, field: field.name, stored: stored, mapped: mapped)
    let canChange = !schema.changesStore && kind.flatMap { field.widening?($0) } != nil
    throw canChange ? error.adding("; the first import with this mapping changes it") : error
  }
}
