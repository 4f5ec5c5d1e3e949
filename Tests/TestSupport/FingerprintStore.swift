package import FastMapCore
import FastMapStoreTesting
import Synchronization

/// A store on top of another, with one writer, that keeps a fingerprint with each object in memory.
package final class FingerprintStore<Base: Store>: StoreOfBaseReaders {
  package let base: Base
  private let table: FingerprintTable

  /// - Parameter table: That of another instance of the same store.
  package init(_ base: Base, _ table: FingerprintTable = FingerprintTable()) {
    self.base = base
    self.table = table
  }

  package var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    capabilities.fingerprintKey = Fingerprint.Key(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    return capabilities
  }

  package func writer(on writer: Base.Writer, _ schema: Schema) -> FingerprintWriter<Base.Writer> {
    FingerprintWriter(base: writer, schema: schema, rows: table.rows.withLock(\.self))
  }

  package func write<R>(
    _ schema: Schema, _ body: (inout FingerprintWriter<Base.Writer>) throws -> TransactionCompletion<R>
  ) throws -> R {
    // The rows to restore after a commit that failed, or before it is run again.
    var before: FingerprintTable.Rows?
    do {
      return try base.write(schema) { inner in
        if let before { table.rows.withLock { $0 = before } }
        before = nil
        var writer = writer(on: inner, schema)
        defer { inner = writer.base }
        let ending = try body(&writer)
        if case .commit = ending {
          before = table.rows.withLock { rows in
            defer { rows = writer.rows }
            return rows
          }
        }
        return ending
      }
    } catch {
      if let before { table.rows.withLock { $0 = before } }
      throw error
    }
  }
}

/// The fingerprints of a store.
package final class FingerprintTable: Sendable {
  /// By the names of entities.
  typealias Rows = [String: [ObjectID: Fingerprint]]

  let rows = Mutex<Rows>([:])

  package init() {}
}

/// A fingerprint that a store is asked for has a value already.
package struct StaleFingerprintError: Error {}

package struct FingerprintWriter<Base: StoreWriter>: InterceptedWriter {
  package var base: Base
  fileprivate var schema: Schema
  fileprivate var rows: FingerprintTable.Rows

  package var reader: Base.Reader {
    get { base.reader }
    set { base.reader = newValue }
  }

  package mutating func use(_ schema: Schema) throws {
    try base.use(schema)
    self.schema = schema
  }

  package mutating func resolve(_ lookups: [KeyLookup]) throws {
    for fingerprints in lookups.compactMap(\.fingerprints) where fingerprints.contains(where: { $0 != nil }) {
      throw StaleFingerprintError()
    }
    do {
      try base.resolve(lookups)
    } catch let refused as RefusedKeysError {
      // A store may have answered for some keys before it refuses others.
      for lookup in lookups { lookup.fingerprints?.update(repeating: Fingerprint(high: 1, low: 2)) }
      throw refused
    }
    for lookup in lookups {
      guard let fingerprints = lookup.fingerprints, let known = rows[schema.entities[lookup.entity].name]
      else { continue }
      for (index, id) in lookup.ids.enumerated() { fingerprints[index] = id.flatMap { known[$0] } }
    }
  }

  package mutating func apply(_ changes: inout ChangeBatch) throws {
    for change in changes.changes {
      rows[schema.entities[change.entity].name, default: [:]][change.id] = change.fingerprint
    }
    try base.apply(&changes)
  }

  package mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    for reference in try base.references(to: ids, of: entity, after: nil, limit: 1 << 20).joined() {
      // Rows of objects with this number in other entities go with it, which costs a write.
      for name in rows.keys { rows[name]?[reference.owner] = nil }
    }
    for id in ids { rows[schema.entities[entity].name]?[id] = nil }
    return try base.delete(ids, of: entity)
  }
}
