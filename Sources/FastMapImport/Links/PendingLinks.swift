internal import CFastMap

/// A log entry: one row's value of a relationship whose weak mapping may have unresolved targets.
struct LateLink {
  enum Target {
    /// An object, with its key if it has one.
    case object(ObjectID, PrimaryKey?)
    case unresolved(PrimaryKey)
  }

  enum Says {
    /// The relationship has a new value with `count` targets, which cancels earlier misses. `isFollowed` means that
    /// targets of this value are missing too.
    case new(count: Int, isFollowed: Bool)
    /// A target is missing. The position is nil for a to-one relationship.
    case unresolved(PrimaryKey, position: Int?, policy: UInt8)
    /// Targets for the end of the list. At the end of the payload, existing ones are linked unless the list has them.
    case merged([PrimaryKey])
    /// A custom policy decides about targets. Some of them are missing.
    case ask(mapping: Int, relationship: Int, targets: [Target])
  }

  var holder: ChangeBatch.Holder
  var says: Says
}

/// The unresolved targets of weak relationships, kept until the payload ends: a later object of it counts as existing.
///
///     [{"id": 1, "boss": 2}, …, {"id": 2}]      owner 1, field boss, key 2
///
/// Links are made at the end. The values inside of an unresolved representation are kept as text. They are imported before the
/// batch that makes the object, as they precede it in the payload. The log only grows, so a transaction that runs again
/// cuts it. Memory is in proportion to the unresolved targets and their text.
final class PendingLinks {
  typealias Holder = ChangeBatch.Holder

  /// An object that is not stored.
  struct Key: Hashable {
    var entity: Int
    var key: PrimaryKey
  }

  /// A representation of such an object.
  struct Text {
    var mapping: Int
    var bytes: [UInt8]
    /// The name of the member that has the representation.
    var name: [UInt8]?
    fileprivate var key: Key
  }

  /// The lengths of the logs.
  struct Mark {
    fileprivate var links = 0
    fileprivate var texts = 0
    fileprivate var taken = 0
  }

  let plan: Plan
  private(set) var links: [LateLink] = []
  /// The relationships with entries in the log. False positives are possible.
  private var holders: Set<Holder> = []
  private var texts: [Text] = []
  private var textsOf: [Key: [Int]] = [:]
  /// Texts that were imported, as their objects were made.
  private var taken: [(key: Key, texts: [Int])] = []

  init(plan: Plan) { self.plan = plan }

  var isEmpty: Bool { links.isEmpty }

  /// Whether targets of a relationship wait for the end of the payload. False positives are possible.
  func hasPending(_ holder: Holder) -> Bool { holders.contains(holder) }

  var mark: Mark { Mark(links: links.count, texts: texts.count, taken: taken.count) }

  /// Undoes all changes since a mark.
  func rewind(to mark: Mark) {
    while links.count > mark.links { holders.insert(links.removeLast().holder) }
    while taken.count > mark.taken {
      let last = taken.removeLast()
      textsOf[last.key] = last.texts
    }
    while texts.count > mark.texts {
      let key = texts.removeLast().key
      textsOf[key]?.removeLast()
    }
  }

  /// Keeps the unresolved targets of a batch.
  func add(_ unit: ImportUnit) {
    for link in unit.late.links {
      if case .new(_, let isFollowed) = link.says {
        guard holders.remove(link.holder) != nil || isFollowed else { continue }
      } else {
        holders.insert(link.holder)
      }
      links.append(link)
    }
    unit.late.links.removeAll(keepingCapacity: true)
    for index in unit.late.unresolved { keepText(of: unit.occurrence(index), unit) }
  }

  private func keepText(of occurrence: fastmap_occurrence, _ unit: ImportUnit) {
    let planned = plan.mappings[Int(occurrence.mapping)]
    guard let row = occurrence.row, let node = JSONNode(unsafe: occurrence.node),
      let key = PrimaryKey(slot: occurrence.key)
    else { return }
    let ofKey = planned.fieldsOfKey
    let hasValues = plan.schema.entities[planned.entity].fields.indices.contains { field in
      !ofKey.contains(field) && row[field].tag != FASTMAP_MISSING && row[field].tag != FASTMAP_NULL
    }
    guard hasValues else { return }
    var writer = JSONWriter()
    let value = unit.value(of: node)
    writer.append(value.node, value.bigIntegers, keepsReals: true)
    let missing = Key(entity: planned.entity, key: key)
    textsOf[missing, default: []].append(texts.count)
    let name = planned.named == nil ? nil : planned.memberName(of: key).map { Array($0.utf8) }
    texts.append(Text(mapping: Int(occurrence.mapping), bytes: writer.bytes, name: name, key: missing))
  }

  /// Removes the kept representations of objects that a batch is about to make, in payload order.
  func removeTexts(for unit: ImportUnit) -> [Text] {
    guard !textsOf.isEmpty else { return [] }
    var found: [Int] = []
    for objects in unit.keyed {
      for object in unit.objects[objects] where object.isPresent && !object.isStored {
        guard let key = PrimaryKey(slot: object.key) else { continue }
        let made = Key(entity: object.entity, key: key)
        guard let texts = textsOf.removeValue(forKey: made) else { continue }
        taken.append((made, texts))
        found += texts
      }
    }
    return found.sorted().map { texts[$0] }
  }
}
