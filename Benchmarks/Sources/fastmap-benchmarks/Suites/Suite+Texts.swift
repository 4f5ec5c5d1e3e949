extension Suite {
  /// Parsing texts into trees, independent of their content.
  static var texts: [Suite] {
    let corpora = [
      ("twitter", "twitter.json"), ("citm-catalog", "citm_catalog.json"),
      ("bestbuy-categories", "bestbuy_categories.json"), ("github-events", "github_events.json"),
      ("canada", "canada.json"),
    ]
    return [
      reading("read-families", "FastEasyMapping's workload") { Families(Families.Shape(parents: 1000)).json }
    ]
      + corpora.map { name, file in reading("read-\(name)", file) { try Corpora.needed(file) } }
  }

  private static func reading(_ name: String, _ title: String, _ text: @escaping () throws -> [UInt8])
    -> Suite
  {
    Suite(
      name, "root objects in all of \(title), read again and again", base: "jansson", size: Size(4_000_000),
      [
        Candidate("fastmap-tree", "FastMap: JSON → tree") { text, _ in FastMapTree(text: text) },
        Candidate("jansson", "jansson load + free") { text, _ in Jansson(text: text) },
        Candidate("jsonserialization", "JSONSerialization") { text, _ in FoundationSerialization(text) },
        Candidate("simdjson", "simdjson's tree") { text, _ in Simdjson(text) },
      ], counts: { ($0.expectedCount, $0.count, $0.bytes.count * $0.count) }
    ) { size, _ in RepeatedText(try text(), atLeast: size) }
  }

  /// Texts with an unusual shape.
  static var shapes: [Suite] {
    [
      shaped("geo", "features with outlines of 100 points", size: 2000) { try .geo($0) },
      shaped("wide", "objects of 100 members, 5 of them mapped", size: 4000) { try .wide($0) },
      shaped("deep", "chains of \(ShapedText.depth) nested objects", size: 1000) {
        try .deep($0)
      },
    ]
  }

  private static func shaped(
    _ name: String, _ title: String, size: Int, _ text: @escaping (Int) throws -> ShapedText
  ) -> Suite {
    Suite(
      name, title, base: "jsondecoder", size: Size(short: size, full: size * 5),
      [
        Candidate("fastmap-lmdb", "FastMap: JSON → new LMDB store") { FastMapShaped(text: $0, folder: $1) },
        Candidate("fastmap-records", "FastMap: JSON → records") { text, _ in FastMapShapedRecords(text: text)
        },
        Candidate("fastmap-tree", "FastMap: JSON → tree") { text, _ in
          FastMapTree(text: RepeatedText(text.json))
        },
        Candidate("jsondecoder", "JSONDecoder → structs") { text, _ in FoundationShaped(text) },
        Candidate("jsonserialization", "JSONSerialization") { text, _ in
          FoundationSerialization(RepeatedText(text.json))
        },
        Candidate("simdjson", "simdjson's tree") { text, _ in Simdjson(RepeatedText(text.json)) },
        Candidate("jansson", "jansson load + free") { text, _ in Jansson(text: RepeatedText(text.json)) },
      ], counts: { ($0.rootCount, $0.objectCount, $0.json.count) }
    ) { size, _ in try text(size) }
  }

  /// Public texts repeated many times, page by page, and each once more with later changes.
  static var replays: [Suite] { ReplaySource.names.flatMap { [replay($0), replayAfter($0)] } }

  private static func replay(_ name: String) -> Suite {
    var candidates: [Candidate<Replay>] = [
      Candidate("fastmap-lmdb", "FastMap: pages → new LMDB store") {
        FastMapReplay(replay: $0, folder: $1)
      },
      Candidate("fastmap-records", "FastMap: pages → records") { replay, _ in
        FastMapReplayRecords(replay: replay)
      },
    ]
    if name == "twitter" {
      candidates.append(
        Candidate("jsondecoder-sqlite", "JSONDecoder → SQLite upserts") { TwitterSQLite($0, $1) })
    }
    candidates += [
      Candidate("jsonserialization", "JSONSerialization") { replay, _ in FoundationReplay(replay.pages) },
      Candidate("jansson", "jansson load + free") { replay, _ in JanssonReplay(pages: replay.pages) },
    ]
    return Suite(
      "replay-\(name)", "root objects of \(name) in pages of \(Replay.pageSize)", base: "jsonserialization",
      size: replaySize(name), candidates, counts: { ($0.rootCount, $0.rootCount, $0.byteCount) }
    ) { size, _ in
      let replay = try makeReplay(name, roots: size)
      Console.note("replay-\(name): \(replay.counts.ofPages)")
      return replay
    }
  }

  private static func replayAfter(_ name: String) -> Suite {
    let candidates: [Candidate<Replay>] = [
      Candidate("fastmap-after", "FastMap: later payload → LMDB store with the pages") {
        FastMapReplayAfter(replay: $0, folder: $1)
      },
      Candidate("jsonserialization", "JSONSerialization") { replay, _ in FoundationReplay(replay.after) },
      Candidate("jansson", "jansson load + free") { replay, _ in JanssonReplay(pages: replay.after) },
    ]
    return Suite(
      "replay-\(name)-after", "root objects of \(name) sent later, in pages of \(Replay.pageSize)",
      base: "jsonserialization", size: replaySize(name), candidates,
      counts: { ($0.afterCount, $0.afterCount, $0.afterByteCount) }
    ) { size, _ in
      let replay = try makeReplay(name, roots: size)
      Console.note("replay-\(name)-after: \(replay.counts.ofAfter)")
      return replay
    }
  }

  private static func replaySize(_ name: String) -> Size {
    let sizes = ["twitter": 1000, "bestbuy": 9000, "github": 3000, "citm": 1000]
    let size = sizes[name] ?? 1000
    return Size(short: size, full: size * 10)
  }

  private static func makeReplay(_ name: String, roots: Int) throws -> Replay {
    guard let source = try ReplaySource.named(name) else {
      throw Skipped(description: "no source \(name)")
    }
    let replay = try Replay(source, roots: roots)
    Console.endProgress()
    return replay
  }
}
