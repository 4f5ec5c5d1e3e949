internal import FastMapStoreKit

/// Applies migrations, one after the other, in a transaction.
///
/// Only the layout has names, so a rename writes no object. An entity and a field keep their numbers forever.
struct Migrator {
  /// The reason why a migration cannot be applied.
  struct Refusal: Error {
    let detail: String
  }

  let writing: WriteView
  let tables: Tables
  let lists: ListShape
  var layout: StoreLayout
  /// The entities with other values or keys than before.
  var converted: Set<UInt16> = []

  /// - Parameter later: The migrations that follow it.
  mutating func make(_ change: Migration, before later: ArraySlice<Migration>) throws {
    try checkNames(of: change)
    try checkSpelling(of: change, before: later)
    switch change.action {
    case .renameEntity(let entity, let name):
      try rename(entity, to: name)
    case .renameField(let field, let entity, let name, _):
      guard let entity = number(of: entity) else { return }
      try rename(field, of: entity, to: name)
    case .convert(let attribute, let entity, let conversion):
      guard let entity = number(of: entity), let field = field(attribute, of: entity) else { return }
      try convert(field, of: entity, conversion)
    }
  }

  private func number(of entity: String) -> Int? {
    layout.entities.firstIndex { $0.name.utf8.elementsEqual(entity.utf8) }
  }

  private func field(_ name: String, of entity: Int) -> Int? {
    layout.entities[entity].fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
  }

  private mutating func rename(_ entity: String, to name: String) throws {
    guard let number = number(of: entity), !entity.utf8.elementsEqual(name.utf8) else { return }
    if let other = self.number(of: name) {
      let count = layout.entities[other].counts.objects
      throw Refusal(
        detail: "the store has an entity of that name, with \(count) objects; rename it first")
    }
    layout.entities[number].name = name
  }

  private mutating func rename(_ field: String, of entity: Int, to name: String) throws {
    guard let number = self.field(field, of: entity), !field.utf8.elementsEqual(name.utf8) else { return }
    if let other = self.field(name, of: entity) {
      let noun = layout.noun(of: layout.entities[entity].fields[other].kind)
      throw Refusal(
        detail: "the store has \(noun) of that name, perhaps one that mappings no longer use; rename it first"
      )
    }
    layout.entities[entity].fields[number].name = name
  }

  private func checkNames(of change: Migration) throws {
    let mark = change.mark
    for name in mark.kind == 0 ? [mark.entity, mark.target] : [mark.entity, mark.field, mark.target] {
      guard (1...0xFFFF).contains(name.count) else {
        throw Refusal(detail: "a name has 1 to 65535 bytes, this one has \(name.count)")
      }
    }
  }

  /// Refuses a migration of an unknown name if the store has a similar one, and a rename of an unknown field in any case.
  ///
  /// If the store already has the final names, it is newer than the migrations, and no name is misspelt.
  private func checkSpelling(of change: Migration, before later: ArraySlice<Migration>) throws {
    var (entity, field): (String, String?)
    switch change.action {
    case .renameEntity(let old, _): (entity, field) = (old, nil)
    case .renameField(let old, let owner, _, _): (entity, field) = (owner, old)
    case .convert(let old, let owner, _): (entity, field) = (owner, old)
    }
    let number = number(of: entity)
    if let number, let field, self.field(field, of: number) == nil {
      let names = layout.entities[number].fields.map(\.name)
      try refuse(field, in: entity, unless: end(of: field, of: entity, [change] + later).field, among: names)
      try refuseUnknown(change, before: later, among: names)
    } else if number == nil {
      try refuse(
        entity, in: "the store", unless: end(of: nil, of: entity, [change] + later).entity,
        among: layout.entities.map(\.name))
    }
  }

  private func refuse(_ name: String, in place: String, unless end: String?, among names: [String]) throws {
    if let end, names.contains(where: { $0.utf8.elementsEqual(end.utf8) }) { return }
    guard let near = suggestion(for: name, among: names) else { return }
    throw Refusal(detail: "\(place) has no \(quoted(name)); did you mean \(quoted(near))?")
  }

  /// Refuses the rename of a field if the stored entity has neither its old name nor a new one. `ifStored` allows it.
  private func refuseUnknown(
    _ change: Migration, before later: ArraySlice<Migration>, among names: [String]
  ) throws {
    guard case .renameField(let field, let entity, let name, ifStored: false) = change.action else { return }
    for count in 0...later.count {
      let new = end(of: field, of: entity, [change] + later.prefix(count)).field
      if names.contains(where: { $0.utf8.elementsEqual((new ?? field).utf8) }) { return }
    }
    throw Refusal(
      detail:
        "the store has \(escaped(entity)), with neither \(quoted(field)) nor \(quoted(name)); correct the name, or add "
        + "\"ifStored: true\" if older stores never had it")
  }

  private func end(
    of field: String?, of entity: String, _ changes: some Sequence<Migration>
  ) -> (entity: String, field: String?) {
    var (entity, field) = (entity, field)
    for change in changes {
      switch change.action {
      case .renameEntity(entity, let name): entity = name
      case .renameField(let old, entity, let name, _) where old == field: field = name
      default: break
      }
    }
    return (entity, field)
  }
}
