internal import FastMapCore

extension StoreContract {
  static var changeChecks: [Check] {
    [
      Check("Every kind of value comes back as it was") { contract in
        let bench = try contract.makeBench(Fixture.typed)
        let payloads: [(key: PrimaryKey, json: String, expected: String)] = [
          (
            1,
            #"{"id":1,"boolean":true,"integer":-9223372036854775808,"number":-0.1,"decimal":-12345678901234567890.10,"string":"a\u0000é😀","date":"1969-12-31T23:59:59.25Z","data":"AP+A","json":{"a":[1,null]}}"#,
            "boolean=true integer=-9223372036854775808 number=-0.1 decimal=-12345678901234567890.10 string=\"a\0é😀\" date=@-1.250000000 data=[0, 255, 128] json={\"a\":[1,null]}"
          ),
          (
            2,
            #"{"id":2,"boolean":false,"integer":9223372036854775807,"number":5e-324,"decimal":"1E-6144","string":"","date":"2300-01-01T00:00:00.000000001Z","data":"","json":"text"}"#,
            "boolean=false integer=9223372036854775807 number=5e-324 decimal=1E-6144 string=\"\" date=@10413792000.1 data=[] json=\"text\""
          ),
          (
            3, #"{"id":3,"integer":0,"number":1.7976931348623157e308,"json":[]}"#,
            "integer=0 number=1.7976931348623157e+308 json=[]"
          ),
          (4, #"{"id":4}"#, ""),
          (
            5, #"{"id":5,"number":-0.0,"decimal":-0.0,"date":"1969-12-31T23:59:59Z","json":null}"#,
            "number=-0.0 decimal=-0.0 date=@-1.0"
          ),
        ]
        let all = "[\(payloads.map { $0.json }.joined(separator: ","))]"
        try bench.load(all)
        for payload in payloads { try bench.expectObject(payload.key, is: payload.expected) }
        try expect("the report of the same again", bench.load(all)["Typed"], is: .init(unchanged: 5))
        try expect(
          "updated objects for 0 in the place of -0", bench.load(#"{"id":5,"number":0}"#)["Typed"]?.updated,
          is: 1)
      },
      Check("Integers above those of 64 bits with a sign come back as they were") { contract in
        let bench = try contract.makeBench(
          Mapping("Item", primaryKey: "id") {
            Attribute("id", .integer)
            Attribute("name", .integer)
          })
        let schema = bench.plan.schema
        for value in [1 << 63, .max, 1 << 63 + 1] as [UInt64] {
          try bench.write { writer in
            try expect(try writer.put(1, name: .unsigned(value), schema).isChanged, "\(value) is no change")
            try expect(try !writer.put(1, name: .unsigned(value), schema).isChanged, "the same is a change")
          }
          try bench.expectObject(1, is: "name=\(value)")
        }
      },
      Check("Decimals are compared by their values, and keep the digits they came with") { contract in
        let mapping = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
          Attribute("price", .decimal)
          Index("price")
        }
        let bench = try contract.makeBench(mapping)
        // In their order, with two texts of each.
        let texts = [
          ("-1e6144", "-10.0e6143"), ("-12345678901234567890.12", "-1234567890123456789012e-2"),
          ("-0.10", "-0.1"), ("0", "-0.0"), ("1e-6144", "0.1e-6143"), ("0.1", "1.00E-1"),
          ("9007199254740992.9", "9007199254740992.90"), ("9007199254740993", "9007199254740993.0"),
          ("1e38", "10000000000000000000000000000000000000e1"),
        ]
        func payload(_ text: (Int, String)) -> String {
          #"{"id":\#(text.0),"name":"\#(text.1)","price":\#(text.1)}"#
        }
        let first = texts.map(\.0).enumerated().map { ($0.offset, $0.element) }
        try bench.load("[" + first.reversed().map(payload).joined(separator: ",") + "]")
        for (place, text) in texts.enumerated() {
          let report = try bench.load(#"{"id":\#(place),"price":\#(text.1)}"#)
          try expect("the report of \(text.1) over \(text.0)", report["Item"], is: .init(unchanged: 1))
          let renamed = try bench.load(#"{"id":\#(place),"name":"x","price":\#(text.1)}"#)
          try expect("the report of another name", renamed["Item"], is: .init(updated: 1))
          try bench.expectObject(
            .integer(Int64(place)), is: #"name="x" price=\#(text.0)"#, "after \(text.1)")
          try bench.store.read(bench.plan) { snapshot in
            for (sign, keys) in [
              ("==", place..<place + 1), ("<", 0..<place), (">=", place..<texts.count),
            ] {
              let filter = try Filter("@.price \(sign) \(text.1)")
              try expect(
                "the keys of \(filter)", snapshot.keys(bench.plan.where(filter)),
                is: keys.map { .integer(Int64($0)) })
            }
          }
        }
        try bench.store.read(bench.plan) { snapshot in
          for isDescending in [false, true] {
            let query = bench.plan.query.sorted(by: "price", descending: isDescending)
            let keys = texts.indices.map { PrimaryKey.integer(Int64($0)) }
            try expect("the order", snapshot.keys(query), is: isDescending ? keys.reversed() : keys)
          }
        }
      },
      Check("Long strings, data and texts come back as they were") { contract in
        let bench = try contract.makeBench(Fixture.typed)
        for size in [100, 2_000, 5_000, 70_000, 1_000_000] {
          let text = String(repeating: "ab", count: size / 2)
          let json = "{\"id\":\(size),\"string\":\"\(text)\",\"json\":[\"\(text)\"]}"
          try bench.load(json)
          let record = try bench.store.read(bench.plan) { try $0.record("Typed", key: size) }
          try expect(record?["string"] == .string(text), "a string of \(size) bytes is another one")
          try expect(record?["json"] == .json("[\"\(text)\"]"), "a text of \(size) bytes is another one")
          try expect("the report of the same again", bench.load(json)["Typed"], is: .init(unchanged: 1))
        }
      },
      Check("An object that is not new keeps the fields that are missing") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","one":2,"many":[2,3],"notes":[{"text":"n"}]}"#)
        let report = try bench.load(#"{"id":1}"#)
        try expect("the report", report["Item"], is: .init(unchanged: 1))
        try bench.expectObject(1, is: #"name="a" one=2 many=[2 3] notes=["n"]"#)
        try bench.load(#"{"id":1,"name":"b"}"#)
        try bench.expectObject(1, is: #"name="b" one=2 many=[2 3] notes=["n"]"#)
      },
      Check("Null clears a field, and null over nothing changes nothing") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","one":2,"many":[2,3]}"#)
        let cleared = try bench.load(#"{"id":1,"name":null,"one":null,"many":null}"#)
        try expect("the report", cleared["Item"], is: .init(updated: 1))
        try bench.expectObject(1, is: "")
        let again = try bench.load(#"{"id":1,"name":null,"one":null,"many":[],"keptOne":null,"merged":null}"#)
        try expect("the report of null over nothing", again["Item"], is: .init(unchanged: 1))
        let typed = try contract.makeBench(Fixture.typed)
        try typed.load(
          #"{"id":1,"boolean":true,"integer":1,"number":1,"decimal":1,"string":"s","data":"AA==","json":1}"#)
        try typed.load(
          #"{"id":1,"boolean":null,"integer":null,"number":null,"decimal":null,"string":null,"data":null,"json":null}"#
        )
        try typed.expectObject(1, is: "")
      },
      Check("Each field by itself tells whether an object is different") { contract in
        let bench = try contract.makeBench()
        let start = #"{"id":1,"name":"a","one":2,"many":[2,3],"notes":[{"text":"n"}]}"#
        let variants = [
          (#"{"id":1,"name":"b"}"#, true), (#"{"id":1,"name":"a"}"#, false), (#"{"id":1,"name":""}"#, true),
          (#"{"id":1,"one":2}"#, false), (#"{"id":1,"one":3}"#, true), (#"{"id":1,"many":[2,3]}"#, false),
          (#"{"id":1,"many":[3,2]}"#, true), (#"{"id":1,"many":[2]}"#, true),
          (#"{"id":1,"many":[2,3,3]}"#, true),
          (#"{"id":1,"merged":[2]}"#, true), (#"{"id":1,"notes":[{"text":"n"}]}"#, false),
          (#"{"id":1,"notes":[{"text":"m"}]}"#, true),
          (#"{"id":1,"notes":[]}"#, true),
        ]
        for (json, isDifferent) in variants {
          try bench.load(start)
          let counts = try bench.load(json)["Item"]
          try expect("updated objects for \(json)", counts?.updated, is: isDifferent ? 1 : 0)
          try bench.load(#"{"id":1,"many":[],"merged":[],"notes":[]}"#)
        }
        try bench.load(#"{"id":9,"name":"é"}"#)
        try expect("other bytes", bench.load("{\"id\":9,\"name\":\"e\u{301}\"}")["Item"]?.updated, is: 1)
      },
      Check("A new object has just the fields it was made with") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2},{"id":3}]"#)
        try bench.load(#"[{"id":2,"name":"b"},{"id":4,"one":1},{"id":5}]"#)
        try bench.expectObject(1, is: "")
        try bench.expectObject(2, is: #"name="b""#)
        try bench.expectObject(4, is: "one=1")
        try bench.expectObject(5, is: "")
      },
      Check("An update says whether anything became different") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.write { writer in
          let new = try writer.put(1, name: .string("a"), schema)
          try expect(new.isChanged, "a new object counts as unchanged")
          let same = try writer.put(1, name: .string("a"), schema)
          try expect(!same.isChanged, "an equal value counts as a change")
          try expect("the number of the object", same.id, is: new.id)
          try expect(try writer.put(1, name: .null, schema).isChanged, "a cleared value counts as unchanged")
          try expect(
            try !writer.put(1, name: .null, schema).isChanged, "null over nothing counts as a change")
        }
      },
      Check("An object that is not stored is not read") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","many":[2],"notes":[{"text":"n"}]}"#)
        let id = try bench.id(1)
        try bench.store.read(bench.plan.schema) { reader in
          var buffer = RowBuffer()
          for other in [0, id.rawValue + 1000, .max].map(ObjectID.init) {
            try expect(
              try !reader.read(other, of: 0, into: &buffer), "an object with the number \(other) is read")
          }
          try expect(try reader.read(id, of: 0, into: &buffer), "a stored object is not read")
          try expect(buffer.row[bench.field("many")].isMissing, "a to-many field is not missing in a row")
          try expect(
            "the fields of the row", buffer.row.count, is: bench.plan.schema.entities[0].fields.count)
        }
      },
    ]
  }
}
