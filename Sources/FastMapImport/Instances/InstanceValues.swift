internal import CFastMap

/// The values of elements without a key, as instances have them.
///
/// Elements are equal if all their attributes are, and their targets: ones with a key by identity, ones without a key by
/// their own values.
final class InstanceValues {
  private unowned let pass: InstancePass
  private let hasher: ElementHasher
  private var buffer = RowBuffer()

  init(_ pass: InstancePass) {
    self.pass = pass
    hasher = ElementHasher(pass.plan.schema)
  }

  /// Whether a target of a relationship belongs to its owner, and has no identity of its own.
  func isValue(_ target: AnyObject, _ property: ClassRelationship) -> Bool {
    let table = pass.tables[property.target]
    guard pass.plan.schema.entities[table.entity].keyKind != nil else { return true }
    return pass.plan.schema.entities[table.entity].keepsKeyless && !table.hasSetKey(target)
  }

  func hashes(ofElementsIn targets: [AnyObject], _ property: ClassRelationship) throws -> Set<ElementHash> {
    var hashes: Set<ElementHash> = []
    for target in targets where isValue(target, property) {
      hashes.insert(try hash(of: target, property.target))
    }
    return hashes
  }

  /// An instance inside of an element.
  private struct Node {
    let instance: AnyObject
    let entity: Int
    /// The targets without a key, by their fields.
    var inside: [(field: Int, node: Int)] = []
  }

  /// The value of an instance and of all that belongs to it.
  ///
  /// - Throws: ``SystemError`` if memory has run out.
  /// - Complexity: O(*n*) in the instances that belong to it.
  func hash(of instance: AnyObject, _ entity: Int) throws(SystemError) -> ElementHash {
    var nodes = [Node(instance: instance, entity: entity)]
    // A caller's instances may be in a ring.
    var known = [ObjectIdentifier(instance): 0]
    var hashes: [ElementHash] = []
    while hashes.count < nodes.count {
      hashes.append(try ownHash(of: hashes.count, in: &nodes, &known))
    }
    for index in nodes.indices.reversed() {
      let inside = nodes[index].inside.map { (field: $0.field, hash: hashes[$0.node]) }
      hashes[index] = hasher.hash(hashes[index], inside)
    }
    return hashes[0]
  }

  /// The hash of the attributes of a node, and of its targets with a key. Appends its other targets to the nodes.
  private func ownHash(
    of index: Int, in nodes: inout [Node], _ known: inout [ObjectIdentifier: Int]
  ) throws(SystemError) -> ElementHash {
    let table = pass.tables[nodes[index].entity]
    let instance = nodes[index].instance
    table.read(instance, into: &buffer)
    for property in table.relationships {
      var ids: [ObjectID] = []
      for target in property.access.get(instance) {
        if !isValue(target, property) {
          ids.append(ObjectID(rawValue: UInt64(UInt(bitPattern: ObjectIdentifier(target)))))
        } else if let ring = known[ObjectIdentifier(target)] {
          ids.append(ObjectID(rawValue: UInt64(ring) | 1 << 63))  // no address
        } else {
          known[ObjectIdentifier(target)] = nodes.count
          nodes[index].inside.append((property.field, nodes.count))
          nodes.append(Node(instance: target, entity: property.target))
        }
      }
      if !ids.isEmpty { buffer.setTargets(ids, update: .assign, at: property.field) }
    }
    try buffer.checkWhole()
    return hasher.hash(buffer.slots, count: table.fieldCount)
  }
}
