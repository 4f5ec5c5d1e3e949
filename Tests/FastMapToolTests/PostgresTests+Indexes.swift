#if Postgres
  import TestSupport
  import Testing

  extension PostgresToolTests {
    @Test(
      "drop-index removes an index of a store on a server, and names those that there are",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func dropIndex() throws {
      let place = try ServerPlace()
      let (work, store) = (place.work, place.store)
      defer { place.drop() }
      let attributes =
        #""primaryKey": "id", "attributes": {"id": "integer", "name": "string", "age": "integer"}"#
      try work.write(
        #"""
        {"fastmap": 1, "mappings": {
          "Person": {\#(attributes), "indexes": [["-age", "name"], {"fields": ["name"], "unique": true}]},
          "Plain": {"entity": "Person", \#(attributes)}}}
        """#, to: "mappings.json")
      func load(_ json: String, as mapping: String) throws -> Program.Run {
        try work.run(
          [
            FastMapTool.path, "import", "--store", store, "--mappings", "mappings.json", "--as", mapping,
            "--quiet",
          ], input: json)
      }
      func drop(_ words: String...) throws -> Program.Run {
        try work.run([FastMapTool.path, "drop-index", "--store", store, "--entity"] + words)
      }
      try #expect(load(#"[{"id":1,"name":"a","age":3},{"id":2,"name":"b"}]"#, as: "Person").status == 0)
      for (words, message) in [
        (["Person", "nam"], #"Person has no index named "nam"; did you mean "name"?"#),
        (["Persn", "name"], #"no entity named "Persn"; did you mean "Person"?"#),
      ] {
        let wrong = try work.run([FastMapTool.path, "drop-index", "--store", store, "--entity"] + words)
        #expect(wrong.status == 1 && wrong.errors.contains(message), "\(wrong)")
      }
      try #expect(load(#"{"id":3,"name":"a"}"#, as: "Plain").status == 1)
      for (name, left) in [("name", ["-age,name"]), ("-age,name", [])] {
        let run = try drop("Person", "--", name)
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(run.output == #"dropped the index "\#(name)" of Person"# + "\n")
        let stats = try work.run([FastMapTool.path, "stats", "--store", store]).output
        for name in ["-age,name", "name"] {
          #expect(stats.contains("Person \(name) ") == left.contains(name), "\(stats)")
        }
        try #expect(drop("Person", "--", name).status == 1)
        try #expect(work.run([FastMapTool.path, "check", "--store", store]).status == 0)
      }
      try #expect(load(#"{"id":3,"name":"a"}"#, as: "Plain").status == 0)
      // The next import that declares it finds the two.
      let again = try load(#"{"id":4}"#, as: "Person")
      #expect(again.status == 1 && again.errors.contains(#""name" is unique"#), "\(again)")
    }
  }
#endif
