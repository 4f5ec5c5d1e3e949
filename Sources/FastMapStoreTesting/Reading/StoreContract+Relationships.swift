internal import FastMapCore

extension StoreContract {
  /// Object 1 before, the payload, and object 1 and the deleted objects afterwards.
  private struct PolicyCase {
    var start = #"{"id":1,"one":2,"keptOne":3,"onlyOne":4,"many":[2,3],"merged":[2,3],"replaced":[5,6]}"#
    let json: String
    let expected: String
    var gone: [Int64] = []
  }

  private static func check(_ contract: StoreContract<S>, _ cases: [PolicyCase]) throws {
    for test in cases {
      let bench = try contract.makeBench()
      try bench.load(test.start)
      try bench.load(test.json)
      try bench.expectObject(1, is: test.expected, "after \(test.json)")
      for key in [2, 3, 4, 5, 6] as [Int64] where test.start.contains(Character("\(key)")) {
        let isThere = try bench.show(.integer(key)) != nil
        try expect("whether \(key) is stored after \(test.json)", isThere, is: !test.gone.contains(key))
      }
      try expect("the report of \(test.json) again", bench.load(test.json)["Item"]?.updated, is: 0)
    }
  }

  static var relationshipChecks: [Check] {
    [
      Check("A to-one relationship follows its policy") { contract in
        let rest = "many=[2 3] merged=[2 3] replaced=[5 6]"
        try check(
          contract,
          [
            PolicyCase(json: #"{"id":1,"one":9}"#, expected: "one=9 keptOne=3 onlyOne=4 \(rest)"),
            PolicyCase(json: #"{"id":1,"one":null}"#, expected: "keptOne=3 onlyOne=4 \(rest)"),
            PolicyCase(json: #"{"id":1,"keptOne":9}"#, expected: "one=2 keptOne=9 onlyOne=4 \(rest)"),
            PolicyCase(json: #"{"id":1,"keptOne":null}"#, expected: "one=2 keptOne=3 onlyOne=4 \(rest)"),
            PolicyCase(
              json: #"{"id":1,"onlyOne":9}"#, expected: "one=2 keptOne=3 onlyOne=9 \(rest)", gone: [4]),
            PolicyCase(json: #"{"id":1,"onlyOne":null}"#, expected: "one=2 keptOne=3 \(rest)", gone: [4]),
            PolicyCase(json: #"{"id":1,"onlyOne":4}"#, expected: "one=2 keptOne=3 onlyOne=4 \(rest)"),
            PolicyCase(json: #"{"id":1,"one":1}"#, expected: "one=1 keptOne=3 onlyOne=4 \(rest)"),
          ])
      },
      Check("Assigned targets are those of the payload, in their order, repeats included") { contract in
        let start = #"{"id":1,"many":[2,3]}"#
        try check(
          contract,
          [
            PolicyCase(start: start, json: #"{"id":1,"many":[9,3,8]}"#, expected: "many=[9 3 8]"),
            PolicyCase(start: start, json: #"{"id":1,"many":[3,3,2,3]}"#, expected: "many=[3 3 2 3]"),
            PolicyCase(start: start, json: #"{"id":1,"many":[]}"#, expected: ""),
            PolicyCase(start: start, json: #"{"id":1,"many":[1]}"#, expected: "many=[1]"),
          ])
      },
      Check("Merged targets are the old ones in their order, and then the new ones without repeats") {
        contract in
        let start = #"{"id":1,"merged":[3,2]}"#
        try check(
          contract,
          [
            PolicyCase(start: start, json: #"{"id":1,"merged":[9,3,8]}"#, expected: "merged=[3 2 9 8]"),
            PolicyCase(start: start, json: #"{"id":1,"merged":[9,9,2,9]}"#, expected: "merged=[3 2 9]"),
            PolicyCase(start: start, json: #"{"id":1,"merged":[]}"#, expected: "merged=[3 2]"),
            PolicyCase(start: start, json: #"{"id":1,"merged":null}"#, expected: "merged=[3 2]"),
            PolicyCase(start: start, json: #"{"id":1,"merged":[2,3]}"#, expected: "merged=[3 2]"),
            PolicyCase(start: #"{"id":1}"#, json: #"{"id":1,"merged":[9,8,9]}"#, expected: "merged=[9 8]"),
          ])
      },
      Check("Replaced targets are noted, and those that stay are not") { contract in
        let start = #"{"id":1,"replaced":[2,3,4]}"#
        try check(
          contract,
          [
            PolicyCase(
              start: start, json: #"{"id":1,"replaced":[9,3]}"#, expected: "replaced=[9 3]", gone: [2, 4]),
            PolicyCase(start: start, json: #"{"id":1,"replaced":[]}"#, expected: "", gone: [2, 3, 4]),
            PolicyCase(start: start, json: #"{"id":1,"replaced":null}"#, expected: "", gone: [2, 3, 4]),
            PolicyCase(start: start, json: #"{"id":1,"replaced":[4,3,2,2]}"#, expected: "replaced=[4 3 2 2]"),
            PolicyCase(
              start: #"{"id":1,"replaced":[2,2]}"#, json: #"{"id":1,"replaced":[9]}"#,
              expected: "replaced=[9]",
              gone: [2]),
          ])
      },
      Check("Targets may be objects of the same batch, the owner itself included") { contract in
        let bench = try contract.makeBench()
        try bench.load(
          #"[{"id":5,"one":9,"many":[5,1,9]},{"id":1,"one":5,"merged":[1,5,7]},{"id":9,"replaced":[1]}]"#)
        try bench.expectObject(5, is: "one=9 many=[5 1 9]")
        try bench.expectObject(1, is: "one=5 merged=[1 5 7]")
        try bench.expectObject(9, is: "replaced=[1]")
      },
      Check("A relationship holds thousands of targets, in their order") { contract in
        let bench = try contract.makeBench()
        let count = TestSize.count(small: 1000, whole: 3000)
        let first = (2...count).map { "\($0)" }
        try bench.load(#"{"id":1,"many":[\#(first.reversed().joined(separator: ","))]}"#)
        try bench.expectObject(1, is: "many=[\(first.reversed().joined(separator: " "))]")
        try bench.load(#"{"id":1,"merged":[\#(first.joined(separator: ","))],"many":[]}"#)
        let more = (0..<500).map { "\($0 * 10_000)" }
        let added = ["0"] + (1..<500).map { "\($0 * 10_000)" }
        try bench.load(#"{"id":1,"merged":[\#((more + first).joined(separator: ","))]}"#)
        try bench.expectObject(1, is: "merged=[\((first + added).joined(separator: " "))]")
        for key in [2, Int64(count / 2), Int64(count)] {
          let id = try bench.id(.integer(key))
          try bench.write { writer in _ = try writer.delete(id, of: 0) }
        }
        let left = first.filter { !["2", "\(count / 2)", "\(count)"].contains($0) } + added
        try bench.expectObject(1, is: "merged=[\(left.joined(separator: " "))]")
        let again = try bench.load(#"{"id":1,"merged":[\#(left.joined(separator: ","))]}"#)
        try expect("the report of the same again", again["Item"], is: .init(unchanged: left.count + 1))
      },
    ]
  }
}
