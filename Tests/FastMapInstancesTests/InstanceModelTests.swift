import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Random payloads, beside the instances of a context.
@Suite struct InstanceModelTests {
  /// Makes payloads with few keys, so that most objects are met in several places. Only elements of root objects are faulty:
  /// of an object inside of itself, a store reads the inner list first.
  private struct Payload {
    var random: Random
    /// How many of 1000 values are faulty.
    var faults = 0

    mutating func root() -> String {
      let members = (0..<(1 + random.next(6))).map { _ in member(depth: 0) }
      return "[" + members.joined(separator: ",") + "]"
    }

    private mutating func isFaulty() -> Bool { random.next(1000) < faults }

    private mutating func either(_ choices: String...) -> String { choices[random.next(choices.count)] }

    mutating func member(depth: Int, _ key: Int? = nil) -> String {
      var members: [String] = []
      func add(_ name: String, _ value: String) { members.append("\"\(name)\":\(value)") }
      if let key { add("id", "\(key)") }
      if key == nil, !isFaulty() { add("id", isFaulty() ? "true" : "\(1 + random.next(7))") }
      if random.next(3) == 0 { add("name", either("null", "\"a\"", "\"b\"", "\"é\"")) }
      if random.next(4) == 0 { add("age", isFaulty() ? "\"x\"" : either("7", "30")) }
      if random.next(5) == 0 { add("role", either("null", "\"admin\"", "\"guest\"")) }
      if random.next(5) == 0 { add("tags", either("null", "[]", "[\"x\",\"y\"]")) }
      if random.next(6) == 0 { add("address", either("null", "{}", "{\"city\":\"c\"}", "{\"city\":null}")) }
      for name in ["boss", "idol"] where random.next(3) == 0 { add(name, one(depth)) }
      for name in ["friends", "rivals", "mates", "guests", "fans", "staff"] where random.next(4) == 0 {
        add(name, many(depth))
      }
      if random.next(4) == 0 { add("home", random.next(4) == 0 ? "null" : place(depth)) }
      for name in ["pets", "toys"] where random.next(4) == 0 {
        add(name, list(3) { $0.pet(depth) })
      }
      if random.next(4) == 0 { add("cards", list(3) { $0.card() }) }
      return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func one(_ depth: Int) -> String {
      switch random.next(8) {
      case 0: "null"
      case 1...4: "\(1 + random.next(9))"
      default: depth < 3 ? member(depth: depth + 1, nil) : "\(1 + random.next(9))"
      }
    }

    private mutating func many(_ depth: Int) -> String {
      if random.next(8) == 0 { return "null" }
      return list(4) { payload in
        payload.random.next(3) == 0 && depth < 3
          ? payload.member(depth: depth + 1, nil) : "\(1 + payload.random.next(9))"
      }
    }

    private mutating func list(_ most: Int, _ element: (inout Payload) -> String) -> String {
      var elements: [String] = []
      for _ in 0..<random.next(most) { elements.append(element(&self)) }
      return "[" + elements.joined(separator: ",") + "]"
    }

    private mutating func place(_ depth: Int) -> String {
      var members: [String] = []
      if random.next(2) == 0 { members.append("\"street\":" + either("null", "\"s\"", "\"t\"")) }
      // A store compares elements without the defaults of their classes.
      members.append("\"floor\":" + (depth % 2 == 0 && depth < 3 && isFaulty() ? "[]" : either("1", "2")))
      if random.next(4) == 0 { members.append("\"owner\":" + one(depth + 2)) }
      if depth < 3, random.next(4) == 0 { members.append("\"key\":" + place(depth + 2)) }
      return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func pet(_ depth: Int) -> String {
      var members: [String] = []
      if random.next(2) == 0 { members.append("\"name\":" + either("null", "\"p\"", "\"q\"")) }
      members.append("\"legs\":" + (depth == 0 && isFaulty() ? "\"x\"" : either("4", "2")))
      if random.next(4) == 0 { members.append("\"friend\":" + one(depth + 2)) }
      if random.next(5) == 0 { members.append("\"home\":" + place(depth + 2)) }
      if random.next(5) == 0 { members.append("\"parts\":" + list(3) { $0.place(depth + 2) }) }
      return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func card() -> String {
      switch random.next(4) {
      case 0: either("\"k\"", "\"l\"")
      case 1: "{\"number\":" + (isFaulty() ? "1" : either("\"k\"", "\"l\"", "null")) + "}"
      default: either("{\"text\":\"t\"}", "{\"text\":\"u\"}", "{\"number\":\"k\",\"text\":\"u\"}")
      }
    }
  }

  @Test(arguments: [0, 30])
  func instancesEqualAnImports(_ faults: Int) throws {
    var payload = Payload(random: Random(for: "InstanceModelTests"), faults: faults)
    for round in 0..<TestSize.rounds(small: 60, whole: 700) {
      let text = payload.root()
      var options = ImportOptions(faults: payload.random.next(4) == 0 ? .abort : .skip)
      let store = MemoryStore()
      var report: ImportReport?
      let expectedFailure = message {
        report = try Mapper(store).importJSON(text, as: Member.mapping, options: options)
      }
      options.batchSize = [1, 2, 4096][payload.random.next(3)]
      var instances: MappedObjects<Member>?
      let failure = message { instances = try Member.mapping.objects(from: text, options: options) }
      #expect(failure == expectedFailure, "\(text)")
      #expect(instances?.errors == report?.errors, "\(text)")
      #expect(instances?.unseen == report?.unseen, "\(text)")
      let context = try ObjectContext(store, for: Member.mapping)
      defer { context.end() }
      let stored = try Member.load(Member.mapping, in: context)
      let roots = instances?.objects ?? []
      let (found, expected) = (graph(roots), graph(roots.compactMap { stored[$0.id] }))
      #expect(faults > 0 || roots.count == report?.rootObjects ?? 0, "\(text)")
      if found != expected {
        Issue.record(
          "round \(round), batches of \(options.batchSize ?? 0): \(text)\n\(found)\n---\n\(expected)")
        return
      }
    }
  }

  /// A store has no empty lists: one leaves nil in an optional property. It does not know the initial value of `tags`.
  private func graph(_ roots: [Member]) -> String {
    Graph.text(roots).replacing("guests=[] ", with: "guests=- ").replacing("[\"new\"]", with: "-")
  }

  /// A filled instance equals the same instance of a context after the same fill.
  @Test func filledInstancesBelongToTheContext() throws {
    var payload = Payload(random: Random(for: "InstanceModelTests.fill"))
    var count = 0
    for round in 0..<TestSize.rounds(small: 60, whole: 400) {
      let key = 1 + payload.random.next(7)
      let (before, after) = (payload.member(depth: 1, key), payload.member(depth: 0, key))
      let store = MemoryStore()
      _ = try Mapper(store).importJSON("[\(before)]", as: Member.keeping)
      let context = try ObjectContext(store, for: Member.keeping)
      defer { context.end() }
      guard let stored = try Member.load(Member.keeping, in: context)[key] else { continue }
      let made = try Member.keeping.objects(from: before)
      // The store knows objects that the instance does not reach.
      let reached = Graph.reachable(from: [made[0]])
      guard try reached.count == store.read(Member.keeping, { try $0.total }) else { continue }
      count += 1
      let result = try Member.keeping.fill(made[0], from: after)
      try context.fill(stored, from: after, as: Member.keeping)
      // The fill has made instances without their relationships.
      _ = try Member.load(Member.keeping, in: context)
      let (found, expected) = (graph([made[0]]), graph([stored]))
      if found != expected {
        Issue.record("round \(round): \(before)\n\(after)\n\(found)\n---\n\(expected)")
        return
      }
      withExtendedLifetime((result, made)) {}
    }
    #expect(count > 5)
  }
}

extension Snapshot {
  /// The number of all objects.
  fileprivate var total: Int {
    mutating get throws {
      var total = 0
      for entity in schema.entities { total += try count(of: entity.name) }
      return total
    }
  }
}
