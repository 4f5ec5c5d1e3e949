internal import FastMapCore

extension StoreContract {
  static var conflictChecks: [Check] {
    [
      Check(
        "A write that a conflict ends, at any question, changes nothing, and is repeated with the same result"
      ) {
        contract in
        let whole = try contract.makeBench()
        try whole.load(Conflicting.start)
        let expected = try whole.load(Conflicting.payload)
        let found = try whole.showAll()
        var isReached = true
        var place = 0
        while isReached {
          let bench = try contract.makeBench()
          try bench.load(Conflicting.start)
          let before = try bench.showAll()
          let questions = Tally()
          let store = ObservedStore(bench.store) { [place] question in
            guard question.isInWrite, questions.add() == place + 1 else { return }
            throw ConflictError("made by the check at \(question.kind)")
          }
          let observed = Bench(store: store, plan: bench.plan)
          var options = ImportOptions()
          options.retries = RetryPolicy(attempts: 1)
          let what = "with a conflict at question \(place)"
          do {
            _ = try observed.load(Conflicting.payload, options: options)
            isReached = false
          } catch let conflict as ConflictError {
            try expect("what is stored, \(what) (\(conflict.reason))", bench.showAll(), is: before)
            try bench.expectSound(what)
            let report = try observed.load(Conflicting.payload)
            try expect("the report, \(what)", report.entities, is: expected.entities)
          }
          try expect("what is stored in the end, \(what)", bench.showAll(), is: found)
          place += 1
        }
        try expect(place > 5, "an import asks only \(place) questions")
      },
      Check("A deletion that a conflict ends is repeated with the same result") { contract in
        for place in 0..<4 {
          let bench = try contract.makeBench()
          try bench.load(Conflicting.start)
          let questions = Tally()
          let store = ObservedStore(bench.store) { question in
            guard question.isInWrite, questions.add() == place + 1 else { return }
            throw ConflictError("made by the check at \(question.kind)")
          }
          let report = try store.delete(bench.plan.query(of: "Item").keys([1, 3]))
          try expect("the deleted items", report["Item"], is: 3)
          try expect("the deleted notes", report["Note"], is: 2)
          try bench.expectSound("after a deletion that was repeated")
        }
      },
      Check("Each attempt of a write reads what was committed before it") { contract in
        try contract.withTwo { first, second in
          let schema = first.plan.schema
          try first.load(#"{"id":1,"name":"0"}"#)
          for attempt in 0..<3 {
            do {
              try first.store.write(schema) { writer -> TransactionCompletion<Void> in
                try expect("what it reads", writer.reader.show(1, schema), is: "name=\"\(attempt)\"")
                try writer.put(1, name: .string("undone"), schema)
                throw ConflictError("made by the check")
              }
            } catch is ConflictError {}
            try second.expectObject(1, is: "name=\"\(attempt)\"", "after a conflict")
            try second.load(#"{"id":1,"name":"\#(attempt + 1)"}"#)
          }
          try first.expectObject(1, is: #"name="3""#)
        }
      },
    ]
  }
}

/// An import with every sort of question.
private enum Conflicting {
  static let start = """
    [{"id":1,"name":"a","onlyOne":2,"replaced":[3,4],"notes":[{"text":"m"},{"text":"n"}]},
     {"id":4,"replaced":[5]},{"id":6,"one":4},{"id":7,"many":[1,6]}]
    """
  static let payload = """
    [{"id":1,"name":"b","onlyOne":null,"replaced":[8],"notes":[{"text":"o"}]},
     {"id":9,"name":"new","many":[7,9],"merged":[1]},{"id":6,"one":null,"notes":[{}]},{"id":7,"many":[1,6]}]
    """
}

extension Bench {
  fileprivate func showAll() throws -> [String] {
    try store.read(plan.schema) { reader in
      try reader.keys().map { key in "\(key): \(try reader.show(key, plan.schema) ?? "none")" }
    }
  }
}
