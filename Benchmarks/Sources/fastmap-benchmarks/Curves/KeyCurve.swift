import FastMapCore
import FastMapLMDB

/// Batches of sorted keys in one entity.
struct KeyCurve {
  enum Kind: String, CaseIterable {
    case int64, string
  }

  struct Work {
    let name: String
    let choice: String
    /// The number of keys per sample.
    let count: Int
  }

  /// The selection of keys, and their number per batch.
  struct Choice {
    var name: String
    var batch = Curves.batch
    var isClustered = false

    static let usual = [
      Choice(name: "one alone", batch: 1), Choice(name: "random"),
      Choice(name: "clustered", isClustered: true),
    ]
    static let more = [10, 100, 10_000].map { Choice(name: "random, \($0) at once", batch: $0) }

    /// One look-up is too short to measure, so a sample has many, each in a read of its own.
    func count(isLookUp: Bool) -> Int { batch > 1 ? batch : isLookUp ? 100 : 1 }
  }

  private let kind: Kind
  private let size: Int
  private let store: LMDBStore
  private let plan: Plan
  private var numbers = SeededNumbers(seed: 1)

  /// Makes a store with the keys 0, 2, 4, …, imported in order.
  init(_ kind: Kind, _ size: Int, _ folder: Folder) throws {
    self.kind = kind
    self.size = size
    plan = try Plan(
      Mapping("Item", primaryKey: "id") {
        Attribute("id", kind == .int64 ? .integer : .string)
        Attribute("name", .string)
        Attribute("count", .integer)
      })
    store = try LMDBStore(at: folder.newPath("keys"))
    for start in stride(from: 0, to: size, by: 100_000) {
      let end = min(start + 100_000, size)
      let report = try Mapper(store).importJSON(text((start..<end).map { $0 * 2 }, count: 0), as: plan)
      try WrongOutcome.check(report["Item"]?.inserted == end - start, "\(end - start) new objects")
    }
  }

  /// Adopts a store with the integer keys 0, 2, 4, …
  init(adopting store: LMDBStore, _ plan: Plan, _ size: Int) {
    kind = .int64
    self.size = size
    self.plan = plan
    self.store = store
  }

  /// - Parameter choices: Batches of more than half of the keys are left out.
  mutating func measure(_ choices: [Choice] = Choice.usual) throws -> [(Work, [Sample])] {
    var found: [(Work, [Sample])] = []
    try readAll()
    for choice in choices where choice.batch <= size / 2 {
      for work in ["look up", "update", "insert"] {
        let isLookUp = work == "look up"
        let count = choice.count(isLookUp: isLookUp)
        Console.progress("\(kind.rawValue) keys, \(size): \(work), \(choice.name)")
        var samples: [Sample] = []
        for round in 0...Curves.rounds {
          let keys = choose(choice, count, isNew: work == "insert")
          let sample =
            isLookUp
            ? try lookUp(keys, inOneRead: choice.batch > 1) : try upsert(keys, round, isNew: work == "insert")
          if round > 0 { samples.append(sample) }
          try Interruption.check()
        }
        found.append((Work(name: work, choice: choice.name, count: count), samples))
      }
    }
    return found
  }

  /// Sorted, without repeats. Even keys are stored.
  private mutating func choose(_ choice: Choice, _ count: Int, isNew: Bool) -> [Int] {
    let odd = isNew ? 1 : 0
    if choice.isClustered {
      let start = numbers.next(below: size - choice.batch)
      return (start..<(start + choice.batch)).map { $0 * 2 + odd }
    }
    var keys: Set<Int> = []
    while keys.count < count { keys.insert(numbers.next(below: size) * 2 + odd) }
    return keys.sorted()
  }

  /// Reads every page once, because a process's first access to a page of a file is a page fault, which takes longer
  /// than a look-up.
  private func readAll() throws {
    Console.progress("\(kind.rawValue) keys, \(size): reading all")
    let count = try store.read(plan.schema) { reader in
      var count = 0
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { reader, id, _ in
        count += try reader.withRow(id, of: 0) { row in row[1].bytes == nil ? 0 : 1 } ?? 0
        return true
      }
      return count
    }
    try WrongOutcome.check(count == size, "\(size) objects, found \(count)")
  }

  /// Finds the keys and reads one attribute of each object.
  private func lookUp(_ keys: [Int], inOneRead: Bool) throws -> Sample {
    let wanted = keys.map { kind == .int64 ? PrimaryKey.integer(Int64($0)) : .string(Self.key($0)) }
    let reads = inOneRead ? [wanted] : wanted.map { [$0] }
    let (sample, count) = try Sample.measure {
      var count = 0
      for keys in reads {
        try store.read(plan.schema) { reader in
          for id in try reader.find(keys, of: 0) {
            guard let id else { continue }
            count += try reader.withRow(id, of: 0) { row in row[1].bytes == nil ? 0 : 1 } ?? 0
          }
        }
      }
      return count
    }
    try WrongOutcome.check(count == keys.count, "\(keys.count) objects, found \(count)")
    return sample
  }

  /// Imports objects and commits. Inserted keys are deleted again, so that the size stays.
  private func upsert(_ keys: [Int], _ round: Int, isNew: Bool) throws -> Sample {
    let json = text(keys, count: round + 1 + keys.count)
    let (sample, count) = try Sample.measure {
      let report = try Mapper(store).importJSON(json, as: plan)
      return (isNew ? report["Item"]?.inserted : report["Item"]?.updated) ?? 0
    }
    let changed = isNew ? count == keys.count : count > 0
    try WrongOutcome.check(changed, "\(keys.count) objects, found \(count)")
    if isNew {
      let inserted = keys.map { kind == .int64 ? PrimaryKey.integer(Int64($0)) : .string(Self.key($0)) }
      try WrongOutcome.check(
        store.delete(plan.query(of: "Item").keys(inserted)).total == keys.count, "a deletion")
    }
    return sample
  }

  private static func key(_ number: Int) -> String {
    let digits = String(number)
    return "key-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
  }

  private func text(_ keys: [Int], count: Int) -> [UInt8] {
    var json = "["
    json.reserveCapacity(keys.count * 80)
    for key in keys {
      if json.utf8.count > 1 { json += "," }
      json += kind == .int64 ? "{\"id\":\(key)" : "{\"id\":\"\(Self.key(key))\""
      json += ",\"name\":\"an object with a name of its own\",\"count\":\(count)}"
    }
    json += "]"
    return Array(json.utf8)
  }
}
