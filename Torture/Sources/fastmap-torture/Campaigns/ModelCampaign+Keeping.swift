import FastMapCore
import FastMapLMDB
import Foundation

/// Operations on a whole store that do not change its objects: compaction, backups, migrations.
extension ModelCampaign {
  mutating func compact() throws {
    _ = try open()
    close()
    let old = try File.bytes(of: scratch.dataFile).count
    let saved = try LMDBStore.compact(at: scratch.store)
    let new = try File.bytes(of: scratch.dataFile).count
    if old - new != saved { fault("compaction has saved \(saved) of \(old) bytes, and left \(new)") }
    try compare(open())
    run.add(to: "compactions")
  }

  mutating func backUp() throws {
    let copy = scratch.path + "/backup"
    defer { scratch.clear(copy) }
    try open().backup(to: copy, compacting: random.once(in: 2))
    try compare(LMDBStore(at: copy))
    run.add(to: "backups")
  }

  /// Opens the store with one more migration, or continues with other mappings.
  mutating func changeLayout() throws {
    close()
    run.add(to: "migrations")
    switch random.next(below: 5) {
    case 0: rename(random.pick(World.attributes.map(\.0) + Link.allCases.map { "\($0)" }))
    case 1: world.dropped.formSymmetricDifference([random.pick(World.attributes.map(\.0))])
    case 2: convertThereAndBack()
    case 3:
      history.append(.convert(world.stored("name"), of: "Node", to: .string, Self.louder))
      model.nodes = model.nodes.mapValues { old in
        var node = old
        node.values["name"] = old.values["name"].flatMap(Self.louder)
        return node
      }
    default: try refuse()
    }
    try compare(open())
  }

  /// A new name, or the original one.
  private mutating func rename(_ name: String) {
    let old = world.stored(name)
    let new = old == name ? "former " + name : name
    history.append(.rename(old, of: "Node", to: new))
    world.names[name] = new == name ? nil : new
  }

  /// Converts to strings and back, without loss.
  private mutating func convertThereAndBack() {
    let (name, type): (String, AttributeType) = random.pick([
      ("size", .integer), ("ratio", .number), ("flag", .boolean),
      world.hasTextKeys ? ("size", .integer) : ("id", .integer),
    ])
    history += [
      .convert(world.stored(name), of: "Node", to: .string),
      .convert(world.stored(name), of: "Node", to: type),
    ]
  }

  /// A migration that fails after one that succeeds. Neither may be applied.
  private mutating func refuse() throws {
    guard model.nodes.values.contains(where: { $0.values["name"] != nil }) else { return }
    var configuration = configuration
    configuration.migrations += [
      .rename(world.stored("size"), of: "Node", to: "never"),
      .convert(world.stored("name"), of: "Node", to: .string) { _ in throw Refusal() },
    ]
    do {
      _ = try LMDBStore(at: scratch.store, configuration: configuration)
      fault("a migration that fails was made")
    } catch {
      guard case .migration = error.reason else { throw error }
    }
  }

  private struct Refusal: Error {}

  /// Another text for most values, and nil for some.
  @Sendable private static func louder(_ value: Value) -> Value? {
    guard case .string(let text) = value else { return value }
    return text.utf8.count % 7 == 0 ? nil : .string(text + "!")
  }
}
