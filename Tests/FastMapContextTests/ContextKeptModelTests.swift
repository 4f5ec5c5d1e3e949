import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapCore

/// Random reads, edits, imports by others, saves and rollbacks in a store that keeps instances, against a model. There an edit
/// shows at once, and nothing is in conflict.
@Suite struct ContextKeptModelTests {
  typealias Item = ContextItem
  typealias Fields = ContextModel.Fields

  @Test func randomSequencesDoWhatTheModelDoes() throws {
    var random = Random(for: "randomSequencesInAStoreThatKeepsInstances")
    for _ in 0..<TestSize.rounds(small: 2, whole: 40) {
      var run = try Run(Random(seed: random.next()))
      for _ in 0..<60 {
        try run.step()
        if run.hasFailed { return }
      }
    }
  }

  private struct Run {
    let store = MemoryStore()
    let context: ObjectContext
    var random: Random
    /// What is stored, as the instances show it.
    var live: [Int: Fields] = [:]
    /// What a rollback puts back, of the objects that the context has read.
    var base: [Int: Fields] = [:]
    var new: [Int: Fields] = [:]
    /// The objects that the context has made. All their relationships are loaded.
    var made: Set<Int> = []
    var deleted: Set<Int> = []
    var items: [Int: Item] = [:]
    var lastKey = 10
    var steps: [String] = []
    var hasFailed = false

    init(_ random: Random) throws {
      self.random = random
      context = try ObjectContext(store, for: Item.mapping)
      for key in 1...lastKey { live[key] = fields(of: Array(1...lastKey)) }
      try write(live)
    }

    private mutating func fields(of keys: [Int]) -> Fields {
      func one() -> Int { keys[random.next(keys.count)] }
      return Fields(
        name: random.next(3) == 0 ? nil : "n\(random.next(9))",
        rank: random.next(3) == 0 ? nil : random.next(9),
        next: random.next(2) == 0 ? nil : one(), friends: (0..<random.next(4)).map { _ in one() })
    }

    private func write(_ objects: [Int: Fields]) throws {
      let texts = objects.sorted { $0.key < $1.key }.map { key, fields in
        #"{"id":\#(key),"name":\#(fields.name.map { "\"\($0)\"" } ?? "null"),"#
          + #""rank":\#(fields.rank.map { "\($0)" } ?? "null"),"next":\#(fields.next.map { "\($0)" } ?? "null"),"#
          + #""friends":\#(fields.friends)}"#
      }
      _ = try Mapper(store).importJSON("[\(texts.joined(separator: ","))]", as: Item.mapping)
    }

    private mutating func pick(_ keys: some Collection<Int>) -> Int? {
      let sorted = keys.sorted()
      return sorted.isEmpty ? nil : sorted[random.next(sorted.count)]
    }

    private var hasChanges: Bool {
      !deleted.isEmpty || !new.isEmpty || base.contains { live[$0.key] != $0.value }
    }

    mutating func step() throws {
      switch random.next(12) {
      case 0..<3:
        guard let key = pick(live.keys) else { return }
        steps.append("read \(key)")
        items[key] = try context.object(Item.mapping, key: key)
        base[key] = base[key] ?? live[key]
      case 3..<7: edit()
      case 7:
        lastKey += 1
        let item = Item()
        item.id = lastKey
        items[lastKey] = item
        steps.append("insert \(lastKey)")
        try context.insert(item, as: Item.mapping)
        new[lastKey] = Fields()
      case 8:
        guard let key = pick(base.keys), let item = items[key] else { return }
        steps.append("delete \(key)")
        try context.delete(item)
        deleted.insert(key)
      case 9:
        guard !hasChanges, let key = pick(live.keys) else { return }
        let fields = fields(of: live.keys.sorted())
        steps.append("others set \(key) to \(fields)")
        try write([key: fields])
        live[key] = fields
      case 10:
        steps.append("roll back")
        try context.rollBack()
        live.merge(base) { $1 }
        (new, deleted) = ([:], [])
      default: try save()
      }
      items = items.filter { base[$0.key] != nil || new[$0.key] != nil }
      try check()
    }

    private mutating func edit() {
      guard let key = pick(items.keys), let item = items[key], let target = pick(items.keys) else { return }
      var fields = new[key] ?? live[key] ?? Fields()
      switch random.next(5) {
      case 0: fields.name = random.next(3) == 0 ? nil : "m\(random.next(9))"
      case 1: fields.rank = random.next(3) == 0 ? nil : random.next(9)
      case 2: fields.next = random.next(2) == 0 ? nil : target
      case 3: fields.friends.append(target)
      default: if !fields.friends.isEmpty { fields.friends.removeFirst() }
      }
      (item.name, item.rank) = (fields.name, fields.rank)
      if fields.next != item.next?.id { item.next = fields.next.flatMap { items[$0] } }
      if fields.friends.count < item.friends.count {
        item.friends.removeFirst()
      } else if fields.friends.count > item.friends.count, let friend = items[target] {
        item.friends.append(friend)
      }
      if new[key] != nil { new[key] = fields } else { live[key] = fields }
      steps.append("edit \(key) to \(fields)")
    }

    private mutating func save() throws {
      steps.append("save")
      let hasEdits =
        !new.isEmpty
        || base.contains { key, read in
          guard !deleted.contains(key), var now = live[key] else { return false }
          var read = read
          read.remove(deleted)
          now.remove(deleted)
          return now != read
        }
      let report = try context.save()
      let counts = report["Item"] ?? .init()
      if counts.inserted != new.count || counts.deleted != deleted.count {
        fail("the report says \(counts), expected \(new.count) new and \(deleted.count) deleted")
      }
      live.merge(new) { $1 }
      for key in new.keys { base[key] = Fields() }
      for key in deleted { (live[key], base[key]) = (nil, nil) }
      for key in live.keys { live[key]?.remove(deleted) }
      for key in base.keys { base[key] = live[key] }
      made = made.union(new.keys).subtracting(deleted)
      // The targets of loaded relationships belong to the context then.
      for key in hasEdits ? made : [] {
        guard let fields = live[key] else { continue }
        for target in fields.friends + [fields.next].compactMap(\.self) { base[target] = live[target] }
      }
      (new, deleted) = ([:], [])
      let stored = try store.read(Item.mapping) { snapshot in
        let records = try snapshot.records("Item")
        let keys = Dictionary(uniqueKeysWithValues: records.map { ($0.id, Self.integer($0["id"]) ?? 0) })
        return Dictionary(
          uniqueKeysWithValues: records.map { record in
            var fields = Fields(rank: Self.integer(record["rank"]))
            if case .string(let name)? = record["name"] { fields.name = name }
            fields.next = record.target("next").flatMap { keys[$0] }
            fields.friends = record.targets("friends").compactMap { keys[$0] }
            return (keys[record.id] ?? 0, fields)
          })
      }
      if stored != live { fail("the store has \(stored), expected \(live)") }
    }

    private static func integer(_ value: Value?) -> Int? {
      if case .integer(let value)? = value { Int(value) } else { nil }
    }

    private mutating func check() throws {
      for (key, item) in items {
        let shown = Fields(
          name: item.name, rank: item.rank, next: item.next?.id, friends: item.friends.map(\.id))
        let expected = new[key] ?? live[key]
        if shown != expected { fail("\(key) shows \(shown), expected \(expected as Any)") }
      }
      if try context.hasChanges != hasChanges { fail("whether there are changes is not \(hasChanges)") }
    }

    private mutating func fail(_ text: String) {
      hasFailed = true
      Issue.record("\(text), after:\n\(steps.joined(separator: "\n"))")
    }
  }
}
