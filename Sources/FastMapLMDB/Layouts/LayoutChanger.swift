internal import FastMapCore

/// Makes the changes of a layout, one after the other, in a transaction.
///
/// Names stand in the layout alone, so that a rename writes no object. Numbers stay: an entity and a field keep
/// theirs for good.
struct LayoutChanger {
  /// Why a change cannot be made.
  struct Refusal: Error {
    let detail: String
  }

  let writing: WriteView
  let tables: Tables
  let lists: ListShape
  var layout: StoreLayout

  mutating func make(_ change: LayoutChange) throws {
    try checkNames(of: change)
    switch change.action {
    case .renameEntity(let entity, let name):
      try rename(entity, to: name)
    case .renameField(let field, let entity, let name):
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
        detail: "the store has an entity of that name, with \(count) objects; rename that one first")
    }
    layout.entities[number].name = name
  }

  private mutating func rename(_ field: String, of entity: Int, to name: String) throws {
    guard let number = self.field(field, of: entity), !field.utf8.elementsEqual(name.utf8) else { return }
    if let other = self.field(name, of: entity) {
      let noun = layout.noun(of: layout.entities[entity].fields[other].kind)
      throw Refusal(detail: "the store has \(noun) of that name, be it from long ago; rename that one first")
    }
    layout.entities[entity].fields[number].name = name
  }

  private func checkNames(of change: LayoutChange) throws {
    let mark = change.mark
    for name in mark.kind == 0 ? [mark.entity, mark.target] : [mark.entity, mark.field, mark.target] {
      guard (1...0xFFFF).contains(name.count) else {
        throw Refusal(detail: "a name has 1 to 65535 bytes, this one has \(name.count)")
      }
    }
  }
}
