import FastMapCore
import TestSupport

extension ThingRun {
  /// A payload, and the model after it.
  struct Payload {
    var json = ""
    var model: ThingModel
    var keys: [Int] = []
    var hasParts = false
  }

  /// - Parameter withParts: Whether things may have elements.
  mutating func payload(of keys: [Int]? = nil, withParts: Bool = true) -> Payload {
    let keys = keys ?? Array(Set((0...random.next(3)).map { _ in 1 + random.next(8) })).sorted()
    var payload = Payload(model: model, keys: keys)
    let targets = Array(Set(model.keys + keys)).sorted()
    payload.json = keys.map { key in
      let isNew = model.things[key] == nil
      var state = model.things[key] ?? ThingModel.State()
      var texts = ["\"id\":\(key)"]
      for number in members {
        let member = Thing.members[number]
        // A new thing has every value that its class cannot do without.
        guard isNew && !member.isOptional || random.next(4) == 0 else { continue }
        let isNull = member.isOptional ? random.next(4) == 0 : !isNew && random.next(8) == 0
        let value = isNull ? nil : random.next(member.json.count)
        texts.append("\"\(member.name)\":\(value.map { member.json[$0] } ?? "null")")
        // Null clears optional members.
        if value != nil || member.isOptional { state.values[number] = value }
      }
      if random.next(4) == 0 {
        state.boss = random.next(4) == 0 ? nil : targets[random.next(targets.count)]
        texts.append("\"boss\":\(state.boss.map { "\($0)" } ?? "null")")
      }
      if random.next(4) == 0 {
        state.friends = some(of: targets)
        texts.append("\"friends\":\(state.friends)")
      }
      if withParts && random.next(3) == 0 {
        state.parts = (0..<random.next(4)).map { _ in random.next(4) }
        payload.hasParts = true
        texts.append("\"parts\":[\(state.parts.map { "{\"size\":\($0)}" }.joined(separator: ","))]")
      }
      payload.model.things[key] = state
      return "{\(texts.joined(separator: ","))}"
    }.joined(separator: ",")
    return payload
  }

  /// Up to three of some keys, in any order.
  mutating func some(of keys: [Int]) -> [Int] { Array(keys.shuffled(using: &random).prefix(random.next(4))) }

  /// Compares the counts of an import with the model, and takes over the payload's objects.
  private mutating func take(_ payload: Payload, _ report: ImportReport) throws {
    let counts = report["Thing"] ?? .init()
    let inserted = payload.keys.count { model.things[$0] == nil }
    let updated = payload.keys.count { key in
      model.things[key].map { $0 != payload.model.things[key] } ?? false
    }
    // An owner's list of elements may change without it.
    if counts.inserted != inserted || counts.deleted != 0 || !payload.hasParts && counts.updated != updated {
      throw Difference("\(report), expected \(inserted) inserted and \(updated) updated: \(payload.json)")
    }
    model = payload.model
  }

  mutating func importOthers() throws -> String {
    let payload = payload()
    try take(payload, Mapper(store).importJSON("[\(payload.json)]", as: mapping))
    let again = try Mapper(store).importJSON("[\(payload.json)]", as: mapping)
    if !again.isUnchanged { throw Difference("imported again: \(again)") }
    try refresh()
    return "import [\(payload.json)]"
  }

  mutating func importIntoContext() throws -> String {
    let payload = payload()
    try take(payload, context.importJSON("[\(payload.json)]", as: mapping))
    instances = try context.objects(mapping, including: \.boss, \.friends, \.parts)
    return "import into the context [\(payload.json)]"
  }

  /// Fills an instance of the context, or a new one.
  mutating func fill() throws -> String {
    let key = 1 + random.next(8)
    let payload = payload(of: [key])
    try take(
      payload, context.fill(instances.first { $0.id == key } ?? Thing(), from: payload.json, as: mapping))
    instances = try context.objects(mapping, including: \.boss, \.friends, \.parts)
    return "fill \(payload.json)"
  }
}
