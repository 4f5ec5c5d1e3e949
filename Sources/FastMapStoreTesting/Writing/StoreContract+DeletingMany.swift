internal import FastMapCore

extension StoreContract {
  static var deletingManyChecks: [Check] {
    [
      Check("What a deleted object owned goes with it") { contract in
        let bench = try contract.makeBench()
        try bench.load(
          #"[{"id":1,"notes":[{"text":"a"},{"text":"b"}]},{"id":2,"notes":[{"text":"c"}]},{"id":3}]"#)
        try expect(
          "the report", bench.store.delete(bench.plan.query(of: "Item").keys([1])).text, is: "Item 1, Note 2")
        try expect("the notes", bench.count(of: 1), is: 1)
        try bench.expectObject(2, is: #"notes=["c"]"#)
        try expect("all", bench.store.delete(bench.plan.query(of: "Item")).text, is: "Item 2, Note 1")
        try expect("the rest", [bench.count(), bench.count(of: 1)], is: [0, 0])
      },
      Check("What only its replaced relationships had goes with a deleted object") { contract in
        let bench = try contract.makeBench()
        try bench.load(
          #"[{"id":1,"onlyOne":2,"replaced":[3,4],"many":[5],"one":6},{"id":3,"replaced":[{"id":7,"notes":[{}]}]},{"id":8,"one":4}]"#
        )
        try expect(
          "the report", bench.store.delete(bench.plan.query(of: "Item").keys([1])).text, is: "Item 4, Note 1")
        let keys = try bench.store.read(bench.plan.schema) { try $0.keys() }
        try expect("what is left", keys, is: [4, 5, 6, 8])
      },
      Check("Keys and ranges of keys are deleted, in any order and with repeats") { contract in
        let bench = try contract.makeBench()
        func left() throws -> [PrimaryKey?] { try bench.store.read(bench.plan.schema) { try $0.keys() } }
        try bench.load("[\((1...20).map { "{\"id\":\($0)}" }.joined(separator: ","))]")
        let report = try bench.store.delete(bench.plan.query(of: "Item").keys([7, 3, 99, 7]))
        try expect("the report of keys", report.text, is: "Item 2")
        try expect("a range", bench.store.delete(bench.plan.query(of: "Item").keys(5...8)).total, is: 3)
        try expect(
          "to before a key", bench.store.delete(bench.plan.query(of: "Item").keys(9..<12)).total, is: 3)
        try expect(
          "from a key on", bench.store.delete(bench.plan.query(of: "Item").keys(15...)).total, is: 6)
        try expect(
          "an empty range", bench.store.delete(bench.plan.query(of: "Item").keys(2..<2)).total, is: 0)
        try expect(
          "no keys", bench.store.delete(bench.plan.query(of: "Item").keys([PrimaryKey]())).total, is: 0)
        try expect("what is left", left(), is: [1, 2, 4, 12, 13, 14])
        let visitors = try contract.makeBench(Fixture.visitor)
        try visitors.load(#"[{"id":1},{"name":"a"},{"id":2},{"name":"b"}]"#)
        try expect(
          "keys", visitors.store.delete(visitors.plan.query(of: "Visitor").keys(KeyRange())).total, is: 2)
        try expect("all", visitors.store.delete(visitors.plan.query(of: "Visitor")).total, is: 2)
      },
      Check("Many of the objects of one list are deleted, and the others keep their order") { contract in
        let bench = try contract.makeBench()
        let list = (2...2001).map { ($0 * 7919) % 2003 + 2 }
        let others = (10_000..<10_500).map { #"{"id":\#($0),"one":100}"# }.joined(separator: ",")
        try bench.load(#"[{"id":1,"many":\#(list),"merged":\#(list)},\#(others)]"#)
        let count = Set(list).filter { (100...1500).contains($0) }.count
        try expect(
          "the report", bench.store.delete(bench.plan.query(of: "Item").keys(100...1500)).total, is: count)
        let kept = list.filter { !(100...1500).contains($0) }
        let names = kept.map { "\($0)" }.joined(separator: " ")
        try bench.expectObject(1, is: "many=[\(names)] merged=[\(names)]")
        try bench.expectObject(10_250, is: "")
        try expect(
          "the list again", bench.load(#"{"id":1,"many":\#(kept),"merged":\#(kept)}"#)["Item"]?.updated, is: 0
        )
        try expect(
          "the rest", bench.store.delete(bench.plan.query(of: "Item")).total, is: Set(kept).count + 501)
        try expect("what is left", bench.count(), is: 0)
        try bench.load(#"{"id":1,"many":[2]}"#)
        try bench.expectObject(1, is: "many=[2]")
      },
      Check("Deletions one by one and at once leave the same") { contract in
        var numbers = SplitMix(state: 7)
        for _ in 0..<TestSize.count(small: 3, whole: 6) {
          let objects = (1...60).map { id in
            let (many, merged) = (numbers.some(8, below: 60), numbers.some(3, below: 60))
            let replaced = numbers.some(2, below: 60)
            let notes = Array(repeating: "{}", count: numbers.next(3)).joined(separator: ",")
            return #"{"id":\#(id),"one":\#(numbers.next(60)),"many":\#(many),"merged":\#(merged),"#
              + #""replaced":\#(replaced),"notes":[\#(notes)]}"#
          }
          let (first, second) = (try contract.makeBench(), try contract.makeBench())
          for bench in [first, second] { try bench.load("[\(objects.joined(separator: ","))]") }
          // The targets that replaced relationships lose would depend on the order, so they are cleared first.
          let cleared = (0...60).map { #"{"id":\#($0),"replaced":null}"# }.joined(separator: ",")
          for bench in [first, second] { try bench.load("[\(cleared)]") }
          let keys = numbers.some(20, below: 60).map { PrimaryKey.integer(Int64($0)) }
          var counts: [Int] = [0, 0]
          for key in keys {
            let report = try first.store.delete(first.plan.query(of: "Item").keys([key]))
            counts[0] += report["Item"]
            counts[1] += report["Note"]
          }
          let report = try second.store.delete(second.plan.query(of: "Item").keys(keys))
          try expect("the counts", [report["Item"], report["Note"]], is: counts)
          for key in 0...60 {
            let one = try first.show(.integer(Int64(key)))
            try second.expectObject(.integer(Int64(key)), is: one)
          }
          try expect("the notes", second.count(of: 1), is: first.count(of: 1))
        }
      },
    ]
  }
}

extension DeletionReport {
  /// `Item 4, Note 1`
  fileprivate var text: String {
    entities.map { "\($0.entity) \($0.counts.deleted)" }.joined(separator: ", ")
  }
}
