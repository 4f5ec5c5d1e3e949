package import CFastMap
package import FastMapJSON

/// Counts the members of a payload that no field reads, by mapping and key path.
///
/// - Note: Thread rule: one thread at a time.
// @unchecked: its memory is its own.
package final class UnreadCounter: @unchecked Sendable {
  package let pointer = UnsafeMutablePointer<fastmap_unread>.allocate(capacity: 1)
  /// The number of root objects whose members were counted. A transaction that runs again reads them again.
  package var countedRoots = 0
  /// By member, the path in the first object with it.
  private var paths: [JSONPath] = []

  package init() { pointer.initialize(to: fastmap_unread()) }

  deinit {
    fastmap_unread_end(pointer)
    pointer.deallocate()
  }

  private var members: UnsafeBufferPointer<fastmap_unread_member> {
    UnsafeBufferPointer(start: pointer.pointee.members, count: Int(pointer.pointee.count))
  }

  /// Counts the members of a tree that a shape does not name. With `within`, only members count that this shape names.
  ///
  /// - Throws: ``SystemError``.
  package func scan(
    _ node: JSONNode, _ shape: UnsafePointer<fastmap_shape>, within: UnsafePointer<fastmap_shape>? = nil
  ) throws(SystemError) {
    guard fastmap_unread_scan(pointer, shape, within, node.pointer) else { throw SystemError.outOfMemory }
    pointer.pointee.placed = pointer.pointee.count
  }

  /// The counter for the reader of a text; nil where its members do not count.
  package var forText: UnsafeMutablePointer<fastmap_unread>? { pointer.pointee.is_on ? pointer : nil }

  /// Gives the members that a text was the first to have their root object, and their offsets in the whole text.
  ///
  /// - Parameter place: The index of the root object, and where the text begins.
  package func place(_ place: () -> (root: Int, start: Int)) {
    let counted = pointer.pointee.count
    guard pointer.pointee.placed < counted else { return }
    let (root, start) = place()
    for number in Int(pointer.pointee.placed)..<Int(counted) {
      pointer.pointee.members[number].root = UInt64(root)
      pointer.pointee.members[number].offset += start
    }
    pointer.pointee.placed = counted
  }

  /// Whether members were met that have no path.
  package var hasNew: Bool { pointer.pointee.count > paths.count }

  /// Gives the members that are new their paths.
  ///
  /// - Parameter path: The path of the object with a member, by the root object. In a tree, the steps lead to the object; in a text, the
  ///   offset is the member's. Offsets ascend.
  package func setPaths(_ path: (_ root: Int, _ offset: Int, _ steps: [JSONPath.Step]?) -> [JSONPath.Step]) {
    for member in members[paths.count...] {
      let steps = member.steps.map { steps in
        UnsafeBufferPointer(start: steps, count: member.step_count).map(JSONPath.Step.init)
      }
      paths.append(
        JSONPath(path(Int(member.root), Int(member.offset), steps) + [.member(Self.name(of: member))]))
    }
  }

  /// The names of the members of the objects with a shape.
  package func names(of shape: UnsafePointer<fastmap_shape>?) -> [String] {
    members.filter { $0.shape == shape }.map(Self.name)
  }

  private static func name(of member: fastmap_unread_member) -> String {
    let bytes = UnsafeRawBufferPointer(start: member.token, count: Int(member.length))
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// The member that was met first in a tree, with the steps to its object; nil if there is none.
  package var first: (steps: [JSONPath.Step], name: String)? {
    guard let member = members.first(where: { !$0.is_ignored }) else { return nil }
    let steps = UnsafeBufferPointer(start: member.steps, count: member.step_count).map(JSONPath.Step.init)
    return (steps, Self.name(of: member))
  }

  /// The counts of some counters: the members, most objects first, and how often other members were met.
  package static func counts(_ counters: [UnreadCounter]) -> (
    members: [(member: String, objects: Int, path: JSONPath)], others: Int
  ) {
    var places = PlaceIndex<ByteName>()
    var found: [(member: String, objects: Int, path: JSONPath)] = []
    var others = 0
    for counter in counters {
      others += Int(counter.pointer.pointee.others)
      for (number, member) in counter.members.enumerated() where member.objects > 0 && !member.is_ignored {
        guard let title = member.shape.pointee.title, number < counter.paths.count else { continue }
        let name = "\(String(cString: title)).\(JSONKeyPath(components: [Self.name(of: member)]))"
        let place = places.place(of: ByteName(name))
        if place == found.count { found.append((name, 0, counter.paths[number])) }
        found[place].objects += Int(member.objects)
      }
    }
    found.sort { ($1.objects, $0.member) < ($0.objects, $1.member) }
    return (found, others)
  }
}
