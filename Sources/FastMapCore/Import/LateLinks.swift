internal import CFastMap

/// What one row says of a relationship that a weak mapping may have missed targets of. Owners are objects of the unit.
struct LateLink {
  enum Target {
    case object(Int)
    case missed(PrimaryKey)
  }

  enum Says {
    /// The relationship has a new value, of so many targets: what was missed before does not count. `isFollowed`
    /// says that some are missing of this one.
    case new(count: Int, isFollowed: Bool)
    /// A target is missing; nil for the position is a to-one relationship.
    case missed(PrimaryKey, position: Int?, policy: UInt8)
    /// Targets for the end of the list, as far as they exist then and it does not have them.
    case merged([PrimaryKey])
    /// A policy of the caller's decides about targets of which some are missing.
    case ask(mapping: Int, relationship: Int, targets: [Target])
  }

  var owner: Int
  var field: Int
  var says: Says
}

/// What weak relationships have missed, kept until the payload ends: an object that comes later in it counts as existing.
///
///     [{"id": 1, "boss": 2}, …, {"id": 2}]      owner 1, field boss, key 2
///
/// Links are made at the end. The values inside of a missed representation are kept as text, and read when the object is
/// made: before what makes it, as they stand before it. A log that only grows, so that a transaction that is run again cuts
/// it; memory is in proportion to what was missed.
final class LateLinks {
  typealias Holder = ChangeBatch.Holder

  /// An object that is not there.
  fileprivate struct Key: Hashable {
    var entity: Int
    var key: PrimaryKey
  }

  private struct Entry {
    var holder: Holder
    var says: Says
  }

  private enum Says {
    case new(count: Int)
    case missed(PrimaryKey, position: Int?, policy: UInt8)
    case merged([PrimaryKey])
    case ask(mapping: Int, relationship: Int, targets: [Target])
  }

  private enum Target {
    case object(ObjectID)
    case missed(PrimaryKey)
  }

  /// A representation whose object was not there.
  struct Text {
    var mapping: Int
    var bytes: [UInt8]
    fileprivate var key: Key
  }

  /// How long the logs are.
  struct Mark {
    fileprivate var entries = 0
    fileprivate var texts = 0
    fileprivate var taken = 0
  }

  private let plan: Plan
  private var entries: [Entry] = []
  /// The relationships with something in the log, and perhaps some more.
  private var holders: Set<Holder> = []
  private var texts: [Text] = []
  private var textsOf: [Key: [Int]] = [:]
  /// Texts that were read, as their objects were made.
  private var taken: [(key: Key, texts: [Int])] = []

  init(plan: Plan) { self.plan = plan }

  var isEmpty: Bool { entries.isEmpty }

  /// Whether something of a relationship waits for the end of the payload. Where nothing does, it may say so all the same.
  func isWaiting(_ holder: Holder) -> Bool { holders.contains(holder) }

  var mark: Mark { Mark(entries: entries.count, texts: texts.count, taken: taken.count) }

  /// Forgets what was added since.
  func rewind(to mark: Mark) {
    while entries.count > mark.entries { holders.insert(entries.removeLast().holder) }
    while taken.count > mark.taken {
      let last = taken.removeLast()
      textsOf[last.key] = last.texts
    }
    while texts.count > mark.texts {
      let key = texts.removeLast().key
      textsOf[key]?.removeLast()
    }
  }

  // MARK: Keeping

  /// Keeps what a batch has missed. Its objects have their numbers.
  func add(_ unit: ImportUnit) {
    for link in unit.lateLinks {
      let owner = unit.objects[link.owner]
      add(Holder(owner: owner.id, entity: owner.entity, field: link.field), link.says, unit)
    }
    unit.lateLinks.removeAll(keepingCapacity: true)
    for index in unit.missed { keepText(of: unit.occurrence(index), unit) }
  }

  private func add(_ holder: Holder, _ says: LateLink.Says, _ unit: ImportUnit) {
    switch says {
    case .new(let count, let isFollowed):
      guard holders.remove(holder) != nil || isFollowed else { return }
      entries.append(Entry(holder: holder, says: .new(count: count)))
    case .missed(let key, let position, let policy):
      holders.insert(holder)
      entries.append(Entry(holder: holder, says: .missed(key, position: position, policy: policy)))
    case .merged(let keys):
      holders.insert(holder)
      entries.append(Entry(holder: holder, says: .merged(keys)))
    case .ask(let mapping, let relationship, let targets):
      holders.insert(holder)
      let targets = targets.map { target -> Target in
        switch target {
        case .object(let number): .object(unit.objects[number].id)
        case .missed(let key): .missed(key)
        }
      }
      entries.append(
        Entry(holder: holder, says: .ask(mapping: mapping, relationship: relationship, targets: targets)))
    }
  }

  private func keepText(of occurrence: fastmap_occurrence, _ unit: ImportUnit) {
    let planned = plan.mappings[Int(occurrence.mapping)]
    guard let row = occurrence.row, let node = JSONNode(unsafe: occurrence.node),
      let key = PrimaryKey(slot: occurrence.key)
    else { return }
    let says = plan.schema.entities[planned.entity].fields.indices.contains { field in
      field != planned.keyField && row[field].tag != FASTMAP_MISSING && row[field].tag != FASTMAP_NULL
    }
    guard says else { return }
    var writer = JSONWriter()
    let value = unit.value(of: node)
    writer.append(value.node, value.bigIntegers)
    let missing = Key(entity: planned.entity, key: key)
    textsOf[missing, default: []].append(texts.count)
    texts.append(Text(mapping: Int(occurrence.mapping), bytes: writer.bytes, key: missing))
  }

  /// Takes what earlier batches said of objects that a batch is about to make, in payload order.
  func takeTexts(for unit: ImportUnit) -> [Text] {
    guard !textsOf.isEmpty else { return [] }
    var found: [Int] = []
    for objects in unit.keyed {
      for object in unit.objects[objects] where object.isMet && !object.isStored {
        guard let key = PrimaryKey(slot: object.key) else { continue }
        let made = Key(entity: object.entity, key: key)
        guard let texts = textsOf.removeValue(forKey: made) else { continue }
        taken.append((made, texts))
        found += texts
      }
    }
    return found.sorted().map { texts[$0] }
  }

  // MARK: Settling

  /// What is to be done with a relationship when the payload has ended.
  struct Settlement {
    var holder: Holder
    /// Targets for the list that the payload gave, by position.
    var inserted: [(position: Int, target: ObjectID)] = []
    /// How many of the targets that the relationship has now are of that list.
    var count = 0
    /// Targets for its end; of a to-one relationship the last one counts.
    var appended: [ObjectID] = []
    var policy = UInt8(FASTMAP_ASSIGN)

    /// The list with them.
    func list(_ old: [ObjectID]) -> [ObjectID] {
      var base = Array(old.prefix(count))
      for (position, target) in inserted { base.insert(target, at: min(position, base.count)) }
      // What a merge has added since is in the list once.
      let known = Set(inserted.map(\.target))
      var list = base + old.dropFirst(count).filter { !known.contains($0) }
      var met = Set(list)
      for target in appended where met.insert(target).inserted { list.append(target) }
      return list
    }
  }

  /// A policy that is to be asked.
  struct Question {
    var mapping: Int
    var relationship: Int
    var owner: ObjectID
    var targets: [ObjectID]
  }

  /// Looks once more for what was missed.
  ///
  /// - Returns: The relationships that have targets to come, by owner, and the policies that are to be asked, in payload order.
  func settle<W: StoreWriter>(_ writer: inout W) throws -> (links: [Settlement], questions: [Question]) {
    let found = try find(&writer)
    func target(_ key: PrimaryKey, of holder: Holder) -> ObjectID? {
      plan.schema.entities[holder.entity].fields[holder.field].kind.target.flatMap {
        found[Key(entity: $0.entity, key: key)]
      }
    }
    var settlements: [Holder: (settlement: Settlement, missing: Int)] = [:]
    var questions: [Holder: [Question]] = [:]
    var order: [Holder] = []
    for entry in entries {
      switch entry.says {
      case .new(let count):
        settlements[entry.holder] = (Settlement(holder: entry.holder, count: count), 0)
        questions[entry.holder] = nil
      case .missed(let key, let position, let policy):
        var (settlement, missing) =
          settlements.removeValue(forKey: entry.holder) ?? (Settlement(holder: entry.holder), 0)
        if let found = target(key, of: entry.holder) {
          settlement.policy = policy
          if let position {
            settlement.inserted.append((position - missing, found))
          } else {
            settlement.appended.append(found)
          }
        } else if position != nil {
          missing += 1
        }
        settlements[entry.holder] = (settlement, missing)
      case .merged(let keys):
        settlements[entry.holder, default: (Settlement(holder: entry.holder), 0)].settlement.appended +=
          keys.compactMap { target($0, of: entry.holder) }
      case .ask(let mapping, let relationship, let targets):
        var isFound = false
        let ids = targets.compactMap { given -> ObjectID? in
          switch given {
          case .object(let id): return id
          case .missed(let key):
            let id = target(key, of: entry.holder)
            isFound = isFound || id != nil
            return id
          }
        }
        guard isFound else { continue }
        if questions[entry.holder] == nil { order.append(entry.holder) }
        questions[entry.holder, default: []].append(
          Question(mapping: mapping, relationship: relationship, owner: entry.holder.owner, targets: ids))
      }
    }
    let links = settlements.values.map(\.settlement).filter { !$0.inserted.isEmpty || !$0.appended.isEmpty }
      .sorted {
        ($0.holder.entity, $0.holder.owner, $0.holder.field) < (
          $1.holder.entity, $1.holder.owner, $1.holder.field
        )
      }
    var asked: Set<Holder> = []
    return (links, order.filter { asked.insert($0).inserted }.flatMap { questions[$0] ?? [] })
  }

  private func find<W: StoreWriter>(_ writer: inout W) throws -> [Key: ObjectID] {
    var wanted: Set<Key> = []
    for entry in entries {
      guard
        let entity = plan.schema.entities[entry.holder.entity].fields[entry.holder.field].kind.target?.entity
      else { continue }
      switch entry.says {
      case .new: break
      case .missed(let key, _, _): wanted.insert(Key(entity: entity, key: key))
      case .merged(let keys):
        for key in keys { wanted.insert(Key(entity: entity, key: key)) }
      case .ask(_, _, let targets):
        for case .missed(let key) in targets { wanted.insert(Key(entity: entity, key: key)) }
      }
    }
    var found: [Key: ObjectID] = [:]
    for entity in plan.schema.entities.indices {
      let keys = wanted.filter { $0.entity == entity }.map(\.key).sorted()
      for start in stride(from: 0, to: keys.count, by: 4096) {
        let some = Array(keys[start..<min(start + 4096, keys.count)])
        for (key, id) in zip(some, try writer.find(some, of: entity)) {
          if let id { found[Key(entity: entity, key: key)] = id }
        }
      }
    }
    return found
  }
}
