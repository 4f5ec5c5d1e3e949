internal import FastMapCore

extension StoreContract {
  static var referenceChecks: [Check] {
    [
      Check(
        "Objects of an entity that the schema leaves out refer to others, and lose targets that are deleted"
      ) {
        contract in
        let bench = try contract.makeBench()
        let shelves = Bench(store: bench.store, plan: try Plan(Shelf.mapping))
        try shelves.load(#"[{"id":1,"best":3,"items":[2,3,4,3]},{"id":2,"items":[3]}]"#)
        let (third, fourth) = (try bench.id(3), try bench.id(4))
        try bench.write { writer in
          try expect(try writer.isReferenced(third, of: 0), "an item on a shelf is not referred to")
          try expect(try writer.delete(third, of: 0), "a stored item is not deleted")
          try expect(try !writer.isReferenced(third, of: 0), "a deleted item is referred to")
          try expect(try writer.isReferenced(fourth, of: 0), "another item is not referred to any more")
          let owner = try writer.reference(to: fourth, of: 0, after: nil)
          try expect("the entity of what the schema leaves out", owner?.entity, is: nil)
        }
        try shelves.expectObject(1, is: "items=[2 4]")
        try shelves.expectObject(2, is: "")
      },
      Check("The references to an object are found one after the other, each relationship once") { contract in
        let bench = try contract.makeBench()
        try bench.load(
          #"[{"id":1,"one":9,"many":[9,2,9]},{"id":2,"one":9},{"id":3,"merged":[9,9]},{"id":9,"one":9},{"id":4}]"#
        )
        let target = try bench.id(9)
        let owners = try [1, 1, 2, 3, 9].map { try bench.id($0) }
        try bench.write { writer in
          var found: [Reference] = []
          while let next = try writer.reference(to: target, of: 0, after: found.last) {
            try expect(found.count < 10, "the references to an object have no end")
            found.append(next)
          }
          try expect("the owners", found.map(\.owner).sorted(), is: owners.sorted())
          try expect("the entities", found.map(\.entity), is: Array(repeating: 0, count: 5))
          try expect("the relationships", Set(found).count, is: 5)
          for place in found.indices {
            let behind = try writer.reference(to: target, of: 0, after: found[place])
            try expect("the one behind another", behind, is: place + 1 < 5 ? found[place + 1] : nil)
          }
          let free = try bench.id(4)
          try expect(try writer.reference(to: free, of: 0, after: nil) == nil, "nothing refers to an object")
        }
      },
      Check("Targets that a replace no longer has are noted once, in their old order, with their holder") {
        contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1,"onlyOne":9,"replaced":[8,3,8,5,3,4],"many":[6,7]},{"id":2}]"#)
        let (schema, owner) = (bench.plan.schema, try bench.id(1))
        func removed(_ field: String, _ keys: [PrimaryKey]?) throws -> [ObjectID] {
          let targets = try keys?.map { try bench.id($0) }
          return try bench.store.write(schema) { writer in
            let noted = try writer.replace(bench.field(field), of: owner, with: targets, schema)
            for note in noted {
              try expect("the owner of a target", note.holder.owner, is: owner)
              try expect("the field of a target", note.holder.field, is: bench.field(field))
              try expect("the entities", [note.entity, note.holder.entity], is: [0, 0])
            }
            return .rollBack(noted.map(\.id))
          }
        }
        func ids(_ keys: [PrimaryKey]) throws -> [ObjectID] { try keys.map { try bench.id($0) } }
        try expect("those of another list", removed("replaced", [5, 2]), is: ids([8, 3, 4]))
        try expect("those of the same list", removed("replaced", [8, 3, 8, 5, 3, 4]), is: [])
        try expect("those of its reverse", removed("replaced", [4, 3, 5, 8]), is: [])
        try expect("those of no list", removed("replaced", []), is: ids([8, 3, 5, 4]))
        try expect("those of null", removed("replaced", nil), is: ids([8, 3, 5, 4]))
        try expect("the one of null", removed("onlyOne", nil), is: ids([9]))
      },
      Check("What was not there when a write began and is not now has not changed") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"[{"id":1,"name":"a","many":[2]},{"id":2}]"#)
        let (first, second) = (try bench.id(1), try bench.id(2))
        try bench.write { writer in
          let new = try writer.put(3, name: .string("c"), schema).id
          try expect(try writer.isChanged(new, of: 0), "a new object counts as unchanged")
          _ = try writer.delete(new, of: 0)
          try expect(try !writer.isChanged(new, of: 0), "an object that came and went counts as changed")
          let reserved = try writer.reserve(of: 0)
          try expect(try !writer.isChanged(reserved, of: 0), "a number of no object counts as changed")
          for id in [first, second] {
            try expect(try !writer.isChanged(id, of: 0), "an object that nobody touched counts as changed")
          }
          _ = try writer.delete(second, of: 0)
          try expect(try writer.isChanged(first, of: 0), "an object that lost a target counts as unchanged")
        }
        // Against the new state, not the one before it.
        try bench.write { writer in
          try expect(try !writer.isChanged(first, of: 0), "what an earlier write did counts as a change")
        }
      },
    ]
  }
}

private enum Shelf {
  static let mapping = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("best", Fixture.item)
    ToMany("items", Fixture.item)
  }
}

extension StoreWriter {
  /// Replaces the targets of one relationship of an object of the first entity; nil is null.
  ///
  /// - Returns: The batch's notes about the targets that it no longer has.
  fileprivate mutating func replace(
    _ field: Int, of owner: ObjectID, with targets: [ObjectID]?, _ schema: Schema
  ) throws -> [ChangeBatch.Removed] {
    let name = schema.entities[0].fields[field].name
    let change = TestChange(of: owner, isNew: false, targets: [name: targets], update: .replace)
    return try ChangeBatch.lend([change], in: schema) { batch in
      try apply(&batch)
      try finish(&batch)
      return batch.removed
    }
  }
}
