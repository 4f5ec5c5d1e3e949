import FastMapCore
import TestSupport

extension ThingRun {
  /// An edit of a thing, for the model.
  private enum Edit {
    case value(Int, Int?)
    case boss(Int?)
    case friends([Int])
    case parts([Int])
  }

  /// Edits instances and saves. Others may import before, and then the edits stay.
  mutating func edit() throws -> String {
    guard !instances.isEmpty else { return "nothing" }
    let isAlone = random.next(3) > 0
    var edits: [(Int, Edit)] = []
    for thing in Set((0...random.next(2)).map({ _ in random.next(instances.count) })).sorted().map({
      instances[$0]
    }) {
      edits += editValues(of: thing).map { (thing.id, $0) }
      edits += editRelationships(of: thing, withParts: isAlone).map { (thing.id, $0) }
    }
    if random.next(6) == 0 {
      try context.rollBack()
      return "roll back \(edits)"
    }
    var text = "edit \(edits)"
    if try context.hasChanges() != !edits.isEmpty {
      throw Difference("edits are not seen, or seen without one: \(text)")
    }
    if !isAlone {
      let others = payload(withParts: false)
      _ = try Mapper(store).importJSON("[\(others.json)]", as: mapping)
      model = others.model
      text += " after [\(others.json)]"
    }
    try context.save(onConflict: .mine)
    for (key, edit) in edits {
      switch edit {
      case .value(let number, let value): model.things[key]!.values[number] = value
      case .boss(let boss): model.things[key]!.boss = boss
      case .friends(let friends): model.things[key]!.friends = friends
      case .parts(let parts): model.things[key]!.parts = parts
      }
    }
    try refresh()
    return text
  }

  private mutating func editValues(of thing: Thing) -> [Edit] {
    members.compactMap { number in
      guard random.next(6) == 0 else { return nil }
      let member = Thing.members[number]
      let isNull = member.isOptional && random.next(4) == 0
      let value = isNull ? nil : member.written[random.next(member.written.count)]
      member.set(thing, value)
      // Setting the shown value is no edit.
      return member.areAlike(value, model.things[thing.id]!.values[number]) ? nil : .value(number, value)
    }
  }

  private mutating func editRelationships(of thing: Thing, withParts: Bool) -> [Edit] {
    var edits: [Edit] = []
    let before = model.things[thing.id]!
    if random.next(4) == 0 {
      thing.boss = random.next(4) == 0 ? nil : instances[random.next(instances.count)]
      if thing.boss?.id != before.boss { edits.append(.boss(thing.boss?.id)) }
    }
    if random.next(4) == 0 {
      let keys = some(of: instances.map(\.id))
      thing.friends = keys.map { key in instances.first { $0.id == key }! }
      if keys != before.friends { edits.append(.friends(keys)) }
    }
    if withParts && random.next(3) == 0 {
      switch random.next(4) {
      case 0:
        let part = Part()
        part.size = random.next(4)
        thing.parts.insert(part, at: random.next(thing.parts.count + 1))
      case 1: thing.parts.shuffle(using: &random)
      case 2 where !thing.parts.isEmpty: thing.parts.remove(at: random.next(thing.parts.count))
      default: thing.parts.randomElement(using: &random)?.size = random.next(5)
      }
      let parts = thing.parts.map(\.size)
      if parts != before.parts { edits.append(.parts(parts)) }
    }
    return edits
  }

  /// Edits an element while others change its list. The edit goes to the element that still equals the one read;
  /// without one it is a conflict.
  mutating func editMovedElement() throws -> String {
    let choices = instances.filter { !$0.parts.isEmpty && Set($0.parts.map(\.size)).count == $0.parts.count }
    guard let thing = choices.randomElement(using: &random) else { return "nothing" }
    let sizes = thing.parts.map(\.size)
    let number = random.next(sizes.count)
    let (read, mine) = (sizes[number], 10 + random.next(5))
    thing.parts[number].size = mine
    let theirs = some(of: sizes + [20 + sizes.max()!])
    let parts = theirs.map { "{\"size\":\($0)}" }.joined(separator: ",")
    _ = try Mapper(store).importJSON(#"{"id":\#(thing.id),"parts":[\#(parts)]}"#, as: mapping)
    let text = "element \(read) of \(thing.id) to \(mine), in \(sizes) and then \(theirs)"
    if read == mine || theirs.contains(read) {
      try context.save()
      model.things[thing.id]!.parts = theirs.map { $0 == read ? mine : $0 }
    } else {
      guard (try? context.save()) == nil else { throw Difference("no conflict: \(text)") }
      try context.rollBack()
      model.things[thing.id]!.parts = theirs
    }
    try refresh()
    return text
  }
}
