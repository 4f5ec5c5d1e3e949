/// The scopes of keys: `Order.lines`.
extension Plan {
  /// The scope of the targets of a relationship.
  package func scope(_ field: Int, of entity: Int) -> String {
    let layout = schema.entities[entity]
    return Self.scope(entity: layout.name, relationship: layout.fields[field].name)
  }

  /// A key ends with it. PostgreSQL stores no NUL.
  package static func scope(entity: String, relationship: String) -> String {
    String(String.UnicodeScalarView("\(entity).\(relationship)".unicodeScalars.filter { $0.value != 0 }))
  }
}
