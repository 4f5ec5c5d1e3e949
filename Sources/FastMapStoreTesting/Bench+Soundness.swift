internal import FastMapCore

extension Bench {
  /// Looks over all objects of the plan: every target is stored and knows its referrers, keys find their objects, and
  /// counts are right.
  func expectSound(_ when: String) throws {
    do {
      try store.write(plan.schema) { writer in
        var sound = Soundness(schema: plan.schema)
        try sound.collect(&writer)
        try sound.look(&writer)
        return .rollBack(())
      }
    } catch let failure as Failure {
      throw Failure(reason: "\(when), \(failure.reason)")
    }
  }
}

private struct Soundness {
  let schema: Schema
  private var objects: [[ObjectID]] = []
  /// By entity and target, how many relationships have it.
  private var referrers: [[ObjectID: Int]]

  init(schema: Schema) {
    self.schema = schema
    referrers = Array(repeating: [:], count: schema.entities.count)
  }

  /// All objects, found by their pages.
  mutating func collect(_ writer: inout some StoreWriter) throws {
    for (number, entity) in schema.entities.enumerated() {
      var ids: [ObjectID] = []
      try writer.reader.forEachPage(of: number, keys: nil, isDescending: false, pageSize: 500) {
        inner, page in
        ids += page.ids
        let keys = page.keys.compactMap(\.self)
        let found = try inner.find(keys, of: number)
        try expect(
          found == page.ids.prefix(keys.count).map { $0 }, "keys of \(entity.name) find other objects")
        return true
      }
      try expect("the count of \(entity.name)", writer.reader.count(of: number), is: ids.count)
      try expect("the different numbers of \(entity.name)", Set(ids).count, is: ids.count)
      objects.append(ids)
    }
  }

  /// The relationships, from both ends.
  mutating func look(_ writer: inout some StoreWriter) throws {
    for (number, entity) in schema.entities.enumerated() {
      for (field, description) in entity.fields.enumerated() {
        let destination: Int
        switch description.kind {
        case .attribute: continue
        case .toOne(let target, _), .toMany(let target, _): destination = target
        }
        let stored = Set(objects[destination])
        let targets = try writer.reader.targets(of: objects[number], entity: number, fields: [field])[0]
        for (owner, targets) in zip(objects[number], targets) {
          for target in Set(targets) {
            try expect(
              stored.contains(target),
              "\(entity.name).\(description.name) of the object \(owner) refers to \(target), which is not stored"
            )
            referrers[destination][target, default: 0] += 1
          }
        }
      }
    }
    for number in schema.entities.indices {
      let ids = objects[number].sorted()
      let found = try writer.references(to: ids, of: number, after: nil, limit: 4096)
      for (id, references) in zip(ids, found) {
        try expect(
          "the references to the object \(id) of \(schema.entities[number].name)", references.count,
          is: referrers[number][id] ?? 0)
      }
    }
  }
}
