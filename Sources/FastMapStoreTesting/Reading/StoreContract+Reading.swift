internal import FastMapCore

extension StoreContract {
  static var readingChecks: [Check] {
    [
      Check("The reverse order is the order from its end, in any range") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        try bench.load(#"[{"id":5},{"name":"b"},{"id":-3},{"name":"a"},{"id":9},{"id":0}]"#)
        let ranges: [KeyRange?] = [
          nil, .init(), .init(from: 0), .init(to: 5), .init(from: -3, to: 5), .init(from: 1, to: 4),
          .init(from: 9, to: 0), .init(from: "a"), .init(to: "a"), .init(from: 10), .init(to: -4),
          .init(-3..<5), .init(..<9), .init(5..<5), .init(..<"a"),
        ]
        for range in ranges {
          let (forwards, backwards) = try bench.store.read(bench.plan.schema) { reader in
            (try reader.ids(range, isReversed: false), try reader.ids(range, isReversed: true))
          }
          try expect("the order in \(range.text)", backwards, is: forwards.reversed())
          try bench.write { writer in
            let inside = try writer.reader.ids(range, isReversed: true)
            try expect("the order in a write in \(range.text)", inside, is: backwards)
          }
        }
        let long = String(repeating: "x", count: 508)
        let words = try contract.makeBench(Fixture.word)
        try words.load(
          #"[{"id":""},{"id":"a"},{"id":"a\u0000"},{"id":"aa"},{"id":"é"},{"id":"\#(long)"},{"id":"y"}]"#)
        for key in ["", "a", "aa", "b", long, long + "x", "z", "\u{10FFFF}"] {
          for range in [KeyRange(key...), KeyRange(...key), KeyRange(..<key)] {
            let (forwards, backwards, count) = try words.store.read(words.plan.schema) { reader in
              (
                try reader.ids(range, isReversed: false), try reader.ids(range, isReversed: true),
                try reader.count(of: 0, keys: range)
              )
            }
            try expect("the order in \(Optional(range).text)", backwards, is: forwards.reversed())
            try expect("the count in \(Optional(range).text)", count, is: forwards.count)
          }
        }
      },
      Check("Many keys are found at once, in any order, with repeats and without those that are not there") {
        contract in
        let bench = try contract.makeBench()
        try bench.load("[\((0..<200).map { "{\"id\":\($0 * 3)}" }.joined(separator: ","))]")
        let keys = [30, 3, 4, 597, 3, -1, 600, 0].map { PrimaryKey.integer($0) } + ["3"]
        try bench.store.read(bench.plan.schema) { reader in
          let expected = try keys.map { try reader.find($0, of: 0) }
          try expect("the objects", reader.find(keys, of: 0), is: expected)
          try expect(
            "the objects of sorted keys", reader.find(keys.sorted(), of: 0).compactMap(\.self).count, is: 5)
          try expect("the objects of no keys", reader.find([PrimaryKey](), of: 0), is: [])
        }
        try bench.write { writer in
          let id = try writer.put(4, name: .string("new"), bench.plan.schema).id
          try expect(
            "an object of the write", writer.reader.find([4, 5] as [PrimaryKey], of: 0), is: [id, nil])
        }
      },
      Check("The keys of a range are counted") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        try bench.load(#"[{"id":5},{"name":"b"},{"id":-3},{"id":9},{"id":0},{"name":"a"}]"#)
        for (range, expected) in [
          (.init(), 4), (.init(from: 0), 3), (.init(to: 0), 2), (.init(from: 1, to: 4), 0),
          (.init(from: 5, to: 5), 1),
          (.init(from: 9, to: 0), 0), (.init(from: "a"), 0), (.init(..<5), 2), (.init(0..<0), 0),
        ] as [(KeyRange, Int)] {
          let found = try bench.store.read(bench.plan.schema) { try $0.count(of: 0, keys: range) }
          try expect("the count in \(Optional(range).text)", found, is: expected)
        }
      },
      Check("A lent object has every field as it is read") { contract in
        let bench = try contract.makeBench(Fixture.typed)
        let text = String(repeating: "é", count: 300)
        try bench.load(
          #"[{"id":1,"boolean":true,"integer":70000,"number":0.5,"decimal":0.50,"string":"\#(text)","date":"2020-02-02T02:02:02.5Z","data":"AQID","json":{"a":[1]}},{"id":2,"string":""}]"#
        )
        try bench.store.read(bench.plan.schema) { reader in
          for key in [1, 2] as [PrimaryKey] {
            guard let id = try reader.find(key, of: 0) else { throw Failure(reason: "\(key) is not found") }
            var buffer = RowBuffer()
            _ = try reader.read(id, of: 0, into: &buffer)
            let count = buffer.row.count
            let read = (0..<count).map { buffer.row[$0].value }
            let bytes = (0..<count).map { buffer.row[$0].bytes.map { Array($0) } }
            // In reverse, so that no field depends on the fields before it.
            let lent = try reader.withRow(id, of: 0) { row in
              (0..<count).reversed().map { (row[$0].value, row[$0].bytes.map { Array($0) }) }
            }
            try expect("the values of \(key)", lent?.reversed().map(\.0), is: read)
            try expect("the bytes of \(key)", lent?.reversed().map(\.1), is: bytes)
          }
          let none = try reader.withRow(ObjectID(rawValue: 12345), of: 0) { _ in true }
          try expect("what is lent of no object", none, is: nil)
        }
      },
      Check("Readers of records page, look around and follow relationships") { contract in
        let bench = try contract.makeBench()
        try bench.load(
          #"[{"id":1,"name":"a","one":3,"many":[5,3]},{"id":3,"name":"c"},{"id":5,"name":"e"},{"id":8}]"#)
        try bench.store.read(bench.plan) { reader in
          func keys(_ records: [Record]) -> [PrimaryKey] { records.compactMap(\.key) }
          let items = bench.plan.query(of: "Item")
          let last = items.sorted(by: "id", descending: true)
          try expect("descending", keys(reader.records(last.limit(3))), is: [8, 5, 3])
          try expect("a page", keys(reader.records(last.keys(1..<5).limit(1))), is: [3])
          try expect("a range", keys(reader.records(items.keys(3...8).limit(2))), is: [3, 5])
          try expect("no limit", keys(reader.records(items.limit(0))), is: [])
          try expect("keys", keys(reader.records(items.keys([8, 2, 1, 8]))), is: [1, 8])
          try expect("keys in a range", keys(reader.records(items.keys([8, 2, 1, 8]).keys(...5))), is: [1])
          try expect("two ranges", keys(reader.records(items.keys(2...).keys(..<8))), is: [3, 5])
          try expect(
            "existence", [reader.exists(items.keys([3])), reader.exists(items.keys([4]))], is: [true, false])
          try expect(
            "counts",
            [reader.count(items.keys(1..<5)), reader.count(items.keys(1...5)), reader.count(items)],
            is: [2, 3, 4])
          try expect("the count of an entity", reader.count(of: "Item"), is: 4)
          guard let first = try reader.record("Item", key: 1) else {
            throw Failure(reason: "no first object")
          }
          try expect("to one", reader.record("one", of: first)?.key, is: 3)
          try expect("to many", keys(reader.records("many", of: first)), is: [5, 3])
          try reader.forEachRow(items.keys([1])) { row, _ in
            try expect("bytes", row["name"].bytes.map { Array($0) }, is: Array("a".utf8))
            try expect("a target", row["one"].target == first.target("one"), is: true)
            try expect("a value", row["name"].value, is: .string("a"))
            return true
          }
          var seen: [Value?] = []
          try reader.forEachRow(last.keys(3...)) { row, _ in
            seen.append(try row["name"].value)
            return seen.count < 3
          }
          try expect("rows", seen, is: [nil, .string("e"), .string("c")])
        }
      },
    ]
  }
}

extension KeyRange? {
  fileprivate var text: String {
    map { range in
      let bounds = [range.lower, range.upper].map { $0.map { "\($0)" } ?? "" }
      return bounds.joined(separator: range.includesUpper ? "..." : "..<")
    } ?? "all"
  }
}

extension StoreReader {
  fileprivate mutating func ids(_ range: KeyRange?, isReversed: Bool) throws -> [ObjectID] {
    var ids: [ObjectID] = []
    try forEachObject(of: 0, keys: range, isDescending: isReversed) { _, id, _ in
      ids.append(id)
      return true
    }
    return ids
  }
}
