internal import CFastMap
package import FastMapJSON
package import FastMapStoreKit

/// Finds the members of one object that its mapping does not read. A reader cannot know them if the kind of the object is chosen later, or
/// if such a member is a fault.
// @unchecked: nothing writes to the memory of the shapes after init.
package final class KnownMembers: @unchecked Sendable {
  private var arena = fastmap_arena()
  /// By mapping; nil for a mapping that reads or ignores all members.
  private var shapes: [UnsafePointer<fastmap_shape>?] = []
  /// By mapping, the mapping whose kinds have members that it does not read; nil for none.
  private var unions: [Int?] = []
  /// Whether the objects of the union have all their members, as one of its kinds has a rest or ignores them.
  private var areWhole: Set<Int> = []

  private init(_ plan: Plan) {
    let mappings = plan.mappings
    let compiled = UnsafeBufferPointer(start: plan.compiled.pointer.pointee.mappings, count: mappings.count)
    var compiler = ShapeCompiler(
      mappings: mappings, compiled: Array(compiled), readsTexts: false, endsAtObjects: true)
    for number in mappings.indices {
      let shape = compiler.shape(ofRoots: [number], &arena)
      shapes.append(shape)
      unions.append(mappings[number].kinds.flatMap { $0.isKind ? $0.union : nil })
      if let shape, !shape.pointee.is_whole, shape.pointee.title != nil { continue }
      areWhole.insert(mappings[number].kinds?.union ?? number)
    }
  }

  deinit { fastmap_arena_free(&arena) }

  /// Nil if a reader knows them all: no member is a fault, and the plan has no kinds.
  package static func of(_ plan: Plan, isStrict: Bool) -> KnownMembers? {
    guard isStrict || plan.mappings.contains(where: { $0.kinds?.isKind ?? false }) else { return nil }
    return plan.compiled.known.value { KnownMembers(plan) }
  }

  /// Counts the members of an object that only other kinds of its mapping read; null counts for none.
  package func countOfOtherKinds(
    _ node: JSONNode, mapping: Int, in counter: UnreadCounter
  ) throws(SystemError) {
    guard let union = unions[mapping], let shape = shapes[mapping], node.isObject else { return }
    try counter.scan(node, shape, within: areWhole.contains(union) ? nil : shapes[union])
  }

  /// Counts all members of an object that its mapping does not read.
  package func count(_ node: JSONNode, mapping: Int, in counter: UnreadCounter) throws(SystemError) {
    if let shape = shapes[mapping] { try counter.scan(node, shape) }
  }
}
