internal import FastMapCore

extension StoreContract {
  static var orderChecks: [Check] {
    [
      Check("Objects come by key, ascending, and then those without a key in the order they were made") {
        contract in
        let bench = try contract.makeBench(Fixture.visitor)
        try bench.load(#"[{"id":5},{"name":"b"},{"id":-3},{"name":"a"},{"id":9},{"id":0}]"#)
        try expect("the first objects", bench.visit(nil), is: ["-3", "0", "5", "9", "b", "a"])
        try bench.load(#"[{"name":"c"},{"id":7},{"id":-9}]"#)
        let all = try bench.visit(nil)
        try expect("the order", all, is: ["-9", "-3", "0", "5", "7", "9", "b", "a", "c"])
        try expect("the number of objects", bench.count(), is: 9)
      },
      Check("A range of keys includes both ends, and leaves out the objects without a key") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        try bench.load(#"[{"id":5},{"name":"b"},{"id":-3},{"id":9},{"id":0},{"name":"a"}]"#)
        let ranges: [(PrimaryKey?, PrimaryKey?, [String])] = [
          (0, 5, ["0", "5"]), (-3, nil, ["-3", "0", "5", "9"]), (nil, 0, ["-3", "0"]), (1, 4, []),
          (1, 8, ["5"]),
          (9, 0, []), (10, nil, []), (nil, -4, []), (5, 5, ["5"]), (nil, nil, ["-3", "0", "5", "9"]),
          (.integer(.min), .integer(.max), ["-3", "0", "5", "9"]), ("a", nil, []),
          (nil, "a", ["-3", "0", "5", "9"]),
        ]
        for (lower, upper, expected) in ranges {
          let found = try bench.visit(KeyRange(from: lower, to: upper))
          try expect("the keys from \(lower.text) to \(upper.text)", found, is: expected)
        }
        let words = try contract.makeBench(Fixture.word)
        try words.load(#"[{"id":"a"},{"id":"aa"},{"id":"ab"},{"id":"b"},{"id":""},{"id":"é"}]"#)
        for (lower, upper, expected) in [
          ("a", "aa", [#""a""#, #""aa""#]), ("aa", "b", [#""aa""#, #""ab""#, #""b""#]), ("", "", [#""""#]),
          ("c", "\u{10FFFF}", [#""é""#]), ("a\0", "aaz", [#""aa""#]),
        ] as [(PrimaryKey, PrimaryKey, [String])] {
          let found = try words.visit(KeyRange(from: lower, to: upper))
          try expect("the keys from \(lower) to \(upper)", found, is: expected)
        }
      },
      Check("A range of keys without its end leaves that out, and nothing else") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        try bench.load(#"[{"id":5},{"name":"b"},{"id":-3},{"id":9},{"id":0},{"name":"a"}]"#)
        for (range, expected) in [
          (KeyRange(0..<5), ["0"]), (KeyRange(0..<6), ["0", "5"]), (KeyRange(..<0), ["-3"]),
          (KeyRange(5..<5), []), (KeyRange(..<Int64.min), []), (KeyRange(..<10), ["-3", "0", "5", "9"]),
          (KeyRange(..<"a"), ["-3", "0", "5", "9"]),
        ] {
          try expect("the keys in \(range)", bench.visit(range), is: expected)
        }
        let long = String(repeating: "x", count: 508)
        let words = try contract.makeBench(Fixture.word)
        try words.load(#"[{"id":"a"},{"id":"aa"},{"id":"ab"},{"id":"b"},{"id":""},{"id":"\#(long)"}]"#)
        for (range, expected) in [
          ("a"..<"aa", ["a"]), ("a"..<"aaa", ["a", "aa"]), ("aa"..<"b", ["aa", "ab"]), (""..<"a", [""]),
          ("b"..<long, ["b"]), ("b"..<(long + "x"), ["b", long]),
        ] {
          let expected = expected.map { "\(PrimaryKey($0))" }
          try expect("the keys in \(range)", words.visit(KeyRange(range)), is: expected)
        }
      },
      Check("Going over objects, in either order, stops where it is told to, and where the body throws") {
        contract in
        let bench = try contract.makeBench(Fixture.visitor)
        let names = (0..<1200).map { "\($0)" }
        let objects = names.map { "{\"id\":\($0)}" } + names.map { "{\"name\":\"\($0)\"}" }
        try bench.load("[\(objects.joined(separator: ","))]")
        try expect("all objects", bench.visit(nil), is: names + names)
        for limit in [1, 2, 1199, 1200, 1201, 2399] {
          for (isDescending, isThrown) in [(false, false), (true, false), (false, true), (true, true)] {
            var count = 0
            do {
              try bench.store.read(bench.plan.schema) { reader in
                try reader.forEachObject(of: 0, keys: nil, isDescending: isDescending) { _, _, _ in
                  count += 1
                  if isThrown, count == limit { throw Stop() }
                  return count < limit
                }
              }
              try expect(!isThrown, "the error does not come out")
            } catch is Stop {}
            try expect("the objects until the stop", count, is: limit)
          }
        }
      },
      Check("Objects can be read while going over them") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1,"name":"a","many":[3,2]},{"id":2,"name":"b","one":1},{"id":3}]"#)
        var found: [String] = []
        try bench.store.read(bench.plan.schema) { reader in
          try reader.forEachObject(of: 0, keys: nil, isDescending: false) { inner, id, key in
            guard let key else { throw Failure(reason: "an object with a key has none") }
            try expect("the object of the key", inner.find(key, of: 0), is: id)
            try inner.forEachObject(of: 0, keys: KeyRange(from: key), isDescending: false) { _, _, _ in true }
            found.append("\(key): \(try inner.show(key, bench.plan.schema) ?? "none")")
            return true
          }
        }
        try expect("the objects", found, is: [#"1: name="a" many=[3 2]"#, #"2: name="b" one=1"#, "3: "])
      },
      Check("Each entity has its own keys, objects and count") { contract in
        let bench = try contract.makeBench()
        let words = Bench(store: bench.store, plan: try Plan(Fixture.word))
        let visitors = Bench(store: bench.store, plan: try Plan(Fixture.visitor))
        try bench.load(#"[{"id":1,"notes":[{"text":"x"}]},{"id":2}]"#)
        try words.load(#"[{"id":"1"}]"#)
        try visitors.load(#"[{"id":1},{"id":2},{"id":3}]"#)
        try expect("the items", bench.visit(nil), is: ["1", "2"])
        try expect("the notes", bench.count(of: 1), is: 1)
        try expect("the words", words.visit(nil), is: [#""1""#])
        try expect("the visitors", visitors.visit(nil), is: ["1", "2", "3"])
      },
    ]
  }
}

/// The error of a body, which must come out.
struct Stop: Error {}

extension PrimaryKey? {
  fileprivate var text: String { map { "\($0)" } ?? "no bound" }
}

extension Bench {
  /// The keys of the first entity's objects, and the names of objects without a key.
  fileprivate func visit(_ range: KeyRange?) throws -> [String] {
    var found: [String] = []
    try store.read(plan.schema) { reader in
      try reader.forEachObject(of: 0, keys: range, isDescending: false) { reader, id, key in
        if let key {
          found.append("\(key)")
        } else if case .string(let name)? = try reader.record(id, of: 0, in: plan.schema)?["name"] {
          found.append(name)
        }
        return true
      }
    }
    return found
  }
}
