internal import FastMapCore

extension StoreContract {
  static var setChecks: [Check] {
    [
      Check("Keys are found in sets of none, one and thousands, each repeat too") { contract in
        let bench = try contract.makeBench()
        let known = try bench.loadRing(even: true)
        let keys = (0..<Ring.count).map { PrimaryKey.integer(Int64($0)) }.shuffledTheSameWay()
        let sets: [[PrimaryKey]] = [
          [], [0], [1], keys, keys.reversed(), Array(repeating: 8, count: 5000),
          keys.prefix(3000).flatMap { [$0, 2, $0] },
        ]
        func look(_ reader: inout some StoreReader) throws {
          for set in sets {
            let found = try reader.find(set, of: 0)
            try expect(found == set.map { known[$0] }, "a set of \(set.count) keys is found otherwise")
          }
        }
        try bench.store.read(bench.plan.schema) { try look(&$0) }
        try bench.writeAnother { try look(&$0.reader) }
      },
      Check("Objects are lent in sets of none, one and thousands, each with its place, and each repeat too") {
        contract in
        let bench = try contract.makeBench()
        let known = try bench.loadRing()
        let none = [ObjectID(rawValue: 0), ObjectID(rawValue: 1 << 62)]
        let all = (0..<Ring.count).map { Int64($0) }.shuffledTheSameWay()
        let repeats: [Int64] = all.prefix(2000).flatMap { [$0, 7, $0] }
        func look(_ reader: inout some StoreReader) throws {
          let sets: [[Int64]] = [[], [5], all, repeats, Array(repeating: 9, count: 5000)]
          for keys in sets {
            let ids = keys.compactMap { known[.integer($0)] }
            let places = try reader.names(of: ids, bench.field("name"))
            var named: [Int: [String]] = [:]
            for (place, key) in keys.enumerated() { named[place] = ["n\(key)"] }
            try expect(places == named, "the objects of a set of \(keys.count) come otherwise")
            // Objects that are not stored have no place between stored ones.
            let mixed = ids.prefix(10).flatMap { [none[0], $0, none[1]] }
            var expected: [Int: [String]] = [:]
            for (place, key) in keys.prefix(10).enumerated() { expected[place * 3 + 1] = ["n\(key)"] }
            let beside = try reader.names(of: mixed, bench.field("name"))
            try expect("the objects beside what is not stored", beside, is: expected)
          }
        }
        try bench.store.read(bench.plan.schema) { try look(&$0) }
        try bench.writeAnother { try look(&$0.reader) }
      },
      Check("Targets are read in sets of none, one and thousands of owners, and of several relationships") {
        contract in
        let bench = try contract.makeBench()
        let known = try bench.loadRing()
        let fields = ["one", "many", "keptOne", "merged"].map(bench.field)
        let all = (0..<Ring.count).map { Int64($0) }.shuffledTheSameWay()
        func targets(_ keys: [Int64], _ distances: [Int64]) -> [[ObjectID]] {
          keys.map { key in distances.compactMap { known[.integer((key + $0) % Int64(Ring.count))] } }
        }
        func look(_ reader: inout some StoreReader) throws {
          func found(_ owners: [ObjectID], _ fields: [Int]) throws -> [[[ObjectID]]] {
            try reader.targets(of: owners, entity: 0, fields: fields)
          }
          let repeats: [Int64] = all.prefix(2000).flatMap { [$0, 7, $0] }
          for keys in [[], [3], all, repeats] as [[Int64]] {
            let owners = keys.compactMap { known[.integer($0)] }
            let expected = [
              targets(keys, [1]), targets(keys, [2, 1, 2]), targets(keys, []), targets(keys, []),
            ]
            let what = "of \(keys.count) owners"
            try expect(try found(owners, fields) == expected, "the targets \(what) are others")
            let backwards = try found(owners, fields.reversed())
            try expect(backwards == expected.reversed(), "the targets \(what) go by the order of the schema")
            try expect(
              try found(owners, [fields[1]]) == [expected[1]], "one field \(what) has other targets")
            try expect(try found(owners, []) == [], "no fields \(what) have targets")
          }
          let none = ObjectID(rawValue: 1 << 62)
          let one = known[5].map { [$0] } ?? []
          let beside = try found([none] + one + [none], [fields[0]])
          try expect("the targets beside what is not stored", beside, is: [[[], targets([5], [1])[0], []]])
        }
        try bench.store.read(bench.plan.schema) { try look(&$0) }
        try bench.writeAnother { try look(&$0.reader) }
      },
      Check("References are found in sets of none, one and thousands, at most as many as wanted of each") {
        contract in
        let bench = try contract.makeBench()
        let known = try bench.loadRing()
        let count = Int64(Ring.count)
        func id(_ key: Int64) -> ObjectID? { known[.integer((key + count) % count)] }
        let all = Array(0..<count).shuffledTheSameWay()
        try bench.write { writer in
          for keys in [[], [3], all, Array(all.prefix(1000))] {
            let ids = keys.compactMap { id($0) }
            for limit in [1, 2, 3, 4096] {
              let found = try writer.references(to: ids, of: 0, after: nil, limit: limit)
              try expect("the lists of references", found.count, is: ids.count)
              for (key, references) in zip(keys, found) {
                // The one before it has it twice, as `one` and in `many`; the one before that in `many`.
                try expect("the references of \(limit)", references.count, is: min(limit, 3))
                try expect("the different ones", Set(references).count, is: references.count)
                let owners = Set([id(key - 1), id(key - 2)])
                try expect(references.allSatisfy { owners.contains($0.owner) }, "another object refers")
              }
            }
          }
          // One after the other, by any number at a time.
          guard let third = id(3) else { throw Failure(reason: "no object 3") }
          let whole = try writer.references(to: [third], of: 0, after: nil, limit: 10)[0]
          for limit in [1, 2, 3] {
            var found: [Reference] = []
            while true {
              let next = try writer.references(to: [third], of: 0, after: found.last, limit: limit)[0]
              if next.isEmpty { break }
              found += next
              try expect(found.count <= 3, "the references to an object have no end")
            }
            try expect("the references, \(limit) at a time", found, is: whole)
          }
        }
      },
      Check(
        "Objects are deleted in sets of none, one and thousands, and those that were not there are left out"
      ) { contract in
        let bench = try contract.makeBench()
        let known = try bench.loadRing()
        let ids = known.values.sorted()
        let numbers = Set(ids)
        let others = ids.map { ObjectID(rawValue: $0.rawValue + 1) }.filter { !numbers.contains($0) }
        let last = ids.last.map { ObjectID(rawValue: $0.rawValue + 1_000) }
        try bench.store.write(bench.plan.schema) { writer in
          try expect("the deleted of no objects", writer.delete([ObjectID](), of: 0), is: [])
          try expect("the deleted of one", writer.delete([ids[5]], of: 0), is: [ids[5]])
          try expect("the objects left", writer.reader.count(of: 0), is: Ring.count - 1)
          let mixed = (ids + others.prefix(100) + [last].compactMap(\.self)).reduce(into: Set()) {
            $0.insert($1)
          }
          let expected = ids.filter { $0 != ids[5] }
          try expect(try writer.delete(mixed.sorted(), of: 0) == expected, "others are said to be deleted")
          try expect("the objects left", writer.reader.count(of: 0), is: 0)
          try expect("the keys left", writer.reader.keys(), is: [])
          return .rollBack(())
        }
        try expect("the objects after a rollback", bench.count(), is: Ring.count)
        let half = (0..<Ring.count / 2).compactMap { known[.integer(Int64($0 * 2))] }.sorted()
        try bench.write { writer in
          try expect(try writer.delete(half, of: 0) == half, "others are said to be deleted")
        }
        try bench.expectSound("after half of the objects were deleted")
        try bench.expectObject(5, is: #"name="n5" many=[7 7]"#)
      },
      Check("What has changed is said of sets of none, one and thousands") { contract in
        let bench = try contract.makeBench()
        let known = try bench.loadRing()
        let (schema, count) = (bench.plan.schema, Int64(Ring.count))
        let ids = try (0..<count).map { key in
          guard let id = known[.integer(key)] else { throw Failure(reason: "no object \(key)") }
          return id
        }
        try bench.write { writer in
          try expect("of no objects", writer.changed([], of: 0), is: [])
          try expect("of one", writer.changed([ids[3]], of: 0), is: [false])
          var changes: [TestChange] = []
          for key in stride(from: 1, to: Int(count), by: 3) {
            changes.append(TestChange(of: ids[key], isNew: false, values: ["name": .string("new")]))
          }
          try writer.apply(changes, schema)
          let expected = ids.indices.map { $0 % 3 == 1 }
          try expect(try writer.changed(ids, of: 0) == expected, "other objects are said to be changed")
          let backwards = try writer.changed(ids.reversed(), of: 0)
          try expect(backwards == expected.reversed(), "the answers go by the order of the numbers")
        }
      },
      Check("The keys of a batch are looked up together, of none, one and several entities") { contract in
        let bench = try contract.makeBench(Pair.left)
        let schema = bench.plan.schema
        try bench.load(
          "[\((0..<500).map { #"{"id":\#($0 * 2),"right":"\#($0 * 2)"}"# }.joined(separator: ","))]")
        try bench.write { writer in
          let numbers = (0..<Ring.count).map { PrimaryKey.integer(Int64($0)) }
          let texts = (0..<Ring.count).map { PrimaryKey.string("\($0)") }.sorted()
          func expected(_ keys: [PrimaryKey], _ entity: Int) throws -> [ObjectID?] {
            try writer.reader.find(keys, of: entity)
          }
          let right = schema.entity(named: "Right") ?? 1
          for lookups in [
            [], [(0, [])], [(0, [4])], [(0, numbers)], [(right, texts)], [(0, numbers), (right, texts)],
            [(right, texts), (0, [1, 2])], [(0, []), (right, ["7", "8"])],
          ] as [[(Int, [PrimaryKey])]] {
            let found = try writer.resolve(lookups)
            try expect("the answers", found.count, is: lookups.count)
            for (lookup, ids) in zip(lookups, found) {
              try expect(try ids == expected(lookup.1, lookup.0), "\(lookup.1.count) keys have other objects")
            }
          }
        }
      },
      Check("Numbers are reserved together, as many as wanted, each once") { contract in
        let bench = try contract.makeBench(Pair.left)
        let right = bench.plan.schema.entity(named: "Right") ?? 1
        var met: [Set<ObjectID>] = [[], []]
        var next: Int64 = 0
        func keys(_ count: Int, _ isText: Bool) -> [PrimaryKey] {
          defer { next += Int64(count) }
          return (next..<next + Int64(count)).map { isText ? .string("\($0)") : .integer($0) }.sorted()
        }
        for round in 0..<2 {
          try bench.write { writer in
            try expect("the numbers of no request", writer.reserve([NumberRequest]()).count, is: 0)
            for wanted in [
              [(0, keys(1, false), 0)], [(0, [], 1)], [(0, keys(Ring.count, false), 0)],
              [(0, keys(3, false), 4), (right, keys(300, true), 0)], [(right, keys(2, true), 5), (0, [], 2)],
            ] as [[(entity: Int, keys: [PrimaryKey], keyless: Int)]] {
              let numbers = try writer.numbers(wanted)
              for (request, ids) in zip(wanted, numbers) {
                try expect("the numbers", ids.count, is: request.keys.count + request.keyless)
                for id in ids {
                  try expect(1...UInt64(Int64.max) ~= id.rawValue, "the number \(id) does not fit an Int64")
                  let isNew = met[request.entity == 0 ? 0 : 1].insert(id).inserted
                  try expect(isNew, "in round \(round) the number \(id) comes back")
                }
              }
            }
          }
        }
        try bench.load(#"[{"id":-1}]"#)
        try expect(try !met[0].contains(bench.id(-1)), "an object has a number that was reserved for another")
      },
    ]
  }
}

/// Objects that refer to the next two each.
private enum Ring {
  static let count = TestSize.count(small: 2048, whole: 4096)
}

/// Two entities whose keys are of different kinds.
private enum Pair {
  static let left = Mapping("Left", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("right", Mapping("Right", primaryKey: "id") { Attribute("id", .string) })
  }
}

extension Bench {
  /// Fills the store with thousands of objects.
  ///
  /// - Parameter even: Whether only objects with even keys are made, without relationships.
  /// - Returns: Their numbers.
  fileprivate func loadRing(even: Bool = false) throws -> [PrimaryKey: ObjectID] {
    let count = Ring.count
    let objects = stride(from: 0, to: count, by: even ? 2 : 1).map { key in
      let (next, second) = ((key + 1) % count, (key + 2) % count)
      let links = even ? "" : #","one":\#(next),"many":[\#(second),\#(next),\#(second)]"#
      return #"{"id":\#(key),"name":"n\#(key)"\#(links)}"#
    }
    try load("[\(objects.joined(separator: ","))]")
    var known: [PrimaryKey: ObjectID] = [:]
    try store.read(plan.schema) { reader in
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, key in
        if let key { known[key] = id }
        return true
      }
    }
    try expect("the objects", known.count, is: even ? count / 2 : count)
    return known
  }

  /// Lends a writer that has written something else. Its changes are undone.
  fileprivate func writeAnother(_ body: (inout S.Writer) throws -> Void) throws {
    try store.write(plan.schema) { writer in
      try writer.put(1_000_000, name: .string("another"), plan.schema)
      try body(&writer)
      return .rollBack(())
    }
  }
}

extension StoreReader {
  /// The names of objects, by their places in the set.
  fileprivate mutating func names(of ids: [ObjectID], _ name: Int) throws -> [Int: [String]] {
    var names: [Int: [String]] = [:]
    try read(ids, of: 0) { place, row in names[place, default: []].append(row[name].string ?? "-") }
    return names
  }
}
