extension Suite {
  /// FastEasyMapping's workload, for every tool.
  static var families: [Suite] {
    [
      families("families", "parents with 10 children each, in key order", size: Size(10_000)),
      families("families-1k", "parents with 10 children each", size: Size(1000)),
      // One subject for each approach. With all of them, a full run would spend minutes in JSONSerialization.
      families(
        "families-100k", "parents with 10 children each", size: Size(short: nil, full: 100_000),
        only: [
          "fastmap-lmdb", "fastmap-objects", "fastmap-elements", "jsondecoder", "jsondecoder-sqlite",
          "simdjson-sqlite", "jansson-elements", "lmdb-puts",
        ]),
      // The order of keys does not matter for readers.
      families(
        "families-shuffled", "parents with 10 children each, in random key order",
        size: Size(short: 5000, full: 10_000),
        areKeysShuffled: true, base: "jsondecoder-sqlite",
        only: ["fastmap-lmdb", "jsondecoder-sqlite", "simdjson-sqlite", "sqlite-json-each"]),
      families("parents", "parents without children", size: Size(10_000), childrenPerParent: 0),
    ]
  }

  /// The cost of indexes of children: none, single ones, two and five.
  static var indexes: [Suite] {
    let choices: [(name: String, title: String, fields: [String])] = [
      ("fastmap-no-index", "no index", []),
      ("fastmap-string-index", "an index of a string", ["string"]),
      ("fastmap-date-index", "an index of a date", ["date"]),
      ("fastmap-integer-index", "an index of an integer", ["int64"]),
      ("fastmap-2-indexes", "both of the string and the date", ["string", "date"]),
      (
        "fastmap-5-indexes", "five: these three, and of two numbers",
        ["string", "date", "double", "int64", "float"]
      ),
    ]
    return [
      Suite(
        "indexes", "parents with 10 children each, with indexes of the children", base: "fastmap-no-index",
        size: Size(10_000),
        choices.map { choice in
          Candidate(choice.name, "FastMap: " + choice.title) {
            try FastMapImport($0, $1, indexes: choice.fields)
          }
        },
        counts: { ($0.parentCount, $0.objectCount, $0.json.count) }
      ) { size, _ in Families(Families.Shape(parents: size)) }
    ]
  }

  /// Instances into a store, beside an import of their JSON.
  static var inserts: Suite {
    Suite(
      "inserts", "parents without children, from JSON and from instances", base: "fastmap-lmdb-one-core",
      size: Size(10_000),
      [
        Candidate("fastmap-lmdb-one-core", "FastMap: JSON → new LMDB store, on one core") {
          try FastMapImport($0, $1, readsAhead: false)
        },
        Candidate("fastmap-inserts", "FastMap: instances → new LMDB store, inserted") {
          FamilyInserts(families: $0, folder: $1, updates: false)
        },
        Candidate("fastmap-upserts", "FastMap: instances → new LMDB store, inserted or updated") {
          FamilyInserts(families: $0, folder: $1, updates: true)
        },
      ], counts: { ($0.parentCount, $0.objectCount, $0.json.count) }
    ) { size, _ in Families(Families.Shape(parents: size, childrenPerParent: 0)) }
  }

  private static var familyCandidates: [Candidate<Families>] {
    [
      Candidate("fastmap-lmdb", "FastMap: JSON → new LMDB store") { try FastMapImport($0, $1) },
      Candidate("fastmap-lmdb-one-core", "FastMap: JSON → new LMDB store, on one core") {
        try FastMapImport($0, $1, readsAhead: false)
      },
      Candidate("fastmap-objects", "FastMap: JSON → classes") { families, _ in
        FastMapObjects(families: families)
      },
      Candidate("fastmap-objects-one-core", "FastMap: JSON → classes, on one core") { families, _ in
        FastMapObjects(families: families, readsAhead: false)
      },
      Candidate("fastmap-records", "FastMap: JSON → records") { families, _ in try FastMapRecords(families) },
      Candidate("fastmap-tree", "FastMap: JSON → tree") { families, _ in
        FastMapTree(text: RepeatedText(families.json))
      },
      Candidate("fastmap-elements", "FastMap: JSON → trees, parent by parent") { families, _ in
        FastMapElements(families: families)
      },
      Candidate("jsondecoder", "JSONDecoder → structs") { families, _ in FoundationDecoder(families) },
      Candidate("jsondecoder-classes", "JSONDecoder → classes, uniqued") { families, _ in
        FoundationUniquing(families)
      },
      Candidate("jsonserialization", "JSONSerialization") { families, _ in
        FoundationSerialization(RepeatedText(families.json))
      },
      Candidate("jsonserialization-classes", "JSONSerialization → classes, uniqued") { families, _ in
        FoundationMapping(families)
      },
      Candidate("jsondecoder-sqlite", "JSONDecoder → SQLite upserts") { FoundationSQLite($0, $1) },
      Candidate("sqlite-json-each", "SQLite: json_each upserts") { SQLiteJSONEach(families: $0, folder: $1) },
      Candidate("simdjson-sqlite", "C++: simdjson → SQLite upserts") {
        SimdjsonSQLite(text: PaddedText($0.json), folder: $1)
      },
      Candidate("simdjson", "simdjson's tree") { families, _ in Simdjson(RepeatedText(families.json)) },
      Candidate("jansson", "jansson load + free") { families, _ in Jansson(text: RepeatedText(families.json))
      },
      Candidate("jansson-elements", "jansson load + free, parent by parent") { families, _ in
        JanssonElements(families: families)
      },
      Candidate("lmdb-puts", "LMDB puts of the records alone") { try LMDBPuts($0, $1) },
    ]
  }

  private static func families(
    _ name: String, _ title: String, size: Size, childrenPerParent: Int = 10, areKeysShuffled: Bool = false,
    base: String = "jsondecoder", only: Set<String>? = nil
  ) -> Suite {
    Suite(
      name, title, base: base, size: size, familyCandidates.filter { only?.contains($0.name) ?? true },
      counts: { ($0.parentCount, $0.objectCount, $0.json.count) }
    ) { size, _ in
      Families(
        Families.Shape(parents: size, childrenPerParent: childrenPerParent, areKeysShuffled: areKeysShuffled))
    }
  }

  /// The cost of setting one property: 8 properties of each object, 100 times.
  static var attributes: Suite {
    Suite(
      "attributes", "objects with 8 properties, each set 100 times", base: "closures-by-hand",
      size: Size(10_000),
      [
        Candidate("fastmap-attributes", "FastMap: attributes") { size, _ in
          AttributeCost(objectCount: size, isByHand: false)
        },
        Candidate("closures-by-hand", "closures written by hand") { size, _ in
          AttributeCost(objectCount: size, isByHand: true)
        },
      ], counts: { ($0, $0 * Sheet.values.count * AttributeCost.sweeps, 0) }
    ) { size, _ in size }
  }
}
