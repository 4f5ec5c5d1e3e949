import FastMapCore

/// What the caller sets while a save or an import waits.
struct ContextMeanwhile {
  enum Value {
    case name(String?)
    case rank(Int?)
    case next(Int?)
    case friends([Int])
  }

  let key: Int
  let value: Value
}

extension ContextRun {
  /// One to three edits, each of another field, and each to another value.
  mutating func makeEditsMeanwhile() -> [ContextMeanwhile] {
    var edits: [ContextMeanwhile] = []
    let places = model.shown.filter { !$0.value.isDeleted }.keys
    let targets = model.shown.filter { $0.value.isNew || model.stored[$0.key] != nil }.filter {
      !$0.value.isDeleted
    }.keys
    for _ in 0..<random.next(4) {
      guard let key = pick(places), let shown = model.shown[key], items[key] != nil,
        !edits.contains(where: { $0.key == key })
      else { continue }
      switch random.next(4) {
      case 0:
        let name = random.next(4) == 0 ? nil : "w\(random.next(9))"
        if name != shown.mine.name { edits.append(.init(key: key, value: .name(name))) }
      case 1:
        let rank = random.next(4) == 0 ? nil : 10 + random.next(9)
        if rank != shown.mine.rank { edits.append(.init(key: key, value: .rank(rank))) }
      case 2:
        let next = random.next(4) == 0 ? nil : pick(targets)
        if next != shown.mine.next, shown.hasNext || shown.isNew {
          edits.append(.init(key: key, value: .next(next)))
        }
      default:
        let friends = (0..<random.next(3)).compactMap { _ in pick(targets) }
        if friends != shown.mine.friends, shown.hasFriends || shown.isNew {
          edits.append(.init(key: key, value: .friends(friends)))
        }
      }
    }
    if !edits.isEmpty { steps.append("meanwhile \(edits)") }
    return edits
  }

  /// Makes edits on the main actor, as soon as a call from there waits.
  @MainActor
  func startEdits(_ edits: [ContextMeanwhile]) -> Task<Void, any Error> {
    let items = items
    return Task { @MainActor in
      for edit in edits {
        switch edit.value {
        case .name(let name): items[edit.key]?.name = name
        case .rank(let rank): items[edit.key]?.rank = rank
        case .next(let next): try items[edit.key]?.set(next: next.flatMap { items[$0] })
        case .friends(let friends): try items[edit.key]?.set(friends: friends.compactMap { items[$0] })
        }
      }
    }
  }
}

extension ContextModel {
  /// Takes over what was set while a save or an import waited.
  ///
  /// - Parameter before: The model when it began.
  mutating func take(_ edits: [ContextMeanwhile], since before: ContextModel) {
    for edit in edits {
      guard var object = shown[edit.key] else { continue }
      switch edit.value {
      case .name(let name): object.mine.name = name
      case .rank(let rank): object.mine.rank = rank
      case .next(let next): object.mine.next = next.flatMap { shown[$0] == nil ? nil : $0 }
      case .friends(let friends): object.mine.friends = friends.filter { shown[$0] != nil }
      }
      shown[edit.key] = object
    }
  }
}
