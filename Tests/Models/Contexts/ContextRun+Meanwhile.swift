import FastMapCore
import FastMapStoreTesting

/// A field that the caller sets while a save or an import waits.
struct ContextMeanwhile {
  let key: Int
  let field: ContextPayload.Field
  /// Has the field.
  let mine: ContextModel.Fields
}

/// Edits while the context waits.
extension ContextRun {
  /// Some edits. Each sets another value than the shown one.
  mutating func makeEditsMeanwhile() -> [ContextMeanwhile] {
    let shown = model.shown.filter { !$0.value.isDeleted && items[$0.key] != nil }
    let targets = shown.filter { $0.value.isNew || model.stored[$0.key] != nil }.keys.sorted()
    let leaving = Set(model.shown.filter(\.value.isDeleted).keys)
    var edits: [ContextMeanwhile] = []
    for _ in 0..<random.next(4) {
      guard let key = pick(shown.keys), let object = shown[key], !targets.isEmpty,
        let field = ContextPayload.Field.allCases.filter({ $0 != .notes }).randomElement(using: &random)
      else { continue }
      if field == .friends, !object.hasFriends, !object.isNew { continue }
      // Putting a value back is an edit, too.
      let mine = random.next(3) == 0 ? object.read : fields(of: targets)
      let isGone = ([mine.next].compactMap(\.self) + mine.friends).contains { shown[$0] == nil }
      // A save takes deleted targets out of a relationship. To take them out meanwhile is no edit.
      var saved = object.mine
      saved.remove(leaving)
      if isGone || mine.hasSame(field, as: object.mine) || mine.hasSame(field, as: saved) { continue }
      if field == .next, mine.next == nil, !object.hasNext, !object.isNew { continue }
      if edits.contains(where: { $0.key == key && $0.field == field }) { continue }
      edits.append(.init(key: key, field: field, mine: mine))
      steps.append("meanwhile set \(key).\(field) as in \(mine)")
    }
    return edits
  }

  /// Makes the edits on the main actor, as soon as a call from there waits.
  @MainActor
  func startEdits(_ edits: [ContextMeanwhile]) -> Task<Void, any Error> {
    let items = items
    return Task { @MainActor in
      for edit in edits {
        guard let item = items[edit.key] else { continue }
        switch edit.field {
        case .name: item.name = edit.mine.name
        case .rank: item.rank = edit.mine.rank
        case .next: try item.set(next: edit.mine.next.flatMap { items[$0] })
        case .friends: try item.set(friends: edit.mine.friends.compactMap { items[$0] })
        case .notes: break
        }
      }
    }
  }
}

extension ContextModel {
  /// Takes over edits made while an import or a failing save waited.
  mutating func take(_ edits: [ContextMeanwhile]) {
    for edit in edits { shown[edit.key]?.mine.take(edit.field, of: edit.mine) }
  }
}

extension ContextModel.Fields {
  func hasSame(_ field: ContextPayload.Field, as other: Self) -> Bool {
    switch field {
    case .name: name == other.name
    case .rank: rank == other.rank
    case .next: next == other.next
    case .friends: friends == other.friends
    case .notes: notes == other.notes
    }
  }

  mutating func take(_ field: ContextPayload.Field, of other: Self) {
    switch field {
    case .name: name = other.name
    case .rank: rank = other.rank
    case .next: next = other.next
    case .friends: friends = other.friends
    case .notes: notes = other.notes
    }
  }
}
