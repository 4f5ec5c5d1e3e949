extension Suite {
  /// Values of `Codable` types.
  static var values: [Suite] {
    [
      decoding("twitter", "twitter.json", TwitterTimeline.self) { $0.statuses.isEmpty ? 0 : 1 },
      decoding("citm-catalog", "citm_catalog.json", CitmCatalog.self) { $0.performances.isEmpty ? 0 : 1 },
      Suite(
        "values", "people with ten fields each, from a store to structs", base: "sqlite-values",
        size: Size(10_000),
        [
          Candidate("fastmap-values", "FastMap: LMDB store → structs") { stored, _ in
            FastMapValues(stored: stored)
          },
          Candidate("sqlite-values", "SQLite: rows decoded by Codable") { stored, _ in
            SQLiteValues(stored: stored, isByHand: false)
          },
          Candidate("sqlite-rows", "SQLite: rows read by hand") { stored, _ in
            SQLiteValues(stored: stored, isByHand: true)
          },
        ], counts: { ($0.people.count, $0.people.count, 0) }
      ) { size, folder in try StoredPeople(count: size, folder) },
    ]
  }

  private static func decoding<Value: Decodable>(
    _ name: String, _ file: String, _ type: Value.Type, _ count: @escaping (Value) -> Int
  ) -> Suite {
    Suite(
      "decode-\(name)", "root objects of \(file) decoded into structs, again and again", base: "jsondecoder",
      size: Size(4_000_000),
      [
        Candidate("fastmap-decoder", "FastMapDecoder → structs") { text, _ in
          FastMapDecoding(text: text, type: type, count: count)
        },
        Candidate("jsondecoder", "JSONDecoder → structs") { text, _ in
          FoundationDecoding(text: text, type: type, count: count)
        },
        Candidate("fastmap-tree", "FastMap: JSON → tree") { text, _ in FastMapTree(text: text) },
      ], counts: { ($0.expectedCount, $0.count, $0.bytes.count * $0.count) }
    ) { size, _ in RepeatedText(try Corpora.needed(file), atLeast: size) }
  }
}
