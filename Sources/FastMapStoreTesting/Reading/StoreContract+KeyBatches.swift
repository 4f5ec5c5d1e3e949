internal import FastMapCore

extension StoreContract {
  static var keyBatchChecks: [Check] {
    [
      Check("A batch of keys sets every number, to nil where there is none") { contract in
        let bench = try contract.makeBench()
        try bench.store.write(bench.plan.schema) { writer in
          try expect("the numbers in an empty entity", writer.resolve([1, 2]), is: [nil, nil])
          return .rollBack(())
        }
        try bench.load(#"[{"id":2},{"id":4},{"id":6},{"id":400}]"#)
        let ids = try [2, 4, 6, 400].map { try bench.id($0) }
        try bench.write { writer in
          let keys = [.integer(.min), 1, 2, 3, 4, 5, 6, 7, 400, 401, .integer(.max)] as [PrimaryKey]
          let expected = [nil, nil, ids[0], nil, ids[1], nil, ids[2], nil, ids[3], nil, nil]
          try expect("the numbers", writer.resolve(keys), is: expected)
          try expect("the numbers behind the last key", writer.resolve([401, 402]), is: [nil, nil])
          try expect("the numbers of no keys", writer.resolve([]), is: [])
          let new = try writer.put(5, name: .null, bench.plan.schema).id
          _ = try writer.delete(ids[1], of: 0)
          try expect("the numbers in a write", writer.resolve([4, 5, 6]), is: [nil, new, ids[2]])
        }
      },
      Check("A key of the other kind finds nothing") { contract in
        let bench = try contract.makeBench()
        let words = Bench(store: bench.store, plan: try Plan(Fixture.word))
        try bench.load(#"[{"id":0},{"id":1},{"id":2},{"id":49}]"#)
        try words.load(#"[{"id":"0"},{"id":"1"},{"id":"2"}]"#)
        let (one, two) = (try bench.id(1), try words.id("2"))
        try bench.store.read(bench.plan.schema) { reader in
          for key in ["1", "01", "", "1.0", "\u{1}"] as [PrimaryKey] {
            try expect("an item with the key \(key)", reader.find(key, of: 0), is: nil)
          }
          try expect("items with both", reader.find(["1", 1] as [PrimaryKey], of: 0), is: [nil, one])
          try expect("items between strings", reader.count(of: 0, keys: .init(from: "", to: "9")), is: 0)
          try expect("items below a string", reader.keys(.init(from: 1, to: "")), is: [1, 2, 49])
        }
        try words.store.read(words.plan.schema) { reader in
          for key in [0, 1, 2, 49] as [PrimaryKey] {
            try expect("a word with the key \(key)", reader.find(key, of: 0), is: nil)
          }
          try expect("words with both", reader.find([2, "2"] as [PrimaryKey], of: 0), is: [nil, two])
          try expect("words between integers", reader.count(of: 0, keys: .init(from: 0, to: 9)), is: 0)
          try expect("words above an integer", reader.keys(.init(from: 9)), is: ["0", "1", "2"])
        }
        try bench.write { writer in
          try expect("items in a batch", writer.resolve([1, "1", "2"]), is: [one, nil, nil])
        }
        try words.write { writer in
          try expect("words in a batch", writer.resolve([1, 2, "2"]), is: [nil, nil, two])
        }
      },
      Check("A key is held to its last byte, or refused by its place in the batch") { contract in
        let bench = try contract.makeBench(Fixture.word)
        try bench.load(#"[{"id":"a"},{"id":"z"}]"#)
        for size in [100, 255, 256, 500, 509, 512, 600, 1024, 5_000, 70_000] {
          let long = String(repeating: "k", count: size - 1)
          let refused = try bench.store.write(bench.plan.schema) { writer in
            .rollBack(try Self.refused(["a", .string(long + "a"), .string(long + "b"), "z"], &writer))
          }
          for text in [long + "a", long + "b"] {
            let isRefused = refused.contains(.string(text))
            do {
              try bench.load("{\"id\":\"\(text)\"}")
              try expect(!isRefused, "a key of \(size) bytes is refused and stored")
            } catch is MappingError {
              try expect(isRefused, "a key of \(size) bytes is not refused when it is found")
            }
            try bench.expectHeld(.string(text), !isRefused)
          }
        }
      },
    ]
  }

  /// The keys that are refused, all at once: a batch is found as soon as it lacks them.
  private static func refused(_ keys: [PrimaryKey], _ writer: inout S.Writer) throws -> [PrimaryKey] {
    var (left, refused) = (keys, [PrimaryKey]())
    do { _ = try writer.resolve(keys) } catch let refusal as RefusedKeysError {
      try expect(!refusal.reasons.isEmpty, "no key is refused")
      try expect("the entities of refused keys", Array(refusal.reasons.keys), is: [0])
      for (index, reason) in refusal.reasons[0] ?? [:] {
        try expect(keys.indices.contains(index), "the index \(index) is beyond the batch")
        try expect(keys[index] != "a" && keys[index] != "z", "a key that is stored is refused")
        try expect(!reason.isEmpty, "a key is refused without a reason")
        refused.append(keys[index])
      }
      left.removeAll { refused.contains($0) }
    }
    let ids = try writer.resolve(left)
    try expect(
      ids.first != .some(nil) && ids.last != .some(nil), "a stored key is not found beside long ones")
    return refused
  }
}

extension Bench {
  /// A long key is found by every call or by none.
  fileprivate func expectHeld(_ key: PrimaryKey, _ isHeld: Bool) throws {
    try store.read(plan.schema) { reader in
      let id = try reader.find(key, of: 0)
      try expect("whether a long key is found", id != nil, is: isHeld)
      try expect("a long key among many", reader.find([key], of: 0), is: [id])
      try expect("a long key in the order", reader.keys(.init(from: key, to: key)), is: isHeld ? [key] : [])
    }
  }
}
