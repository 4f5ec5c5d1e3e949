import FastMapCore
import FastMapLMDB
import Foundation

/// Operations on a whole store that do not change its objects: compaction, backups, mappings that change.
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

  /// Declares another name or type with an import of no objects, or continues with other attributes.
  mutating func changeMapping() throws {
    close()
    run.add(to: "changed mappings")
    switch random.next(below: 4) {
    case 0:
      let name = random.pick(World.attributes.map(\.0) + Link.allCases.map { "\($0)" })
      world.rename(name, to: world.stored(name) == name ? "former " + name : name)
      try declare(world.plan(Policies(.assign), isWhole: true))
    case 1: world.dropped.formSymmetricDifference([random.pick(World.attributes.map(\.0))])
    case 2:
      world.types["size"] = "decimal"
      try declare(world.plan(Policies(.assign), isWhole: true))
    default: try refuse()
    }
    try compare(open())
  }

  private mutating func declare(_ plan: Plan) throws {
    _ = try Mapper(open()).importJSON(Array("[]".utf8), as: plan)
  }

  /// A type that values do not fit, after a name that could change. Neither may be stored.
  private mutating func refuse() throws {
    guard model.nodes.values.contains(where: { $0.values["name"] != nil }) else { return }
    var other = world
    other.rename("size", to: "never")
    other.types["name"] = "integer"
    do {
      try declare(other.plan(Policies(.assign), isWhole: true))
      fault("a type that values do not fit was taken")
    } catch is SchemaMismatchError {}
  }
}
