internal import FastMapCore

// Promises of stores that keep unique indexes. Any other refuses the mapping that declares one.
extension StoreContract {
  static var uniqueChecks: [Check] {
    [
      Check("A unique index is kept, or the write that declares it is refused") { contract in
        let bench = try contract.makeBench(Self.uniqueAccount)
        if bench.store.capabilities.keepsUniqueIndexes {
          try bench.load(#"{"id":1,"email":"a"}"#)
          return try bench.expectNotUnique(#"{"id":2,"email":"a"}"#)
        }
        do {
          try bench.load(#"{"id":1,"email":"a"}"#)
        } catch is MappingDefinitionError {
          return try expect("the objects after the refusal", bench.count(), is: 0)
        }
        throw Failure(reason: "a mapping with a unique index is imported, and the store keeps none")
      },
      Check("A write with two objects of the same values in a unique index changes nothing") { contract in
        guard let bench = try contract.makeUniqueBench() else { return }
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
        guard let bench = try contract.makeUniqueBench() else { return }
        let plain = try Plan(Self.account([Index("email")]))
        try bench.load(#"[{"id":1,"email":"a"},{"id":2,"email":"a"}]"#, as: plain)
        try bench.expectNotUnique(#"{"id":3,"email":"c"}"#)
        try bench.load(#"{"id":2,"email":"b"}"#, as: plain)
        try bench.load(#"{"id":3,"email":"c"}"#)
        try bench.expectNotUnique(#"{"id":4,"email":"c"}"#)
        // A mapping that does not declare it keeps it.
        try bench.expectNotUnique(#"{"id":4,"email":"c"}"#, as: try Plan(Self.account([])))
      },
      Check("A dry run with a unique index that is new finds the objects that the import refuses") {
        contract in
        let unique = try Plan(
          Self.account([Index("email", isUnique: true), Index("team", "-number", isUnique: true)]))
        for (name, first, plain) in [
          ("no objects", nil, nil),
          ("objects without the field", #"[{"id":1},{"id":2,"number":5}]"#, Self.accountKey),
          ("objects with the field", #"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#, Self.account([])),
        ] as [(String, String?, Mapping<Record>?)] {
          guard let bench = try contract.makeUniqueBench() else { return }
          if let first, let plain { try bench.load(first, as: try Plan(plain)) }
          let json =
            #"[{"id":3,"email":"c"},{"id":1,"email":"c"},{"id":4,"email":"d","team":{"id":1},"number":1},"#
            + #"{"id":5,"team":{"id":1},"number":1},{"id":2,"email":null},{"id":6,"email":"e"}]"#
          let found = try bench.dryRun(json, as: unique, options: ImportOptions(faults: .skip))
          let report = try bench.load(json, as: unique, options: ImportOptions(faults: .skip))
          try expect("\(name): the objects left out", report["Account"]?.skipped, is: 2)
          try expect("\(name): the report of the dry run", found.entities, is: report.entities)
          try expect(
            "\(name): its errors", found.errors.map(\.description), is: report.errors.map(\.description))
        }
        // Two stored objects that would keep the index from being built.
        guard let bench = try contract.makeUniqueBench() else { return }
        try bench.load(#"[{"id":1,"email":"a"},{"id":2,"email":"a"}]"#, as: try Plan(Self.account([])))
        try bench.expectNotUnique(
          #"{"id":3,"email":"c"}"#, options: ImportOptions(faults: .skip, isDryRun: true))
      },
      Check("A write is refused exactly where two objects have the same values in a unique index") {
        contract in
        var random = SplitMix(state: 17)
        guard let bench = try contract.makeUniqueBench() else { return }
        try bench.load(#"{"id":1000}"#)
        var model = Accounts()
        var refused = 0
        let rounds = TestSize.rounds(small: 50, whole: 100)
        for _ in 0..<rounds {
          var next = model
          let objects = (0..<1 + random.next(4)).map { _ in next.change(&random) }
          let json = "[" + objects.joined(separator: ",") + "]"
          if next.isUnique {
            try bench.load(json)
            model = next
          } else {
            try bench.expectNotUnique(json)
            refused += 1
          }
        }
        try expect("writes of both kinds", (rounds / 8...rounds * 7 / 8).contains(refused), is: true)
        let records = try bench.store.read(bench.plan) { try $0.records("Account") }
        for record in records {
          if record.key == 1000 { continue }
          guard case .integer(let key)? = record.key, let account = model.byKey[Int(key)] else {
            throw Failure(reason: "an object is stored that was refused")
          }
          try expect("an email", record["email"], is: account.email.map { .string($0) })
        }
        try expect("the objects", records.count, is: model.byKey.count + 1)
      },
      Check("A write finds all objects with the same values that it has made") { contract in
        guard let bench = try contract.makeUniqueBench() else { return }
        try bench.load(#"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#)
        func email(_ key: Int) -> String { key == 1 || key % 30 == 0 ? "a" : "e\(key % 20)" }
        for limit in [1, 7, 1000] {
          let found = try bench.store.transact(bench.plan.schema) { writer in
            let changes = try (10..<100).map { key in
              TestChange(
                of: try writer.number(for: .integer(Int64(key))), isNew: true,
                values: ["id": .integer(Int64(key)), "email": .string(email(key))])
            }
            try writer.apply(changes, bench.plan.schema)
            try writer.buildIndexes { _, _ in }
            return .rollBack(try writer.duplicates(limit: limit))
          }
          // 3 with "a", and 87 with one of 20.
          try expect("the pairs", found.count, is: min(limit, 3 + 87 - 20))
          try expect("different objects", Set(found.map(\.second.id)).count, is: found.count)
          for pair in found {
            try expect("the index", pair.index, is: "email")
            for object in [pair.first, pair.second] {
              guard case .integer(let key)? = object.key else {
                throw Failure(reason: "a pair without a key")
              }
              try expect("the values of \(key)", pair.contents, is: [.value(.string(email(Int(key))))])
            }
          }
        }
        try expect("the objects", bench.count(), is: 2)
      },
      Check("An error ends the search for objects with the same values") { contract in
        guard let bench = try contract.makeUniqueBench() else { return }
        try bench.store.transact(bench.plan.schema) { writer in
          let changes = try (0..<20).map { key in
            TestChange(
              of: try writer.number(for: .integer(key)), isNew: true,
              values: ["id": .integer(key), "email": .string("e\(key % 2)")])
          }
          try writer.apply(changes, bench.plan.schema)
          try writer.buildIndexes { _, _ in }
          for last in [1, 12] {
            var count = 0
            do {
              try writer.forEachDuplicate(limit: .max) { _ in
                count += 1
                if count == last { throw Failure(reason: "stop") }
              }
              throw Failure(reason: "the search has no error")
            } catch let error as Failure { try expect("the error", error.reason, is: "stop") }
            try expect("the pairs before the error", count, is: last)
          }
          // The search begins again, and finds all.
          try expect("the pairs", writer.duplicates(limit: .max).count, is: 18)
          return .rollBack(())
        }
      },
      Check("A write that has found objects with the same values cannot commit them") { contract in
        guard let bench = try contract.makeUniqueBench() else { return }
        try bench.load(#"{"id":1,"email":"a"}"#)
        do {
          try bench.write { writer in
            let id = try writer.number(for: 2)
            let change = TestChange(of: id, isNew: true, values: ["id": .integer(2), "email": .string("a")])
            try writer.apply([change], bench.plan.schema)
            try expect("the pairs", try writer.duplicates(limit: 10).count, is: 1)
          }
          throw Failure(reason: "two objects have the same values")
        } catch let error as UniquenessError {
          try expect("the keys", Set(error.keys), is: [1, 2])
          try expect("the values", error.values, is: [.string("a")])
        }
        try expect("the objects", bench.count(), is: 1)
      },
      Check("An index can be dropped by its name") { contract in
        guard let bench = try contract.makeUniqueBench() else { return }
        try bench.load(#"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#)
        guard try bench.listsIndexes() else { return }
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
      Check("An import that skips faults leaves out what was met last of objects with the same values") {
        contract in
        var options = ImportOptions()
        options.faults = .skip
        for (start, payload, left, paths) in Self.skipped {
          guard let bench = try contract.makeUniqueBench() else { return }
          try bench.load(start)
          let report = try bench.load(payload, options: options)
          try expect("the faults of \(payload)", report.errors.map { "\($0.path)" }, is: paths)
          let records = try bench.store.read(bench.plan) { try $0.records("Account") }
          let found = records.map { record -> String in
            guard case .string(let email)? = record["email"] else { return record.key?.description ?? "" }
            return (record.key?.description ?? "") + email
          }
          try expect("the objects after \(payload)", found.joined(separator: " "), is: left)
        }
      },
    ]
  }

  /// The stored objects, the payload, the objects after the import, and the places of the faults.
  private static var skipped: [(start: String, payload: String, left: String, paths: [String])] {
    [
      ("[]", #"[{"id":2,"email":"a"},{"id":1,"email":"a"},{"id":3}]"#, "2a 3", ["$[1]"]),
      (
        #"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#,
        #"[{"id":2,"email":"a"},{"id":3,"email":"c"}]"#, "1a 2b 3c", ["$[0]"]
      ),
      (
        #"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#,
        #"[{"id":1,"email":"b"},{"id":2,"email":"a"}]"#, "1b 2a", []
      ),
      // Each that is left out takes the value of the next.
      (
        #"[{"id":1,"email":"a"},{"id":2,"email":"b"},{"id":3,"email":"c"},{"id":4,"email":"d"}]"#,
        #"[{"id":1,"email":"b"},{"id":2,"email":"c"},{"id":3,"email":"d"}]"#, "1a 2b 3c 4d",
        ["$[0]", "$[1]", "$[2]"]
      ),
      // Objects of two entities, which may have the same numbers.
      (
        "[]",
        #"[{"id":1,"email":"a"},{"id":2,"email":"a"},{"id":3,"team":{"id":1,"name":"x"}},"#
          + #"{"id":4,"team":{"id":2,"name":"x"}}]"#,
        "1a 3 4", ["$[1]", "$[3].team"]
      ),
    ]
  }

  private static var accountKey: Mapping<Record> {
    Mapping("Account", primaryKey: "id") { Attribute("id", .integer) }
  }

  private static func account(_ indexes: [Index]) -> Mapping<Record> {
    Mapping("Account", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Attribute("number", .integer)
      ToOne(
        "team",
        Mapping("Team", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
          Index("name", isUnique: true)
        })
      for index in indexes { index }
    }
  }

  private static var uniqueAccount: Mapping<Record> {
    account([Index("email", isUnique: true), Index("team", "-number", isUnique: true)])
  }

  /// Nil for a store that keeps no unique indexes.
  private func makeUniqueBench() throws -> Bench<S>? {
    let bench = try makeBench(Self.uniqueAccount)
    return bench.store.capabilities.keepsUniqueIndexes ? bench : nil
  }
}

/// The values of objects with unique indexes.
private struct Accounts {
  struct Account {
    var email: String?
    var team: Int?
    var number: Int?
  }

  var byKey: [Int: Account] = [:]

  private static let long = String(repeating: "as long as no entry is, ", count: 30)

  /// Changes or makes an object.
  ///
  /// - Returns: Its JSON.
  mutating func change(_ random: inout SplitMix) -> String {
    let key = random.next(40)
    let email = random.next(30)
    let account = Account(
      email: email < 4 ? nil : (email % 3 == 0 ? Self.long : "") + "\(email)",
      team: random.next(4) == 0 ? nil : random.next(8), number: random.next(6) == 0 ? nil : random.next(9))
    byKey[key] = account
    func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "null" }
    let team = account.team.map { #"{"id":\#($0)}"# }
    return #"{"id":\#(key),"email":\#(text(account.email.map { "\"\($0)\"" })),"team":\#(text(team)),"#
      + #""number":\#(text(account.number))}"#
  }

  var isUnique: Bool {
    let emails = byKey.values.compactMap(\.email)
    let numbers = byKey.values.compactMap { account in
      account.team.flatMap { team in account.number.map { [team, $0] } }
    }
    return Set(emails).count == emails.count && Set(numbers).count == numbers.count
  }
}

extension Bench {
  fileprivate func listsIndexes() throws -> Bool {
    try store.read(plan.schema) { try !$0.indexes(of: 0).isEmpty }
  }

  /// An import that fails, with a fault of an object or of the index.
  fileprivate func expectNotUnique(
    _ json: String, as other: Plan? = nil, options: ImportOptions = ImportOptions()
  ) throws {
    do {
      try load(json, as: other, options: options)
    } catch is UniquenessError {
      return
    } catch let error as MappingError {
      if case .notUnique = error.reason { return }
      throw error
    }
    throw Failure(reason: "two objects have the same values after \(json)")
  }
}
