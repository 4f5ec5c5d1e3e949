/// The first line of a dump: the entities of a store.
package struct DumpHeader {
  /// The counts of an entity.
  package struct Counts {
    package var next: UInt64
    package var objects: UInt64

    package init(next: UInt64, objects: UInt64) { (self.next, self.objects) = (next, objects) }
  }

  /// A migration that the store has had. Names are bytes, because old ones may be of any kind.
  package struct Change: Hashable, Sendable {
    package var kind: UInt8
    package var entity: [UInt8]
    package var field: [UInt8]
    package var target: [UInt8]

    package init(kind: UInt8, entity: [UInt8], field: [UInt8], target: [UInt8]) {
      (self.kind, self.entity, self.field, self.target) = (kind, entity, field, target)
    }
  }

  /// The entities with their fields and indexes. The fields of the keys are unknown: each object names its own.
  package var schema: Schema
  /// By the number of an entity.
  package var counts: [Counts]
  package var changes: [Change]

  package init(schema: Schema, counts: [Counts], changes: [Change]) {
    (self.schema, self.counts, self.changes) = (schema, counts, changes)
  }
}
