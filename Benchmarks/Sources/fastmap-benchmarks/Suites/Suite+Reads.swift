extension Suite {
  /// Reads from a store.
  static var reads: [Suite] {
    [
      reads(
        "get", "random keys, one attribute each", base: "lmdb-gets", .keys(20_000),
        [
          Candidate("fastmap-gets", "FastMap: one attribute lent") { stored, _ in FastMapGets(stored: stored)
          },
          Candidate("fastmap-single-gets", "FastMap: one attribute lent, a snapshot for each") { stored, _ in
            FastMapSingleGets(stored: stored)
          },
          Candidate("fastmap-records", "FastMap: records") { stored, _ in FastMapRecordReads(stored: stored)
          },
          Candidate("fastmap-objects", "FastMap: instances of a class") { stored, _ in
            FastMapObjectReads(stored: stored)
          },
          Candidate("sqlite-gets", "SQLite: prepared select") { stored, _ in SQLiteGets(stored: stored) },
          Candidate("lmdb-gets", "mdb_get alone") { stored, _ in LMDBGets(stored: stored) },
        ]),
      reads(
        "get-cold", "random keys, one attribute each, files not in memory, opening included",
        base: "lmdb-gets", .keys(1000),
        [
          Candidate("fastmap-gets", "FastMap: one attribute lent") { stored, _ in
            FastMapGets(stored: stored, isCold: true)
          },
          Candidate("sqlite-gets", "SQLite: prepared select") { stored, _ in
            SQLiteGets(stored: stored, isCold: true)
          },
          Candidate("lmdb-gets", "mdb_get alone") { stored, _ in LMDBGets(stored: stored, isCold: true) },
        ]),
      reads(
        "range", "children in a key range, in key order, one attribute each", base: "lmdb-range",
        .range,
        [
          Candidate("fastmap-range", "FastMap: one attribute lent") { stored, _ in
            FastMapRange(stored: stored, range: stored.middleHalf)
          },
          Candidate("sqlite-range", "SQLite: select … between") { stored, _ in
            SQLiteRange(stored: stored, range: stored.middleHalf)
          },
          Candidate("lmdb-range", "LMDB's cursor alone") { stored, _ in
            LMDBRange(stored: stored, range: stored.middleHalf)
          },
        ]),
      reads(
        "export", "parents with 10 children each, from a store to JSON text", base: "fastmap-lmdb", .all,
        [
          Candidate("fastmap-export", "FastMap: LMDB store → JSON") { stored, _ in
            FastMapExport(stored: stored)
          },
          Candidate("sqlite-export", "SQLite: json_object, json_group_array") { stored, _ in
            SQLiteExport(stored: stored)
          },
          Candidate("jsonencoder", "JSONEncoder, from structs in memory") { stored, _ in
            try FoundationEncoder(stored)
          },
          Candidate("fastmap-lmdb", "FastMap: the import, for comparison") {
            try FastMapImport($0.families, $1)
          },
        ]),
    ]
  }

  /// The part of a store to read.
  private enum Choice {
    case keys(Int)
    case range
    case all
  }

  private static func reads(
    _ name: String, _ title: String, base: String, _ choice: Choice, _ candidates: [Candidate<StoredFamilies>]
  ) -> Suite {
    Suite(
      name, title, base: base, size: Size(10_000), candidates,
      counts: { stored in
        switch choice {
        case .keys: (stored.keys.count, stored.keys.count, 0)
        case .range: (stored.middleHalf.count, stored.middleHalf.count, 0)
        case .all: (stored.families.parentCount, stored.families.objectCount, stored.families.json.count)
        }
      }
    ) { size, folder in
      var keyCount = 0
      if case .keys(let count) = choice { keyCount = count }
      return try StoredFamilies(Families(Families.Shape(parents: size)), keyCount: keyCount, folder)
    }
  }
}
