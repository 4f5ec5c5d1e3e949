/// The keys of one entity in a batch, and room for the numbers of their objects.
///
///     for lookup in lookups {
///       for (index, key) in lookup.keys.enumerated() { lookup.ids[index] = known[lookup.entity][key] }
///     }
///
/// - Note: Valid only in the call that receives it.
public struct KeyLookup {
  /// The number of the entity.
  public let entity: Int
  /// The keys, sorted ascending, without repeats; borrowed for the call.
  public let keys: KeyBatch
  /// As many as `keys`. Set each to the object's number, or to nil if there is none.
  public let ids: UnsafeMutableBufferPointer<ObjectID?>
  /// As many as `keys`, all nil. Set the fingerprints of stored objects. Nil for a store whose
  /// ``StoreCapabilities`` have no `fingerprintKey`.
  public let fingerprints: UnsafeMutableBufferPointer<Fingerprint?>?

  /// Makes a lookup.
  package init(
    entity: Int, keys: KeyBatch, ids: UnsafeMutableBufferPointer<ObjectID?>,
    fingerprints: UnsafeMutableBufferPointer<Fingerprint?>? = nil
  ) {
    self.entity = entity
    self.keys = keys
    self.ids = ids
    self.fingerprints = fingerprints
  }
}

/// New objects of one entity that need numbers: first objects with a key, then objects without.
///
///     .run(from: counter.advanced(request.entity, by: request.count))
///
/// - Note: Valid only in the call that receives it.
public struct NumberRequest {
  /// The number of the entity.
  public let entity: Int
  /// The keys of the objects that have one, sorted ascending, without repeats; borrowed for the call. None in the load of a
  /// dump, which knows no keys yet.
  public let keys: KeyBatch
  /// The number of objects, with and without a key.
  public let count: Int

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys of the objects that have one.
  ///   - count: At least the count of `keys`.
  package init(entity: Int, keys: KeyBatch, count: Int) {
    self.entity = entity
    self.keys = keys
    self.count = count
  }
}

extension StoreWriter {
  package mutating func reserve(of entity: Int) throws -> ObjectID {
    try KeyBatch.lend([]) { keys in
      try reserve([NumberRequest(entity: entity, keys: keys, count: 1)])[0][0]
    }
  }
}

/// The numbers of new objects, in the order of a ``NumberRequest``.
///
///     return [.run(from: ObjectID(rawValue: 1))]
public enum ObjectNumbers: Sendable {
  /// Consecutive numbers.
  case run(from: ObjectID)
  /// Any numbers.
  case list([ObjectID])

  /// The number at a position.
  package subscript(index: Int) -> ObjectID {
    switch self {
    case .run(let first): first.advanced(by: index)
    case .list(let ids): ids[index]
    }
  }
}

/// All keys of a batch that a store cannot hold. The core asks again without them.
///
///     throw RefusedKeysError([0: [3: "expected a key of at most 508 bytes, found one of 600 bytes"]])
///
/// A ``Mapper`` converts them to ``MappingError``s with the paths of the keys.
public struct RefusedKeysError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reasons, as messages, by entity and by the indices of the keys in its lookup.
  package let reasons: [Int: [Int: String]]

  /// Makes a refusal of at least one key.
  public init(_ reasons: [Int: [Int: String]]) { self.reasons = reasons }

  /// The first 100 reasons in the order of the keys, one a line, and the number of the others.
  public var description: String {
    let all = reasons.sorted { $0.key < $1.key }.flatMap { entity, reasons in
      reasons.sorted { $0.key < $1.key }.map { (entity: entity, key: $0.key, reason: $0.value) }
    }
    return messageLines(all.count) { "key \(all[$0].key) of entity \(all[$0].entity): \(all[$0].reason)" }
      .joined(separator: "\n")
  }
}
