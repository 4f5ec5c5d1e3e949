internal import CFastMap
import CFastMapLMDB
public import FastMapCore

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
      return try ids.map { id in
        guard reader.isNumber(id, of: entity) else { return false }
        return try contents(of: id, before) != contents(of: id, reader)
      }
    }
  }

  /// Everything stored of an object; nil if it does not exist.
  private func contents(of id: ObjectID, _ reader: LMDBReader) throws -> [[UInt8]]? {
    guard let record = try reader.record(id) else { return nil }
    var contents = [Array(record.bytes)]
    let cursor = try reader.view.unsafeCursor(tables.links)
    for (field, layout) in reader.layout.entities[Int(ObjectNumber.entity(id))].fields.enumerated() {
      guard case .relationship(isToMany: true, _, _) = layout.kind else { continue }
      let targets = try reader.links(of: id, field: UInt16(field), cursor)
      contents.append(targets.withUnsafeBytes { Array($0) })
    }
    return contents
  }
}
