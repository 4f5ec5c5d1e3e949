/// A store has broken a rule of its protocols, for example with fewer answers than questions.
///
///     targets(of:entity:fields:): expected 3 lists, found 2
///
/// FastMap checks the rules that could otherwise lose data without a sign. The contract suite of `FastMapStoreTesting`
/// checks all of them. A write that fails with this error changes nothing.
public struct StoreContractError: Error, Sendable, CustomStringConvertible {
  /// The call, the demand of the rule, and the violation.
  public let description: String

  package init(_ description: String) { self.description = description }

  /// Checks that a store has returned as many answers as it was asked for.
  @inlinable @inline(__always)
  package static func check(_ found: Int, isCount expected: Int, of things: String, in call: String) throws {
    if found != expected { throw wrongCount(found, expected, things, call) }
  }

  /// Checks that a store has returned a position in the objects that it was asked for.
  @inlinable @inline(__always)
  package static func check(position: Int, below count: Int) throws {
    // One comparison, which a negative number fails too.
    if UInt(bitPattern: position) >= UInt(bitPattern: count) { throw wrongPosition(position, count) }
  }

  /// Checks that a store has returned the number of an entity of the schema.
  @inlinable @inline(__always)
  package static func check(entity: Int, below count: Int, in call: String) throws {
    if UInt(bitPattern: entity) >= UInt(bitPattern: count) { throw wrongEntity(entity, count, call) }
  }

  @usableFromInline
  static func wrongEntity(_ entity: Int, _ count: Int, _ call: String) -> StoreContractError {
    StoreContractError("\(call): expected entities below \(count), found \(entity)")
  }

  @usableFromInline
  static func wrongPosition(_ position: Int, _ count: Int) -> StoreContractError {
    StoreContractError("read(_:of:_:): expected positions below \(count), found \(position)")
  }

  @usableFromInline
  static func wrongCount(
    _ found: Int, _ expected: Int, _ things: String, _ call: String
  ) -> StoreContractError {
    StoreContractError("\(call): expected \(expected) \(things), found \(found)")
  }
}

extension StoreReader {
  /// ``targets(of:entity:fields:)``, with as many lists as owners for each field.
  @inline(__always)
  package mutating func checkedTargets(
    of owners: [ObjectID], entity: Int, fields: [Int]
  ) throws -> [[[ObjectID]]] {
    let found = try targets(of: owners, entity: entity, fields: fields)
    let call = "targets(of:entity:fields:)"
    try StoreContractError.check(found.count, isCount: fields.count, of: "fields", in: call)
    for lists in found {
      try StoreContractError.check(lists.count, isCount: owners.count, of: "lists", in: call)
    }
    return found
  }

  /// ``owners(of:entity:field:)``, with as many lists as targets.
  mutating func checkedOwners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    let found = try owners(of: targets, entity: entity, field: field)
    try StoreContractError.check(
      found.count, isCount: targets.count, of: "lists", in: "owners(of:entity:field:)")
    return found
  }

  /// ``firstOwners(of:entity:field:)``, with as many results as targets.
  mutating func checkedFirstOwners(of targets: [ObjectID], entity: Int, field: Int) throws -> [ObjectID?] {
    let found = try firstOwners(of: targets, entity: entity, field: field)
    try StoreContractError.check(
      found.count, isCount: targets.count, of: "results", in: "firstOwners(of:entity:field:)")
    return found
  }

  /// ``find(_:of:)``, with as many results as keys.
  @inline(__always)
  package mutating func checkedFind(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    let found = try find(keys, of: entity)
    try StoreContractError.check(found.count, isCount: keys.count, of: "results", in: "find(_:of:)")
    return found
  }
}

extension StoreWriter {
  /// ``reserve(_:)``, with a result for each request, which has as many numbers as requested.
  @inline(__always)
  package mutating func checkedReserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    let reserved = try reserve(requests)
    let call = "reserve(_:)"
    try StoreContractError.check(reserved.count, isCount: requests.count, of: "results", in: call)
    for (request, numbers) in zip(requests, reserved) {
      switch numbers {
      case .list(let ids):
        try StoreContractError.check(ids.count, isCount: request.count, of: "numbers", in: call)
      case .run(let first):
        // None of the run may be above the largest number.
        let most = UInt64.max - first.rawValue
        if most < UInt64(request.count) {
          try StoreContractError.check(Int(most), isCount: request.count, of: "numbers", in: call)
        }
      }
    }
    return reserved
  }
}

extension Row {
  /// Checks that a store has lent a row of one of the objects that it was asked for, with a slot for each field.
  @inlinable @inline(__always)
  package func check(_ index: Int, of ids: [ObjectID], fields: Int) throws {
    try StoreContractError.check(position: index, below: ids.count)
    try check(fields: fields)
  }

  @inlinable @inline(__always)
  package func check(fields: Int) throws {
    try StoreContractError.check(count, isCount: fields, of: "fields in a row", in: "read(_:of:_:)")
  }
}
