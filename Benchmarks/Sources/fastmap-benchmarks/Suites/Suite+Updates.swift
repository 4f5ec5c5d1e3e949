import FastMapCore

extension Suite {
  /// Payloads into stores with the previous payload.
  static var updates: [Suite] {
    let changed: ClosedRange<Int> = 1...Int.max
    return [
      updates(
        "again", "parents with 10 children each, the same as before", Outcome(changed: 0...0, commits: false)
      ) {
        try Payloads($0, make: { [first = $0] _ in first })
      },
      updates(
        "update-1-percent", "parents with 10 children each, 1 % of all different", Outcome(changed: changed)
      ) {
        try Payloads($0, make: Payloads.alternating($0, Families(changing($0.shape, perTenThousand: 100))))
      },
      updates("update-all", "parents with 10 children each, all different", Outcome(changed: changed)) {
        try Payloads($0, make: Payloads.alternating($0, Families(changing($0.shape, perTenThousand: 10_000))))
      },
      updates(
        "merge", "parents with 2 new children each, merged into their lists", Outcome(changed: changed)
      ) {
        first in
        try Payloads(first, policy: .merge, old: .kept(firstPosition: 1000)) { round in
          var shape = first.shape
          shape.childrenPerParent = 2
          shape.newChildren = round
          return Families(shape)
        }
      },
      updates(
        "replace", "parents with 10 children each, 2 of them replaced and deleted",
        Outcome(changed: changed, deleted: 2), without: ["simdjson-sqlite"]
      ) {
        var shape = $0.shape
        shape.replacedChildren = 2
        return try Payloads(
          $0, policy: .replace, old: .deleted, make: Payloads.alternating($0, Families(shape)))
      },
    ]
  }

  private static func changing(_ shape: Families.Shape, perTenThousand: Int) -> Families.Shape {
    var shape = shape
    shape.changedPerTenThousand = perTenThousand
    shape.revision = 1
    return shape
  }

  /// - Parameter outcome: `deleted` is for each parent.
  private static func updates(
    _ name: String, _ title: String, _ outcome: Outcome, without: Set<String> = [],
    _ payloads: @escaping (Families) throws -> Payloads
  ) -> Suite {
    func all(_ payloads: Payloads) -> Outcome {
      var outcome = outcome
      outcome.deleted *= payloads.first.parentCount
      return outcome
    }
    let candidates: [Candidate<Payloads>] = [
      Candidate("fastmap-lmdb", "FastMap: JSON → LMDB store") { try FastMapUpdates($0, all($0), $1) },
      Candidate("fastmap-new", "FastMap: JSON → new LMDB store") { payloads, folder in
        try FastMapImport(payloads.first, folder)
      },
      Candidate("fastmap-objects", "FastMap: JSON → classes") { payloads, _ in
        try FastMapObjectUpdates(payloads, all(payloads))
      },
      Candidate("jsondecoder-sqlite", "JSONDecoder → SQLite upserts") { try FoundationSQLiteUpdates($0, $1) },
      Candidate("simdjson-sqlite", "C++: simdjson → SQLite upserts") { try SimdjsonSQLiteUpdates($0, $1) },
    ]
    return Suite(
      name, title, base: "jsondecoder-sqlite", size: Size(short: 5000, full: 10_000),
      candidates.filter { !without.contains($0.name) && ($0.name != "fastmap-new" || name == "again") },
      counts: {
        let payload = $0.payload(1)
        return (payload.parentCount, payload.objectCount, payload.json.count)
      }
    ) { size, _ in try payloads(Families(Families.Shape(parents: size))) }
  }
}
