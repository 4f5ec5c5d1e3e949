import FastMapCore
import FastMapQueries
import TestSupport

/// One random sequence.
struct ThingRun {
  let store: any Store
  var random: Random
  var model = ThingModel()
  /// The mapping of the program's version.
  var mapping = Thing.early
  var isLater = false
  var context: ObjectContext
  var instances: [Thing] = []

  init(_ store: any Store, seed: UInt64) throws {
    self.store = store
    random = Random(seed: seed)
    context = try ObjectContext(store, for: Thing.early)
  }

  func end() { context.end() }

  /// The numbers of the properties that the program has.
  var members: [Int] { Thing.members.indices.filter { isLater || !Thing.members[$0].isLater } }

  /// Takes one step and describes it.
  mutating func step() throws -> String {
    switch random.next(18) {
    case 0...3: try importOthers()
    case 4, 5: try importIntoContext()
    case 6...11: try edit()
    case 12: try deleteByFilter()
    case 13: try deleteInContext()
    case 14: try fill()
    case 15, 16: try editMovedElement()
    default: try takeLaterFields()
    }
  }

  /// Refreshes the context with the writes of others.
  mutating func refresh() throws {
    try context.refreshAll()
    instances = try context.objects(mapping, including: \.boss, \.friends, \.parts)
  }

  private mutating func deleteByFilter() throws -> String {
    let number = members[random.next(members.count)]
    let value =
      model.keys.isEmpty ? nil : model.things[model.keys[random.next(model.keys.count)]]?.values[number]
    guard let filter = Thing.members[number].filter(value) else { return "nothing" }
    let gone = model.keys(showing: value, of: number)
    let report = try store.delete(mapping.where(filter))
    if report["Thing"] != gone.count {
      throw Difference("\(filter) deleted \(report["Thing"]), expected \(gone)")
    }
    model.delete(gone)
    try refresh()
    return "delete where \(filter)"
  }

  private mutating func deleteInContext() throws -> String {
    guard !instances.isEmpty else { return "nothing" }
    let thing = instances[random.next(instances.count)]
    try context.delete(thing)
    try context.save()
    model.delete([thing.id])
    instances = try context.objects(mapping, including: \.boss, \.friends, \.parts)
    return "delete \(thing.id)"
  }

  /// The program's next version has more fields.
  private mutating func takeLaterFields() throws -> String {
    if isLater || model.things.isEmpty { return "nothing" }
    context.end()
    (mapping, isLater) = (Thing.later, true)
    context = try ObjectContext(store, for: mapping)
    instances = try context.objects(mapping, including: \.boss, \.friends, \.parts)
    return "later fields"
  }

  // MARK: Comparing

  /// The differences from the model.
  func fault() throws -> String? {
    let options = SerializerOptions.with { $0.shouldWrite = { _, _ in false } }
    let (text, expected) = (try store.exported(mapping, options), model.exported)
    if text != expected { return "\(text)\n\(expected)" }
    let copies = try store.read(mapping) { snapshot in
      try snapshot.objects(mapping, including: \.boss, \.friends, \.parts)
    }
    for (name, things) in [("copies", copies), ("instances", instances)] {
      if things.map(\.id) != model.keys { return "\(name) \(things.map(\.id)), expected \(model.keys)" }
      if let fault = things.lazy.compactMap(model.difference).first { return "\(name): \(fault)" }
    }
    return try context.hasChanges() ? "changes without an edit" : queryFault()
  }

  /// Asks for a value of each property.
  private func queryFault() throws -> String? {
    try store.read(mapping) { snapshot in
      for number in members {
        let value = model.keys.first.flatMap { model.things[$0]!.values[number] }
        guard let filter = Thing.members[number].filter(value) else { continue }
        let (found, expected) = (
          try snapshot.keys(mapping.where(filter)), model.keys(showing: value, of: number)
        )
        if found != expected.map({ PrimaryKey($0) }) { return "\(filter): \(found), expected \(expected)" }
      }
      return nil
    }
  }
}

struct Difference: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
