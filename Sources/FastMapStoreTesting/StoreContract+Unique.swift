internal import FastMapCore

// Of a store that keeps unique indexes.
extension StoreContract {
  package static var uniqueChecks: [Check] {
    [
      Check("A write with two objects of the same values in a unique index changes nothing") { contract in
        let bench = try contract.makeUniqueBench()
        let first =
          #"[{"id":1,"email":"a","team":{"id":1},"number":1},{"id":2,"email":"b","team":{"id":1},"number":2}]"#
        try bench.load(first)
        for json in [
          #"{"id":3,"email":"a"}"#, #"{"id":2,"email":"a"}"#, #"[{"id":4,"email":"x"},{"id":5,"email":"x"}]"#,
          #"{"id":6,"team":{"id":1},"number":2}"#,
        ] {
          try bench.expectNotUnique(json)
          try expect("the objects after \(json)", bench.count(), is: 2)
        }
        // A value may change its object, and no value is like no other.
        try bench.load(
          #"[{"id":1,"email":"b"},{"id":2,"email":"a"},{"id":3,"email":null},{"id":4},{"id":5,"team":{"id":2},"number":2}]"#
        )
        try expect("the objects", bench.count(), is: 5)
        try bench.load(#"{"id":6,"email":"A"}"#)
        try bench.load(#"{"id":7,"email":"\u00e9"}"#)
        try bench.load(#"{"id":8,"email":"e\u0301"}"#)
      },
      Check("An index cannot become unique over objects of the same values") { contract in
        let bench = try contract.makeUniqueBench()
        let plain = try Plan(Self.account([Index("email")]))
        try bench.load(#"[{"id":1,"email":"a"},{"id":2,"email":"a"}]"#, as: plain)
        try bench.expectNotUnique(#"{"id":3,"email":"c"}"#)
        try bench.load(#"{"id":2,"email":"b"}"#, as: plain)
        try bench.load(#"{"id":3,"email":"c"}"#)
        try bench.expectNotUnique(#"{"id":4,"email":"c"}"#)
        // A mapping that does not declare it keeps it.
        try bench.expectNotUnique(#"{"id":4,"email":"c"}"#, as: try Plan(Self.account([])))
      },
      Check("An index can be dropped by its name") { contract in
        let bench = try contract.makeUniqueBench()
        try bench.load(#"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#)
        for (index, entity) in [("emial", "Account"), ("email", "Acount")] {
          do {
            try bench.store.dropIndex(index, of: entity)
            throw Failure(reason: "there is no index \(index) of \(entity)")
          } catch is UnknownNameError {}
        }
        try bench.store.dropIndex("email", of: "Account")
        let names = try bench.store.read(bench.plan.schema) { try $0.indexes(of: 0).map(\.name) }
        try expect("the indexes that are left", names, is: ["team,-number"])
        try bench.load(#"{"id":3,"email":"a"}"#, as: try Plan(Self.account([])))
        try expect("the objects", bench.count(), is: 3)
      },
    ]
  }

  private static func account(_ indexes: [Index]) -> Mapping<Record> {
    Mapping("Account", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Attribute("number", .integer)
      ToOne("team", Mapping("Team", primaryKey: "id") { Attribute("id", .integer) })
      for index in indexes { index }
    }
  }

  private func makeUniqueBench() throws -> Bench<S> {
    try makeBench(
      Self.account([Index("email", isUnique: true), Index("team", "-number", isUnique: true)]))
  }
}

extension Bench {
  /// An import that fails, with a fault of an object or of the index.
  fileprivate func expectNotUnique(_ json: String, as other: Plan? = nil) throws {
    do {
      try load(json, as: other)
    } catch is UniquenessError {
      return
    } catch let error as MappingError {
      if case .notUnique = error.reason { return }
      throw error
    }
    throw Failure(reason: "two objects have the same values after \(json)")
  }
}
