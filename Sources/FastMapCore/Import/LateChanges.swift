internal import CFastMap

/// Makes changes of late links, some owners at a time.
struct LateChanges {
  let plan: Plan
  /// Whose memory the rows take.
  let unit: ImportUnit

  private static let ownersAtOnce = 1024

  /// The changes of the next owners, all of one entity; those that are stored no more are left out.
  ///
  /// - Parameter links: By owner; those that are done are taken off.
  func next<W: StoreWriter>(
    of links: inout ArraySlice<LateLinks.Settlement>, _ writer: inout W
  ) throws -> ChangeBatch {
    var batch = ChangeBatch(schema: plan.schema)
    guard let entity = links.first?.holder.entity else { return batch }
    let fields = plan.schema.entities[entity].fields
    while let first = links.first?.holder, first.entity == entity, batch.changes.count < Self.ownersAtOnce {
      let own = links.prefix { $0.holder.owner == first.owner && $0.holder.entity == entity }
      links = links.dropFirst(own.count)
      let isStored = try writer.withRow(first.owner, of: entity) { _ in true } ?? false
      guard isStored else { continue }
      guard let row = unit.makeRow(fields.count) else { throw OutOfMemoryError() }
      for link in own { try fill(&row[link.holder.field], link, fields[link.holder.field].kind, &writer) }
      batch.changes.append(
        ObjectChange(
          id: first.owner, entity: entity, isNew: false, keyField: nil,
          row: Row(slots: row, count: fields.count)))
    }
    return batch
  }

  private func fill<W: StoreWriter>(
    _ slot: inout fastmap_slot, _ link: LateLinks.Settlement, _ kind: Schema.Kind, _ writer: inout W
  ) throws {
    if case .toMany = kind {
      let holder = link.holder
      let old = try writer.targets(of: [holder.owner], entity: holder.entity, field: holder.field).first ?? []
      let list = link.list(old)
      guard let targets = unit.allocate(ObjectID.self, list.count) else { throw OutOfMemoryError() }
      targets.initialize(from: list, count: list.count)
      slot.set(targets, count: list.count)
    } else if let target = link.appended.last {
      slot.set(target)
      let isMixed = plan.traits.ownsKeyless(link.holder.field, of: link.holder.entity)
      let spares = isMixed && link.policy == FASTMAP_ASSIGN
      slot.policy = spares ? UInt8(FASTMAP_REPLACE) : link.policy
      slot.spares_keyed = spares
    }
  }
}
