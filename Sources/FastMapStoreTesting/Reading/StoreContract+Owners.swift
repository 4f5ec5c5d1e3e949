internal import FastMapCore

extension StoreContract {
  static var ownerChecks: [Check] {
    [
      Check("The owners of targets are found in sets, each once, in the order of pages") { contract in
        let bench = try contract.makeBench(Fixture.shelf)
        // Numbers ascend in the order of the payload, and keys do not.
        let shelves = (0..<1500).map { index in
          let id = index % 5 == 4 ? "" : "\"id\":\((index * 7919) % 3001 - 1500),"
          let (one, other) = (index % 40, (index * 13) % 41)
          return "{\(id)\"best\":\(one),\"items\":[\(other),\(one),\(other),\(index + 100)]}"
        }
        try bench.load("[\(shelves.joined(separator: ","))]")
        let items = try bench.store.read(bench.plan.schema) { reader in
          try reader.find((0..<1700).map { .integer($0) }, of: 1).compactMap(\.self)
        }
        let none = [ObjectID(rawValue: 1 << 62)]
        let sets: [[ObjectID]] = [
          [], none, [items[3]], items, items.reversed(), items.prefix(45) + items.prefix(9) + none,
          Array(repeating: items[7], count: 20),
        ]
        func look(_ reader: inout some StoreReader) throws {
          for field in ["best", "items"].map(bench.field) {
            let expected = try reader.scan(for: items, field)
            for set in sets {
              let found = try reader.owners(of: set, entity: 0, field: field)
              try expect(
                found == set.map { expected[$0] ?? [] },
                "the owners of \(set.count) targets are found otherwise")
              let first = try reader.firstOwners(of: set, entity: 0, field: field)
              try expect(
                first == set.map { expected[$0]?.first },
                "the first owners of \(set.count) targets are found otherwise")
            }
          }
        }
        try bench.store.read(bench.plan.schema) { try look(&$0) }
        try bench.write { try look(&$0.reader) }
      },
      Check("The owners of a target are those that it has now, also within the write that changes them") {
        contract in
        let bench = try contract.makeBench(Fixture.page)
        try bench.load(
          #"""
          [{"url":"b","parent":"root","links":["a","a","b"]},{"url":"a\u0001","parent":"root"},{"url":"a","parent":"root"},
          {"url":"é","parent":"root","links":["a"]},{"url":""},{"url":"root","links":["root"]}]
          """#)
        let keys: [PrimaryKey] = ["root", "a", "b"]
        let names: [PrimaryKey] = ["", "a", "a\u{1}", "b", "root", "é"]
        func look(_ reader: inout some StoreReader, _ parents: [[PrimaryKey]], _ links: [[PrimaryKey]]) throws
        {
          let ids = try reader.find(keys, of: 0).map { $0 ?? .unset }
          let known = try reader.find(names, of: 0)
          for (field, expected) in [("parent", parents), ("links", links)] {
            let found = try reader.owners(of: ids, entity: 0, field: bench.field(field)).map { owners in
              owners.map { owner in known.firstIndex(of: owner).map { names[$0] } }
            }
            try expect("the owners by \(field)", found, is: expected.map { $0.map { .some($0) } })
          }
        }
        let parents: [[PrimaryKey]] = [["a", "a\u{1}", "b", "é"], [], []]
        try bench.store.read(bench.plan.schema) { try look(&$0, parents, [["root"], ["b", "é"], ["b"]]) }
        try bench.load(
          #"[{"url":"b","parent":"a","links":[]},{"url":"","parent":"root","links":["b","root"]}]"#)
        let after: [[PrimaryKey]] = [["", "a", "a\u{1}", "é"], ["b"], []]
        try bench.store.read(bench.plan.schema) { try look(&$0, after, [["", "root"], ["é"], [""]]) }
        try bench.write { writer in
          let ids = try writer.reader.find(["é", "b", "root"], of: 0).map { $0 ?? .unset }
          _ = try writer.delete([ids[0]], of: 0)
          try look(&writer.reader, [["", "a", "a\u{1}"], ["b"], []], [["", "root"], [], [""]])
          _ = try writer.delete([ids[1]], of: 0)
          try look(&writer.reader, [["", "a", "a\u{1}"], [], []], [["", "root"], [], []])
          _ = try writer.delete([ids[2]], of: 0)
          try look(&writer.reader, [[], [], []], [[], [], []])
        }
      },
    ]
  }
}

extension StoreReader {
  /// The owners of targets, from all objects of the first entity.
  fileprivate mutating func scan(for targets: [ObjectID], _ field: Int) throws -> [ObjectID: [ObjectID]] {
    var owners: [ObjectID: [ObjectID]] = [:]
    let wanted = Set(targets)
    try forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 256) { reader, page in
      let lists = try reader.targets(of: page.ids, entity: 0, fields: [field])[0]
      for (owner, list) in zip(page.ids, lists) {
        for target in Set(list) where wanted.contains(target) { owners[target, default: []].append(owner) }
      }
      return true
    }
    return owners
  }
}
