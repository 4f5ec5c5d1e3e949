internal import FastMapCore

extension StoreContract {
  static var pageChecks: [Check] {
    [
      Check("Pages have one object to as many as wanted, in the order and in its reverse, in any range") {
        contract in
        let bench = try contract.makeBench(Fixture.visitor)
        let all = try bench.loadVisitors()
        let keyed = all.filter { $0.key != nil }
        let ranges: [(KeyRange?, [Visited])] = [
          (nil, all), (KeyRange(), keyed), (KeyRange(from: 0), keyed.filter { ($0.key ?? 0) >= 0 }),
          (KeyRange(0..<5), keyed.filter { (0..<5).contains($0.key ?? 0) }),
          (KeyRange(from: 5, to: 5), keyed.filter { $0.key == 5 }), (KeyRange(5..<5), []),
          (KeyRange(from: 100), []), (KeyRange(from: "a"), []),
        ]
        func look(_ reader: inout some StoreReader) throws {
          for (range, expected) in ranges {
            for size in [1, 2, 3, 10, 11, 12, 4096] {
              for isDescending in [false, true] {
                let what = "\(size) at a time, \(isDescending ? "descending" : "ascending")"
                let pages = try reader.pages(range, isDescending, size)
                try expect(pages.allSatisfy { 1...size ~= $0.count }, "\(what): a page of another size")
                let found = pages.flatMap(\.visited)
                try expect("the objects of \(what)", found, is: isDescending ? expected.reversed() : expected)
              }
            }
          }
        }
        try bench.store.read(bench.plan.schema) { try look(&$0) }
        try bench.store.write(bench.plan.schema) { writer in
          try look(&writer.reader)
          return .rollBack(())
        }
      },
      Check("Thousands of objects come in pages, first those with a key and then those without") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        let count = 2500
        let objects = (0..<count).map { #"{"id":\#(($0 * 7919) % count)},{"name":"a"}"# }
        try bench.load("[\(objects.joined(separator: ","))]")
        let keys = (0..<count).map { PrimaryKey?.some(.integer(Int64($0))) }
        let expected = keys + Array(repeating: nil, count: count)
        try bench.store.read(bench.plan.schema) { reader in
          for size in [100, 999, count, 4096, 10_000] {
            let (up, down) = (try reader.pages(nil, false, size), try reader.pages(nil, true, size))
            try expect(up.flatMap(\.keys) == expected, "the keys come otherwise, \(size) at a time")
            let ids = up.flatMap(\.ids)
            try expect("the objects", Set(ids).count, is: 2 * count)
            try expect(down.flatMap(\.ids) == ids.reversed(), "the reverse is another, \(size) at a time")
            try expect(down.flatMap(\.keys) == expected.reversed(), "the keys in reverse are others")
          }
        }
      },
      Check("Going over pages stops where it is told to, and where the body throws") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        let all = try bench.loadVisitors()
        for isDescending in [false, true] {
          let expected = isDescending ? all.reversed() : all
          for (size, limit) in [(1, 1), (1, 7), (1, 11), (2, 1), (2, 3), (2, 6), (20, 1)] {
            for isThrown in [false, true] {
              var found: [Visited] = []
              var count = 0
              do {
                try bench.store.read(bench.plan.schema) { reader in
                  try reader.forEachPage(of: 0, keys: nil, isDescending: isDescending, pageSize: size) {
                    _, page in
                    found += page.visited
                    count += 1
                    if isThrown, count == limit { throw Stop() }
                    return count < limit
                  }
                }
                try expect(!isThrown, "the error does not come out")
              } catch is Stop {
                try expect(isThrown, "an error that nobody threw")
              }
              try expect("the pages", count, is: limit)
              let isPrefix = expected.starts(with: found) && found.count >= min(limit, all.count)
              try expect(isPrefix, "the first \(limit) pages of \(size) are \(found)")
            }
          }
        }
      },
      Check("Objects are read, and pages begun, while going over pages") { contract in
        let bench = try contract.makeBench()
        let count = 50
        let objects = (0..<count).map { #"{"id":\#($0),"name":"n\#($0)","many":[\#(($0 + 1) % count)]}"# }
        try bench.load("[\(objects.joined(separator: ","))]")
        let (name, many) = (bench.field("name"), bench.field("many"))
        var met: [String] = []
        try bench.store.read(bench.plan.schema) { reader in
          try reader.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 7) { inner, page in
            try expect(
              "the objects of the keys", inner.find(page.keys.compactMap(\.self), of: 0), is: page.ids)
            var names = [String](repeating: "", count: page.count)
            try inner.read(page.ids, of: 0) { place, row in names[place] = row[name].string ?? "-" }
            met += names
            let targets = try inner.targets(of: page.ids, entity: 0, fields: [many])[0]
            try expect("the targets", targets.map(\.count), is: Array(repeating: 1, count: page.count))
            var others = 0
            try inner.forEachPage(of: 0, keys: nil, isDescending: true, pageSize: 20) { _, other in
              others += other.count
              return others < 40
            }
            try expect(40..<60 ~= others, "the pages within have \(others) objects, and not some 40")
            return true
          }
        }
        try expect("the names", met, is: (0..<count).map { "n\($0)" })
      },
      Check("What is updated while going over pages is kept") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load("[\((0..<40).map { #"{"id":\#($0),"name":"a"}"# }.joined(separator: ","))]")
        let counts = try bench.write { writer in
          var counts: [Int] = []
          for (isDescending, name) in [(false, "b"), (true, "c")] {
            var count = 0
            var reader = writer.reader
            try reader.forEachPage(of: 0, keys: nil, isDescending: isDescending, pageSize: 6) { _, page in
              try writer.apply(
                page.ids.map { TestChange(of: $0, isNew: false, values: ["name": .string(name)]) }, schema)
              count += page.count
              return count < 10
            }
            counts.append(count)
          }
          try expect("an object in the write", writer.reader.show(3, schema), is: #"name="b""#)
          return counts
        }
        // A store may hand out smaller pages.
        try expect(counts.allSatisfy { 10..<16 ~= $0 }, "the pages have \(counts) objects, and not some 10")
        for key in 0..<40 {
          let name = key < counts[0] ? "b" : key >= 40 - counts[1] ? "c" : "a"
          try bench.expectObject(.integer(Int64(key)), is: "name=\"\(name)\"")
        }
      },
    ]
  }
}

/// The error of a body, which must come out.
private struct Stop: Error {}

/// An object of a page.
private struct Visited: Equatable {
  let id: ObjectID
  let key: PrimaryKey?
}

extension ObjectPage {
  fileprivate var visited: [Visited] { zip(ids, keys).map { Visited(id: $0, key: $1) } }
}

extension StoreReader {
  fileprivate mutating func pages(_ range: KeyRange?, _ isDescending: Bool, _ size: Int) throws
    -> [ObjectPage]
  {
    var pages: [ObjectPage] = []
    try forEachPage(of: 0, keys: range, isDescending: isDescending, pageSize: size) { _, page in
      pages.append(page)
      return true
    }
    return pages
  }
}

extension Bench {
  /// Makes six objects with keys and five without.
  ///
  /// - Returns: All of them in their order, each found by other means than pages.
  fileprivate func loadVisitors() throws -> [Visited] {
    try load(
      #"[{"id":5},{"name":"b"},{"id":-3},{"name":"a"},{"id":9},{"id":0},{"name":"e"},{"name":"d"}]"#)
    try load(#"[{"name":"c"},{"id":4},{"id":-9}]"#)
    let records = try store.read(plan) { try $0.records("Visitor") }
    let names = records.map { $0.key.map { "\($0)" } ?? $0["name"]?.text ?? "" }
    let expected = ["-9", "-3", "0", "4", "5", "9", #""b""#, #""a""#, #""e""#, #""d""#, #""c""#]
    try expect("the objects", names, is: expected)
    let keys = records.compactMap(\.key)
    let ids = try store.read(plan.schema) { try $0.find(keys, of: 0) }
    try expect("the objects of the keys", ids, is: records.prefix(keys.count).map(\.id))
    return records.map { Visited(id: $0.id, key: $0.key) }
  }
}
