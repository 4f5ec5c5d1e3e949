/// The fields of an entity that have the entries of links that wait. An entry names its neighbours in the list by their numbers.
package struct DumpedEntries {
  /// The relationships, by the fields of their entries.
  package let links: [Int: Int]

  package init(of entity: Schema.Entity) {
    let fields = Dictionary(entity.fields.enumerated().map { (ByteName($1.name), $0) }) { first, _ in first }
    var links: [Int: Int] = [:]
    for (link, field) in entity.fields.enumerated() where field.kind.target != nil {
      if let entries = fields[ByteName(WaitingNames.entries(of: field.name))] { links[entries] = link }
    }
    self.links = links
  }

  /// The entries with other numbers.
  ///
  /// - Parameters:
  ///   - field: The entries, as a store keeps them. Anything else stays as it is.
  ///   - change: The new number of a target; nil if it is not in the list any more.
  package static func renumber(_ field: Field, _ change: (ObjectID) -> ObjectID?) -> Value {
    var waiting = WaitingEntries(field)
    guard let value = field.value, waiting.value == value else { return field.value ?? .null }
    func changed(_ id: ObjectID) -> ObjectID { id == .unset ? id : change(id) ?? .unset }
    for index in waiting.entries.indices {
      waiting.entries[index].before = changed(waiting.entries[index].before)
      waiting.entries[index].behind = changed(waiting.entries[index].behind)
    }
    return waiting.value
  }
}
