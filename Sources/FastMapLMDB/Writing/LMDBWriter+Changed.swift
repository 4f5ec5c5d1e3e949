internal import CFastMap
import CFastMapLMDB
public import FastMapStoreKit

extension LMDBWriter {
  public mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    let environment = environment
    // A read inside a write sees the last commit. Changes of other writers in the same transaction are in no commit
    // yet, so this write has to run alone.
    if environment.turn.hasEarlierChanges { throw environment.changeFailure(MDB_BAD_TXN) }
    return try environment.read { transaction in
      let before = LMDBReader(
        view: transaction.view, tables: tables, binding: reader.binding, layout: reader.layout,
        lists: reader.lists)
      // The default of an attribute that this write has added is no change of an object.
      let defaults = reader.binding.newDefaults[entity] == nil ? nil : entity
      return try ids.map { id in
        guard reader.isNumber(id, of: entity) else { return false }
        return try contents(of: id, before, defaults) != contents(of: id, reader)
      }
    }
  }

  /// Everything stored of an object; nil if it does not exist.
  ///
  /// - Parameter defaults: The entity whose new defaults are added; nil for none.
  private func contents(of id: ObjectID, _ reader: LMDBReader, _ defaults: Int? = nil) throws -> [[UInt8]]? {
    guard let record = try reader.record(id) else { return nil }
    var contents = [try defaults.map { try bytes(of: record, withDefaultsOf: $0) } ?? Array(record.bytes)]
    let cursor = try reader.view.unsafeCursor(tables.links)
    for (field, layout) in reader.layout.entities[Int(ObjectNumber.entity(id))].fields.enumerated() {
      guard case .relationship(isToMany: true, _, _) = layout.kind else { continue }
      let targets = try reader.links(of: id, field: UInt16(field), cursor)
      contents.append(targets.withUnsafeBytes { Array($0) })
    }
    return contents
  }

  private func bytes(of record: RecordView, withDefaultsOf entity: Int) throws -> [UInt8] {
    let bound = reader.binding.entities[entity]
    var buffer = RowBuffer()
    buffer.reset(count: bound.fields.count)
    for (field, value) in reader.binding.newDefaults[entity] ?? [] { buffer.set(value, at: field) }
    let change = ObjectChange(id: record.id, entity: entity, isNew: false, keyField: nil, row: buffer.row)
    var encoder = RecordEncoder()
    guard try encode(change, over: record, bound, &encoder) else { throw reader.damagedRecord(record.id) }
    return Array(encoder.record)
  }
}
