import FastMapCore
import TestSupport
import Testing

extension Row {
  /// The samples that a property with their value stores.
  private var written: [Int] { samples.indices.filter { samples[$0].isWritten } }

  func reads(_ kind: StoreKind) throws {
    let bench = try Bench.loaded(self, kind)
    try bench.store.withContext(for: bench.mapping) { context in
      bench.expect(try context.objects(bench.mapping), "in a context")
      #expect(try !context.hasChanges())
      let (first, again) = (
        try context.object(bench.mapping, key: 1), try context.object(bench.mapping, key: 1)
      )
      #expect(first === again && first != nil)
      #expect(try context.save().entities.isEmpty)
    }
    try bench.store.read(bench.mapping) { snapshot in
      #expect(try snapshot.object(bench.mapping, key: 99) == nil)
      let one = try snapshot.object(bench.mapping, key: 1)
      #expect(Self.areAlike(one?.plain, bench.plain(1)))
      #expect(try snapshot.keys(bench.mapping.query) == bench.keys { _ in true })
      let pair = try snapshot.objects(bench.mapping.keys([3, 77, 1]))
      #expect(pair.map(\.id) == [1, 3])
    }
    try bench.check("nothing has changed")
  }

  func edits(_ kind: StoreKind) throws {
    var bench = try Bench.loaded(self, kind)
    let context = try ObjectContext(bench.store, for: bench.mapping)
    defer { context.end() }
    let items = try context.objects(bench.mapping)
    // Setting the shown value is no edit.
    for item in items { (item.plain, item.maybe) = (item.plain, item.maybe) }
    #expect(try !context.hasChanges())
    for (round, new) in written.enumerated() {
      var changed: Set<Int> = []
      for item in items where item.id % 2 == round % 2 {
        let state = bench.model[item.id]!
        if !Self.areAlike(item.plain, samples[new].value) {
          changed.insert(item.id)
          item.plain = samples[new].value
          bench.model[item.id]!.plain = new
        }
        let maybe = item.id % 3 == 0 ? nil : new
        if !Self.areAlike(item.maybe, maybe.map { samples[$0].value }) {
          changed.insert(item.id)
          item.maybe = maybe.map { samples[$0].value }
          bench.model[item.id]!.maybe = maybe
        }
        #expect(changed.contains(item.id) || state == bench.model[item.id])
      }
      #expect(try context.hasChanges() == !changed.isEmpty)
      let counts = try context.save()["Item"] ?? .init()
      #expect(counts.updated == changed.count && counts.inserted == 0, "round \(round)")
      #expect(try !context.hasChanges())
      try bench.check("round \(round)")
      bench.expect(items, "round \(round)")
    }
    // An edit is taken back.
    let new = samples[written[written.count - 1]].value
    items[0].maybe = items[0].maybe == nil ? new : nil
    #expect(try context.hasChanges())
    try context.rollBack()
    bench.expect(items, "rolled back")
    try insertsAndDeletes(&bench, context)
  }

  private func insertsAndDeletes(_ bench: inout Bench<V>, _ context: ObjectContext) throws {
    let added = Item(samples[written[0]].value)
    (added.id, added.maybe) = (100, samples[written[0]].value)
    try context.insert(added, as: bench.mapping)
    bench.model[100] = .init(plain: written[0], maybe: written[0])
    let one = try context.object(bench.mapping, key: 1)!
    try context.delete(one)
    bench.model[1] = nil
    #expect(try summary(context.save()) == "Item +1 -1")
    try bench.check("inserted and deleted")
  }

  func refreshes(_ kind: StoreKind) throws {
    var bench = try Bench.loaded(self, kind)
    let context = try ObjectContext(bench.store, for: bench.mapping)
    defer { context.end() }
    let items = try context.objects(bench.mapping)
    for (key, state) in bench.model where key % 2 == 0 {
      bench.model[key] = .init(plain: (state.plain + 1) % samples.count, maybe: state.maybe == nil ? 0 : nil)
    }
    try bench.load(bench.payload())
    #expect(try !context.hasChanges())
    try context.refreshAll()
    bench.expect(items, "refreshed")
    #expect(try !context.hasChanges() && context.refreshAll().isEmpty)

    // Both set a property that had no value.
    let (item, mine, theirs) = (items[0], written[0], written[1])
    bench.model[1]!.maybe = nil
    try bench.load(bench.payload([1]))
    try context.refresh([item])
    #expect(item.maybe == nil)
    item.maybe = samples[mine].value
    bench.model[1]!.maybe = theirs
    try bench.load(bench.payload([1]))
    #expect(throws: SaveConflictError.self) { try context.save() }
    try bench.check("the conflict is not saved")
    let report = try context.save(onConflict: .theirs)
    #expect(report.conflicts.map(\.field) == ["maybe"])
    bench.expect(items, "theirs")
    item.maybe = nil
    try bench.load(#"{"id":1,"maybe":\#(samples[mine].json)}"#)
    try context.save(onConflict: .mine)
    bench.model[1]!.maybe = nil
    bench.expect(items, "mine")
    try bench.check("mine")
    // Both set the same value.
    item.maybe = samples[mine].value
    bench.model[1]!.maybe = mine
    try bench.load(bench.payload([1]))
    try context.save()
    try bench.check("the same")
  }
}
