internal import FastMapCore

// Promises of stores that keep indexes. A store that names none passes.
extension StoreContract {
  static var indexChecks: [Check] {
    [AttributeType.integer, .string].flatMap { type in
      [false, true].map { longOnes in
        Check(
          "An index keeps its order through any changes, with keys of the kind \(type)"
            + (longOnes ? " and long values" : "")
        ) { contract in
          var random = SplitMix(state: longOnes ? 7 : 11)
          let bench = try contract.makeBench(IndexedItems.mapping(type, IndexedItems.indexes))
          for round in 0..<TestSize.rounds(small: 3, whole: 6) {
            let count = [1, 30, TestSize.count(small: 60, whole: 120)][random.next(3)]
            let objects = (0..<count).map { _ in
              let key = random.next(10) == 0 ? nil : IndexedItems.key(random.next(150), type)
              return IndexedItems.object(key, &random, longOnes: longOnes)
            }
            try bench.load("[" + objects.joined(separator: ",") + "]")
            if round % 3 == 2 {
              let ids = try bench.store.read(bench.plan) { try $0.records("Item").map(\.id) }
              try bench.write { writer in
                _ = try writer.delete(ids.filter { _ in random.next(3) == 0 }, of: 0)
              }
              try bench.deleteTeam(.string("t\(random.next(5))"))
              try bench.expectIndexes(&random)
            }
          }
        }
      }
    } + [
      Check("An index that is declared later has the objects that were there, and stays") { contract in
        var random = SplitMix(state: 3)
        let place = try contract.newPlace(IndexedItems.mapping(.integer, IndexedItems.indexes))
        let plain = try Plan(IndexedItems.mapping(.integer, []))
        let objects = (0..<TestSize.count(small: 60, whole: 200)).map {
          IndexedItems.object(IndexedItems.key($0, .integer), &random, longOnes: false)
        }
        var known = 0
        try place.open { bench in
          try bench.load("[" + objects.joined(separator: ",") + "]", as: plain)
          try bench.load("[" + objects.prefix(1).joined(separator: ",") + "]")
          known = try bench.store.read(bench.plan.schema) { try $0.indexes(of: 0).count }
          try bench.expectIndexes(&random)
          try bench.load("[" + objects.prefix(2).joined(separator: ",") + "]", as: plain)
          try bench.expectIndexes(&random)
        }
        try place.open { bench in
          let count = try bench.store.read(bench.plan.schema) { try $0.indexes(of: 0).count }
          try expect("the indexes of the store opened again", count, is: known)
          try bench.expectIndexes(&random)
        }
      },
      Check("Nothing follows an object that lies behind a whole range of an index") { contract in
        let mapping = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("value", .integer)
          Attribute("place", .integer)
          Index("value")
          Index("place", "-value")
        }
        let bench = try contract.makeBench(mapping)
        let objects = (0..<60).map { number in
          number % 4 == 0
            ? #"{"id":\#(number),"place":1}"#
            : #"{"id":\#(number),"value":\#(number / 2 * 2),"place":1}"#
        }
        try bench.load("[\(objects.joined(separator: ","))]")
        for text in [
          "@.value > 40", "@.value >= 24 && @.value < 20", "@.place == 1 && @.value > 30 && @.value < 50",
        ] {
          let filter = try Filter(text)
          for isDescending in [false, true] {
            let query = bench.plan.where(filter).sorted(by: "value", descending: isDescending)
            let pages = (0..<60).map { query.after(key: $0) }
            // An ObservedStore offers no tests and no indexes, so the core looks at all objects.
            let expected = try ObservedStore(bench.store) { _ in }.read(bench.plan) { snapshot in
              try pages.map { try snapshot.records($0).map(\.key) }
            }
            let found = try bench.store.read(bench.plan) { snapshot in
              try pages.map { try snapshot.records($0).map(\.key) }
            }
            for key in 0..<60 {
              try expect(
                "the objects of \(text) behind \(key)\(isDescending ? ", descending" : "")",
                found[key], is: expected[key])
            }
          }
        }
      },
      Check("What is not a number follows all numbers in an index, and is neither more nor less") {
        contract in
        let store = try contract.makeBench().store
        // One mapping has the indexes, and the other one has none.
        for (name, indexes) in [("Plain", []), ("Indexed", [Index("value"), Index("place", "-value")])] {
          let mapping = Measure.mapping(name, indexes)
          _ = try Mapper(store).importJSON(Measure.json, as: mapping.plan())
          let queries = ["> 1", ">= -1", "< 1", "<= 7", "== 2", "!= 2", "> 2 && @.place == 0"].map {
            "@.value \($0)"
          }
          // So many other objects that a look at all of them takes longer.
          let hasIndex = try store.read(mapping.plan().schema) { try !$0.indexes(of: 0).isEmpty }
          let few = (0..<8).map { PrimaryKey.integer($0) }
          try store.read(mapping.plan()) { snapshot in
            for (text, keys) in zip(
              queries, [[2, 5], [1, 2, 4, 5], [1, 4], [1, 2, 4, 5], [2, 5], [], []])
            {
              let query = try mapping.plan().where(Filter(text))
              let found = try snapshot.records(query).filter { $0.key.map(few.contains) ?? true }
              let explanation = try snapshot.explain(query)
              if hasIndex, !text.contains("!="), explanation.conditions.testedByStore == 0 {
                let isIndex = if case .index = explanation.access { true } else { false }
                try expect(isIndex, "\(text) uses no index: \(explanation)")
              }
              let all = text.contains("!=") ? [0, 1, 3, 4, 6, 7] : keys
              try expect(
                "the keys of \(text) in \(name)", found.map(\.key), is: all.map { .integer(Int64($0)) })
            }
            for isDescending in [false, true] {
              let query = try mapping.plan().query.sorted(by: "value", descending: isDescending)
              let found = try snapshot.keys(query).filter(few.contains).map(\.description)
              try expect(
                "the keys of \(name) in the order of values", found,
                is: isDescending
                  ? ["0", "3", "6", "2", "5", "1", "4", "7"] : ["7", "1", "4", "2", "5", "0", "3", "6"])
            }
          }
        }
      },
    ]
  }
}

/// A class that can hold values beyond JSON.
private final class Measure {
  var id = 0
  var place = 0
  var value: Double?

  static func mapping(_ name: String, _ indexes: [Index]) -> Mapping<Measure> {
    Mapping(Measure.self, name, primaryKey: "id", make: { Measure() }) {
      Attribute("id", \.id)
      Attribute("place", \.place)
      Attribute(
        "value", \.value,
        transform: Transform(reading: { value in
          switch value.string {
          case "none"?: .value(.nan)
          case "-none"?: .value(-.nan)
          default: value.number.map { .value($0) } ?? .null
          }
        }))
      for index in indexes { index }
    }
  }

  static let json =
    #"""
    [{"id":0,"place":0,"value":"none"},{"id":1,"value":-1},{"id":2,"value":2},{"id":3,"place":0,"value":"-none"},
    {"id":4,"value":-1},{"id":5,"value":2},{"id":6,"value":"none"},{"id":7},
    """# + (100..<300).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
}

extension Bench {
  fileprivate func deleteTeam(_ key: PrimaryKey) throws {
    guard let number = plan.schema.entity(named: "Team") else { return }
    try write { writer in
      if let id = try writer.reader.find(key, of: number) { _ = try writer.delete([id], of: number) }
    }
  }

  /// Goes through all indexes, and through parts of them.
  func expectIndexes(_ random: inout SplitMix) throws {
    let records = try store.read(plan) { try $0.records("Item") }
    var places: [ObjectID: Int] = [:]
    for (place, record) in records.enumerated() { places[record.id] = place }
    try store.read(plan.schema) { reader in
      for index in try reader.indexes(of: 0) {
        let declared = Index(index.name.split(separator: ",").map { IndexField(String($0)) })
        for isDescending in [false, true] {
          let sorted = records.sorted {
            IndexedItems.precedes($0, $1, by: declared, isDescending: isDescending, places)
          }
          try reader.expectOrder(index, declared, sorted, isDescending, &random)
          for _ in 0..<4 {
            try reader.expectRange(index, declared, sorted, isDescending, &random)
          }
        }
      }
    }
  }
}

extension StoreReader {
  private mutating func walk(
    _ index: Schema.Index, _ range: IndexRange, _ isDescending: Bool, after position: IndexRange.Position?,
    _ pageSize: Int
  ) throws -> [ObjectID] {
    var found: [ObjectID] = []
    try forEachPage(
      in: index, of: 0, range: range, isDescending: isDescending, after: position, pageSize: pageSize
    ) { _, page in
      try expect("whether a page is too large", page.count > pageSize || page.count == 0, is: false)
      found += page.ids
      return true
    }
    return found
  }

  fileprivate mutating func expectOrder(
    _ index: Schema.Index, _ declared: Index, _ sorted: [Record], _ isDescending: Bool,
    _ random: inout SplitMix
  ) throws {
    let name = "the objects of \(declared)\(isDescending ? " in reverse" : "")"
    let all = try walk(index, IndexRange(), isDescending, after: nil, [3, 50][random.next(2)])
    try expect(name, all, is: sorted.map(\.id))
    for _ in 0..<3 where !sorted.isEmpty {
      let place = random.next(sorted.count)
      guard let key = sorted[place].key else { continue }
      let position = IndexRange.Position(
        contents: declared.fields.map { IndexedItems.content($0.name, of: sorted[place]) }, key: key)
      let behind = try walk(index, IndexRange(), isDescending, after: position, 50)
      try expect("\(name) behind \(position)", behind, is: sorted[(place + 1)...].map(\.id))
    }
  }

  /// A range that begins and ends at values that are stored.
  fileprivate mutating func expectRange(
    _ index: Schema.Index, _ declared: Index, _ sorted: [Record], _ isDescending: Bool,
    _ random: inout SplitMix
  ) throws {
    if sorted.isEmpty { return }
    let sample = sorted[random.next(sorted.count)]
    let count = random.next(declared.fields.count)
    let same = declared.fields[..<count].map(\.name)
    var range = IndexRange(equal: same.map { IndexedItems.content($0, of: sample) })
    let field = declared.fields[count].name
    var expected = sorted.filter { record in
      same.allSatisfy { IndexedItems.rank($0, of: record) == IndexedItems.rank($0, of: sample) }
    }
    if field != "team" {
      func bound() -> (IndexRange.Bound, IndexedItems.Rank)? {
        let record = sorted[random.next(sorted.count)]
        guard random.next(3) > 0, let value = record[field],
          let rank = IndexedItems.rank(field, of: record)
        else { return nil }
        return (IndexRange.Bound(value, isIncluded: random.next(2) == 0), rank)
      }
      if let (lower, least) = bound() {
        range.lower = lower
        expected.removeAll {
          IndexedItems.rank(field, of: $0).map { lower.isIncluded ? $0 < least : $0 <= least } ?? true
        }
      }
      if let (upper, most) = bound() {
        range.upper = upper
        expected.removeAll {
          IndexedItems.rank(field, of: $0).map { upper.isIncluded ? $0 > most : $0 >= most } ?? true
        }
      }
    }
    let found = try walk(index, range, isDescending, after: nil, 50)
    // Long strings that begin alike may be in it.
    let wanted = Set(expected.map(\.id))
    let name = "the objects of \(declared)\(isDescending ? " in reverse" : "") in \(range)"
    try expect(name, found.filter(wanted.contains), is: expected.map(\.id))
    let extra = Set(found).subtracting(wanted)
    for record in sorted where extra.contains(record.id) {
      try expect(IndexedItems.isLong(record, declared), "\(name) have \(record.key.map { "\($0)" } ?? "one")")
    }
    let counted = try self.count(in: index, of: 0, range: range, limit: .max)
    try expect("the count of \(name)", counted, is: found.count)
    let limited = try self.count(in: index, of: 0, range: range, limit: 2)
    try expect("the count of \(name), at most 2", limited, is: min(2, found.count))
  }
}
