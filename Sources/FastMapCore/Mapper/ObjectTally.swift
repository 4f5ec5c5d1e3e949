/// Counts what an import does to each object, once for each.
struct ObjectTally {
  enum State: UInt64 {
    case unmet, unchanged, updated, inserted
  }

  struct Rewritten: Hashable {
    var entity: Int
    var id: ObjectID
  }

  private var counts: [ImportReport.Counts]
  private var isMet: [Bool]
  private var states: [StateMap]
  /// Objects that were written more than once: they may have come back to what they were. Nil where nobody will ask.
  private(set) var rewritten: Set<Rewritten>?
  /// By entity, faulty objects that are stored: left out, and not to be deleted either.
  private var spared: [Set<ObjectID>]

  init(entityCount: Int, keepsRewritten: Bool) {
    rewritten = keepsRewritten ? [] : nil
    counts = Array(repeating: .init(), count: entityCount)
    isMet = Array(repeating: false, count: entityCount)
    states = Array(repeating: StateMap(), count: entityCount)
    spared = Array(repeating: [], count: entityCount)
  }

  /// The rows of the entities that were met.
  func rows(of schema: Schema) -> [ImportReport.Row] {
    schema.entities.indices.filter { isMet[$0] }.map {
      ImportReport.Row(entity: schema.entities[$0].name, counts: counts[$0])
    }
  }

  /// Whether anything became different.
  var hasChanges: Bool { counts.contains { $0.inserted + $0.updated + $0.deleted > 0 } }

  /// Whether the payload speaks of an object, be it in vain.
  func hasMet(_ id: ObjectID, of entity: Int) -> Bool {
    states[entity][id] != .unmet || spared[entity].contains(id)
  }

  mutating func noteSpared(_ id: ObjectID, of entity: Int) { spared[entity].insert(id) }

  mutating func noteMet(entity: Int) { isMet[entity] = true }

  mutating func noteSkipped(entity: Int) {
    isMet[entity] = true
    counts[entity].skipped += 1
  }

  mutating func note(_ id: ObjectID, of entity: Int, isNew: Bool, isChanged: Bool) {
    isMet[entity] = true
    let old = states[entity][id]
    switch (old, isNew, isChanged) {
    case (.unmet, true, _):
      counts[entity].inserted += 1
      states[entity][id] = .inserted
    case (.unmet, false, true):
      counts[entity].updated += 1
      states[entity][id] = .updated
    case (.unmet, false, false):
      counts[entity].unchanged += 1
      states[entity][id] = .unchanged
    case (.unchanged, _, true):
      counts[entity].unchanged -= 1
      counts[entity].updated += 1
      states[entity][id] = .updated
    case (.updated, _, true):
      rewritten?.insert(Rewritten(entity: entity, id: id))
    default:
      break
    }
  }

  /// Takes back that a rewritten object was updated: it is what it was before.
  mutating func noteRestored(_ id: ObjectID, of entity: Int) {
    guard states[entity][id] == .updated else { return }
    counts[entity].updated -= 1
    counts[entity].unchanged += 1
    states[entity][id] = .unchanged
  }

  func deletedCount(of entity: Int) -> Int { counts[entity].deleted }

  mutating func noteDeleted(_ id: ObjectID, of entity: Int) {
    isMet[entity] = true
    switch states[entity][id] {
    case .inserted:
      counts[entity].inserted -= 1
      states[entity][id] = .unmet
      return
    case .updated: counts[entity].updated -= 1
    case .unchanged: counts[entity].unchanged -= 1
    case .unmet: break
    }
    states[entity][id] = .unmet
    counts[entity].deleted += 1
  }
}

/// Two bits for each object number, in pages, so that dense numbers cost a quarter of a byte.
private struct StateMap {
  private static let perPage: UInt64 = 4096
  private var pages: [UInt64: [UInt64]] = [:]

  subscript(id: ObjectID) -> ObjectTally.State {
    get {
      guard let page = pages[id / Self.perPage] else { return .unmet }
      let place = id % Self.perPage
      return .init(rawValue: page[Int(place / 32)] >> (place % 32 * 2) & 3) ?? .unmet
    }
    set {
      let place = id % Self.perPage
      let shift = place % 32 * 2
      pages[id / Self.perPage, default: Array(repeating: 0, count: Int(Self.perPage / 32))]
        .withUnsafeMutableBufferPointer {
          $0[Int(place / 32)] = $0[Int(place / 32)] & ~(3 << shift) | newValue.rawValue << shift
        }
    }
  }
}
