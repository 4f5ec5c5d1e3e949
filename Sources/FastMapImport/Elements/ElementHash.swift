internal import CFastMap

/// A hash of the value of an element: an object without a key in a list, with the objects without a key inside of it.
///
/// Elements with equal hashes are equal: the hash is SipHash-2-4 with 128 bits and a secret of the import.
struct ElementHash: Hashable {
  fileprivate let high: UInt64
  fileprivate let low: UInt64

  fileprivate init(_ made: fastmap_fingerprint) { (high, low) = (made.high, made.low) }
}

/// Makes the hashes of elements, in a store and in a payload.
///
/// A hash covers all fields of the entity. Fields without a value, null and empty lists are equal. A target with a key counts
/// as the object that it is, a target without one by its own hash.
struct ElementHasher {
  private let secret: fastmap_fingerprint
  /// The numbers of the fields; a field counts by its number in the schema of the import.
  private let names: [UInt64]
  private let order: [UInt32]

  init(_ schema: Schema) {
    secret = fastmap_fingerprint(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    let count = schema.entities.map(\.fields.count).max() ?? 0
    names = (0..<UInt64(count)).map { $0 }
    order = (0..<UInt32(count)).map { $0 }
  }

  /// The hash of an object without owned targets.
  ///
  /// - Parameter fields: Without the relationships to owned targets.
  func hash(_ fields: UnsafePointer<fastmap_slot>, count: Int) -> ElementHash {
    ElementHash(fastmap_fingerprint_content(secret, fields, names, order, UInt32(count)))
  }

  /// The hash of an object with owned targets.
  ///
  /// - Parameters:
  ///   - own: The hash of its other fields.
  ///   - targets: The owned targets, by their fields.
  func hash(_ own: ElementHash, _ targets: [(field: Int, hash: ElementHash)]) -> ElementHash {
    if targets.isEmpty { return own }
    var words = [own.high, own.low]
    for target in targets { words += [UInt64(target.field), target.hash.high, target.hash.low] }
    return hash(words)
  }

  /// The hash of an element as one of a list. Equal elements of two lists have two.
  func hash(_ element: ElementHash, in holder: ChangeBatch.Holder) -> ElementHash {
    hash([
      UInt64(holder.entity), UInt64(holder.field), holder.owner.rawValue, element.high, element.low,
    ])
  }

  private func hash(_ words: [UInt64]) -> ElementHash {
    words.withUnsafeBytes { ElementHash(fastmap_fingerprint_bytes(secret, $0.baseAddress, $0.count)) }
  }
}
