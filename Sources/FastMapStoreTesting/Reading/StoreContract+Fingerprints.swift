internal import FastMapCore

// Promises of stores that keep fingerprints.
extension StoreContract {
  static var fingerprintChecks: [Check] {
    [
      Check("A fingerprint is kept with its object, and is that of the last change") { contract in
        let place = try contract.newPlace()
        let key = try place.open { bench in
          _ = try bench.store.prepare(bench.plan.schema)
          return bench.store.capabilities.fingerprintKey
        }
        guard let key else { return }
        let schema = place.plan.schema
        let prints = (1...3).map { Fingerprint(high: $0 << 63 | 5, low: .max - $0) }
        try place.open { bench in
          try bench.write { writer in
            try expect("that of no object", writer.fingerprint(of: 1), is: nil)
            try writer.put(1, name: .string("a"), fingerprint: prints[0], schema)
            try expect("that of a new object", writer.fingerprint(of: 1), is: prints[0])
          }
          try bench.expectFingerprint(prints[0], "after the commit")
          try bench.write { writer in
            try writer.put(1, name: .string("b"), fingerprint: prints[1], schema)
            try expect("that of a changed object", writer.fingerprint(of: 1), is: prints[1])
            try writer.put(1, name: .string("c"), fingerprint: prints[2], schema)
          }
          try bench.expectFingerprint(prints[2], "after another commit")
          try bench.store.write(schema) { writer in
            try writer.put(1, name: .string("d"), fingerprint: prints[0], schema)
            return .rollBack(())
          }
          try bench.expectFingerprint(prints[2], "after a rollback")
        }
        try place.open { bench in
          try expect("the key of the store opened again", bench.store.capabilities.fingerprintKey, is: key)
          try bench.expectFingerprint(prints[2], "opened again")
        }
      },
      Check("A fingerprint goes when anything else changes its object") { contract in
        let bench = try contract.makeBench()
        _ = try bench.store.prepare(bench.plan.schema)
        guard bench.store.capabilities.fingerprintKey != nil else { return }
        let schema = bench.plan.schema
        let print = Fingerprint(high: 1, low: 2)
        let second = try bench.write { writer in
          let second = try writer.put(2, name: .string("b"), schema).id
          try writer.put(
            1, name: .string("a"), targets: ["one": [second], "many": [second]], fingerprint: print, schema)
          return second
        }
        try bench.expectFingerprint(print, "at first")
        try bench.write { writer in try writer.rename(second, to: "other", schema) }
        try bench.expectFingerprint(print, "after a change of another object")
        try bench.write { writer in
          guard let id = try writer.reader.find(1, of: 0) else { throw Failure(reason: "no object 1") }
          try writer.rename(id, to: "c", schema)
        }
        try bench.expectFingerprint(nil, "after a write without one")
        for field in ["one", "many"] {
          let target = try bench.write { writer in
            let target = try writer.put(3, name: .string("t"), schema).id
            var targets: [String: [ObjectID]?] = ["one": [], "many": []]
            targets[field] = [target]
            try writer.put(1, name: .string("d"), targets: targets, fingerprint: print, schema)
            return target
          }
          try bench.expectFingerprint(print, "with another target")
          try bench.write { writer in _ = try writer.delete(target, of: 0) }
          try bench.expectFingerprint(nil, "after the deletion of a target of \(field)")
        }
      },
      Check("What was imported once is found unchanged, and what else has changed is written again") {
        contract in
        let bench = try contract.makeBench()
        let json = #"[{"id":1,"name":"a","one":2,"many":[2,3],"notes":[{"text":"n"}]},{"id":2,"name":"b"}]"#
        let expected = #"name="a" one=2 many=[2 3] notes=["n"]"#
        try expect("the report", bench.load(json)["Item"], is: .init(inserted: 3, stubs: 1))
        try expect("the report of the same again", bench.load(json)["Item"], is: .init(unchanged: 3))
        try bench.write { writer in try writer.put(1, name: .string("other"), bench.plan.schema) }
        try expect(
          "the report after a write", bench.load(json)["Item"], is: .init(updated: 1, unchanged: 2))
        try bench.expectObject(1, is: expected)
        try bench.store.delete(bench.plan.query(of: "Item").keys([2]))
        try expect(
          "the report after a deletion", bench.load(json)["Item"],
          is: .init(inserted: 1, updated: 1, unchanged: 1))
        try bench.expectObject(1, is: expected)
        let small = try Plan(
          Mapping("Item", primaryKey: "id") {
            Attribute("id", .integer)
            Attribute("name", .string)
          })
        try expect(
          "the report of a smaller schema", bench.load(#"{"id":1,"name":"z"}"#, as: small)["Item"],
          is: .init(updated: 1))
        try expect(
          "the report of the first one", bench.load(json)["Item"], is: .init(updated: 1, unchanged: 2))
        try bench.expectObject(1, is: expected)
      },
    ]
  }
}

extension Bench {
  fileprivate func expectFingerprint(_ expected: Fingerprint?, _ when: String) throws {
    let found = try store.write(plan.schema) { writer in .rollBack(try writer.fingerprint(of: 1)) }
    try expect("the fingerprint of object 1 \(when)", found, is: expected)
  }
}
