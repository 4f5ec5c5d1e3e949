package import FastMapCore
import FastMapStoreTesting

/// A store on top of another whose numbers are far apart and in no order, as in a store that makes them from keys.
///
/// Number *n* of the base is *n* × k modulo 2⁶³, which no two numbers share.
package final class ScatteredStore<Base: Store>: InterceptedStore {
  package typealias Writer = ScatteredWriter<Base.Writer>

  package let base: Base
  package let capabilities: StoreCapabilities

  package init(_ base: Base, prefersSets: Bool = false) {
    self.base = base
    var capabilities = base.capabilities
    capabilities.prefersSets = prefersSets
    self.capabilities = capabilities
  }

  package func reader(on reader: Base.Reader, _ schema: Schema) -> ScatteredReader<Base.Reader> {
    ScatteredReader(base: reader, prefersSets: capabilities.prefersSets)
  }

  package func writer(on writer: Base.Writer, _ schema: Schema) -> Writer {
    ScatteredWriter(base: writer, schema: schema, prefersSets: capabilities.prefersSets)
  }
}

extension ObjectID {
  private static let factor: UInt64 = 0x1E37_79B9_7F4A_7C15
  private static let mask = UInt64(Int64.max)

  /// The number that multiplies with the factor to 1. Each round of Newton's method doubles its right bits.
  private static let inverse: UInt64 = (0..<6).reduce(factor) { inverse, _ in
    inverse &* (2 &- factor &* inverse)
  }

  /// The number outside of one of the base.
  fileprivate var scattered: ObjectID {
    rawValue > Self.mask ? self : ObjectID(rawValue: rawValue &* Self.factor & Self.mask)
  }

  /// The number in the base of one outside.
  fileprivate var gathered: ObjectID {
    rawValue > Self.mask ? self : ObjectID(rawValue: rawValue &* Self.inverse & Self.mask)
  }
}

package struct ScatteredReader<Base: StoreReader>: InterceptedReader {
  package var base: Base
  package let prefersSets: Bool

  package mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try base.find(keys, of: entity).map { $0?.scattered }
  }

  package mutating func read(
    _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
  ) throws {
    try base.read(ids.map(\.gathered), of: entity) { index, row in
      try Row.lend(count: row.count) { field in
        row[field].target.map { .target($0.scattered) } ?? row[field]
      } to: {
        try body(index, $0)
      }
    }
  }

  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try base.targets(of: owners.map(\.gathered), entity: entity, fields: fields).map { lists in
      lists.map { $0.map(\.scattered) }
    }
  }

  package mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try base.owners(of: targets.map(\.gathered), entity: entity, field: field).map { $0.map(\.scattered) }
  }

  package mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    defer { self = copy }
    try base.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      try body(&copy, ObjectPage(ids: page.ids.map(\.scattered), keys: page.keys))
    }
  }
}

package struct ScatteredWriter<Base: StoreWriter>: InterceptedWriter {
  package var base: Base
  fileprivate var schema: Schema
  package let prefersSets: Bool

  package var reader: ScatteredReader<Base.Reader> {
    get { ScatteredReader(base: base.reader, prefersSets: prefersSets) }
    set { base.reader = newValue.base }
  }

  package mutating func use(_ schema: Schema) throws {
    try base.use(schema)
    self.schema = schema
  }

  package mutating func resolve(_ lookups: [KeyLookup]) throws {
    try base.resolve(lookups)
    for lookup in lookups {
      for index in lookup.ids.indices { lookup.ids[index] = lookup.ids[index]?.scattered }
    }
  }

  package mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    try zip(requests, base.reserve(requests)).map { request, numbers in
      .list((0..<request.count).map { numbers[$0].scattered })
    }
  }

  package mutating func apply(_ changes: inout ChangeBatch) throws {
    let rows = changes.changes.map { GatheredRow($0, schema) }
    var batch = ChangeBatch(schema: schema)
    batch.changes = rows.map(\.change)
    try withExtendedLifetime(rows) {
      try base.apply(&batch)
      try base.finish(&batch)
    }
    changes.take(batch, from: 0) { $0.scattered }
  }

  package mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    let last = last.map { Reference(owner: $0.owner.gathered, entity: $0.entity, field: $0.field) }
    return try base.references(to: ids.map(\.gathered), of: entity, after: last, limit: limit).map { list in
      list.map { Reference(owner: $0.owner.scattered, entity: $0.entity, field: $0.field) }
    }
  }

  package mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    let deleted = Set(try base.delete(ids.map(\.gathered).sorted(), of: entity))
    return ids.filter { deleted.contains($0.gathered) }
  }

  package mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    func scattered(_ object: DuplicateValues.Object) -> DuplicateValues.Object {
      .init(id: object.id.scattered, key: object.key)
    }
    try base.forEachDuplicate(limit: limit) { pair in
      let contents = pair.contents.map { content -> IndexRange.Content in
        if case .object(let id) = content { .object(id.scattered) } else { content }
      }
      try body(
        DuplicateValues(
          entity: pair.entity, index: pair.index, contents: contents, first: scattered(pair.first),
          second: scattered(pair.second)))
    }
  }

  package mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try base.changed(ids.map(\.gathered), of: entity)
  }

  package mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    try base.keepLeftovers(leftovers.map { $0.renumbered($0.id.gathered) }, of: keeper)
  }

  package mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    try base.claimLeftovers(of: keeper).map { $0.renumbered($0.id.scattered) }
  }
}

extension Leftover {
  fileprivate func renumbered(_ id: ObjectID) -> Leftover {
    Leftover(id: id, entity: entity, isOwned: isOwned, deletesShared: deletesShared)
  }
}

private struct Owner: Hashable {
  let id: ObjectID
  let entity: Int
}

extension ChangeBatch {
  /// Takes over a store's answers to the same changes.
  ///
  /// - Parameters:
  ///   - answer: The batch that was applied, with as many changes.
  ///   - first: How many removed targets it had before.
  ///   - renumber: Makes the number of a target in this batch.
  mutating func take(_ answer: ChangeBatch, from first: Int, _ renumber: (ObjectID) -> ObjectID) {
    var places: [Owner: Int] = [:]
    for (place, change) in answer.changes.enumerated() {
      changes[place].isChanged = change.isChanged
      places[Owner(id: change.id, entity: change.entity)] = place
    }
    for removed in answer.removed[first...] {
      let (holder, target) = (removed.holder, renumber(removed.id))
      guard let place = places[Owner(id: holder.owner, entity: holder.entity)] else {
        preconditionFailure("a target was removed from an object that the batch has not")
      }
      recordRemoved(target, from: holder.field, of: changes[place])
    }
  }
}

/// A change for the base, with the row that it borrows.
private final class GatheredRow {
  private var buffer = RowBuffer()
  let change: ObjectChange

  init(_ source: ObjectChange, _ schema: Schema) {
    let row = source.row
    buffer.reset(count: row.count)
    for (index, field) in schema.entities[source.entity].fields.enumerated() where !row[index].isMissing {
      switch field.kind {
      case .attribute: buffer.copy(row[index], at: index)
      case .toOne, .toMany:
        let update = source.update(of: index)
        if row[index].isNull {
          buffer.setNull(update: update, at: index)
        } else if let target = row[index].target {
          buffer.setTarget(target.gathered, update: update, at: index)
        } else {
          buffer.setTargets(row[index].targets.map(\.gathered), update: update, at: index)
        }
      }
    }
    change = ObjectChange(
      id: source.id.gathered, entity: source.entity, isNew: source.isNew, keyField: source.keyField,
      row: buffer.row, fingerprint: source.fingerprint)
  }
}
