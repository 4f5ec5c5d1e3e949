internal import FastMapCore

extension StoreContract {
  static var keyChecks: [Check] {
    [
      Check("Integer keys of any size are found, one by one and in batches") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        let keys: [Int64] = [
          .min, .min + 1, -1_000_000_007, -256, -255, -2, -1, 0, 1, 2, 127, 128, 255, 256, .max - 1, .max,
        ]
        try contract.check(bench, keys: keys.map { .integer($0) }) { key in
          if case .integer(let value) = key { "{\"id\":\(value)}" } else { "" }
        }
      },
      Check("String keys of any bytes are found, one by one and in batches") { contract in
        let bench = try contract.makeBench(Fixture.word)
        let keys = [
          "", "\0", "\0\0", "a", "a\0", "a\0b", "aa", "ab", "b", "ba", "z", "é", "e\u{301}", "ü", "ß", "日本",
          "日本語", "😀",
          "1", "-1", " ", "\u{7F}", "\u{80}", "\u{FFFF}", "\u{10FFFF}", String(repeating: "k", count: 200),
          String(repeating: "k", count: 201),
        ]
        try contract.check(bench, keys: keys.map { .string($0) }) { key in
          if case .string(let text) = key {
            "{\"id\":\(Self.json(text)),\"length\":\(text.utf8.count)}"
          } else {
            ""
          }
        }
      },
      Check("The number of an object stays the same as long as it lives") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2},{"id":3},{"id":4,"one":1}]"#)
        let ids = try (1...4).map { try bench.id(.integer($0)) }
        try expect("the different numbers", Set(ids).count, is: 4)
        try expect(!ids.contains(ObjectID(rawValue: 0)), "a number is 0")
        try bench.load(
          #"[{"id":1,"name":"a","many":[2,3,4]},{"id":2,"merged":[1]},{"id":0},{"id":5},{"id":4,"one":2}]"#)
        try bench.write { writer in _ = try writer.delete(ids[2], of: 0) }
        for (key, id) in [(1, ids[0]), (2, ids[1]), (4, ids[3])] {
          try expect("the number of object \(key)", bench.id(.integer(Int64(key))), is: id)
        }
      },
      Check("The number of an object is never given to another") { contract in
        let bench = try contract.makeBench()
        var met: Set<ObjectID> = []
        for round in 0..<4 {
          try bench.load(#"[{"id":1},{"id":2},{"id":3}]"#)
          for key in 1...3 {
            let id = try bench.id(.integer(Int64(key)))
            try expect(met.insert(id).inserted, "in round \(round) the number \(id) comes back")
            try bench.write { writer in _ = try writer.delete(id, of: 0) }
          }
        }
      },
      Check("A deleted key is free, and its next object is another one") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"old","many":[2]}"#)
        let old = try bench.id(1)
        try bench.write { writer in _ = try writer.delete(old, of: 0) }
        try bench.expectObject(1, is: nil)
        let report = try bench.load(#"{"id":1}"#)
        try expect("the report", report["Item"]?.inserted, is: 1)
        try bench.expectObject(1, is: "", "with the same key again")
      },
    ]
  }

  /// Imports objects with these keys in another order, finds each, and imports them again.
  private func check(_ bench: Bench<S>, keys: [PrimaryKey], _ json: (PrimaryKey) -> String) throws {
    let payload = "[" + keys.shuffledTheSameWay().map(json).joined(separator: ",") + "]"
    let entity = bench.plan.schema.entities[0].name
    try expect("the report", bench.load(payload)[entity]?.inserted, is: keys.count)
    try expect("the report of the same again", bench.load(payload)[entity], is: .init(unchanged: keys.count))
    var ids: Set<ObjectID> = []
    for key in keys { try expect(ids.insert(bench.id(key)).inserted, "two keys have one object") }
    try expect(
      "all keys in their order", bench.store.read(bench.plan.schema) { try $0.keys() }, is: keys.sorted())
    // In batches of two, which a sweep could pass by.
    for (first, second) in zip(keys, keys.dropFirst()) {
      let report = try bench.load("[\(json(second)),\(json(first))]")
      try expect("the report of \(first) and \(second)", report[entity], is: .init(unchanged: 2))
    }
  }

  private static func json(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map {
        $0.value < 0x20 ? "\\u00" + ($0.value < 16 ? "0" : "") + String($0.value, radix: 16) : String($0)
      }.joined() + "\""
  }
}

extension Array {
  /// Another order, the same in every run.
  func shuffledTheSameWay() -> [Element] {
    indices.sorted { ($0 * 7919 % 31, $0) < ($1 * 7919 % 31, $1) }.map { self[$0] }
  }
}
