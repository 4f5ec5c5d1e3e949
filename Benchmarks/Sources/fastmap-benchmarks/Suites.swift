/// A workload with the subjects that do its work, and what they are compared with.
struct Suite {
  let name: String
  let title: String
  /// The subject whose time the others' are compared with.
  let base: String
  let subjects: [SubjectName]
  let budgets: [Budget]
  /// Makes the workload in a size, which is a number of root objects, and the subjects that were asked for.
  let make: (_ size: Int, _ wanted: Set<String>, _ folder: Folder) throws -> PreparedSuite

  struct SubjectName {
    let name: String
    let title: String
  }

  /// A speed that was promised: `subject` is so many times as fast as `other`.
  struct Budget: Sendable {
    let what: String
    let subject: String
    let other: String
    let ratio: Double
  }
}

struct PreparedSuite {
  let rootCount: Int
  let objectCount: Int
  let byteCount: Int
  let subjects: [(name: String, subject: any Subject)]
}

// MARK: - What there is

extension Suite {
  /// All suites. A new workload gets a function like `families`, and a new subject one line in it.
  static var all: [Suite] {
    [
      families("families", "parents with 10 children each, in the order of their keys", budgets: budgets),
      // The order of keys is nothing to those who only read.
      families(
        "families-shuffled", "parents with 10 children each, in no order of keys", areKeysShuffled: true,
        base: "jsondecoder-sqlite", only: ["fastmap-lmdb", "fastmap-again", "jsondecoder-sqlite"]),
      families("parents", "parents without children", childrenPerParent: 0),
      attributes,
    ]
  }

  /// What FastMap set out to reach, as far as it can be measured today.
  private static let budgets = [
    Budget(what: "bytes → tree", subject: "fastmap-tree", other: "jansson", ratio: 8),
    Budget(what: "bytes → objects", subject: "fastmap-objects", other: "jsondecoder", ratio: 5),
    Budget(what: "bytes → objects", subject: "fastmap-objects", other: "jsonserialization", ratio: 8),
    Budget(what: "bytes → LMDB", subject: "fastmap-lmdb", other: "jsondecoder-sqlite", ratio: 8),
    Budget(what: "the same again", subject: "fastmap-again", other: "fastmap-lmdb", ratio: 1),
  ]

  /// What it costs to set one property: 8 properties of each object, 100 times.
  private static var attributes: Suite {
    let known: [(name: String, title: String, isByHand: Bool)] = [
      ("fastmap-attributes", "FastMap: attributes", false),
      ("closures-by-hand", "closures written by hand", true),
    ]
    return Suite(
      name: "attributes", title: "objects with 8 properties, each set 100 times", base: "closures-by-hand",
      subjects: known.map { SubjectName(name: $0.name, title: $0.title) },
      budgets: [
        Budget(what: "an attribute", subject: "fastmap-attributes", other: "closures-by-hand", ratio: 0.5)
      ]
    ) { size, wanted, _ in
      PreparedSuite(
        rootCount: size, objectCount: size * Sheet.values.count * AttributeCost.sweeps, byteCount: 0,
        subjects: known.filter { wanted.contains($0.name) }.map {
          ($0.name, AttributeCost(objectCount: size, isByHand: $0.isByHand))
        })
    }
  }

  private static func families(
    _ name: String, _ title: String, childrenPerParent: Int = 10, areKeysShuffled: Bool = false,
    base: String = "jsondecoder", only: Set<String>? = nil, budgets: [Budget] = []
  ) -> Suite {
    typealias Make = (Families, Folder) throws -> any Subject
    let known: [(name: String, title: String, make: Make)] = [
      ("fastmap-lmdb", "FastMap: JSON → new LMDB store", { try FastMapImport($0, $1) }),
      (
        "fastmap-lmdb-one-core", "FastMap: the same on one core",
        { try FastMapImport($0, $1, readsAhead: false) }
      ),
      ("fastmap-again", "FastMap: the same again", { try FastMapAgain($0, $1) }),
      ("fastmap-objects", "FastMap: JSON → objects", { families, _ in FastMapObjects(families: families) }),
      (
        "fastmap-objects-one-core", "FastMap: the same on one core",
        { families, _ in FastMapObjects(families: families, readsAhead: false) }
      ),
      ("fastmap-tree", "FastMap: JSON → tree", { families, _ in FastMapTree(families: families) }),
      ("jsondecoder", "JSONDecoder → structs", { families, _ in FoundationDecoder(families) }),
      ("jsonserialization", "JSONSerialization", { families, _ in FoundationSerialization(families) }),
      ("jsondecoder-sqlite", "JSONDecoder → SQLite upserts", { FoundationSQLite($0, $1) }),
      ("jansson", "jansson load + free", { families, _ in Jansson(families: families) }),
      ("lmdb-puts", "LMDB puts alone", { LMDBPuts(families: $0, folder: $1) }),
    ]
    let subjects = known.filter { only?.contains($0.name) ?? true }
    return Suite(
      name: name, title: title, base: base,
      subjects: subjects.map { SubjectName(name: $0.name, title: $0.title) },
      budgets: budgets
    ) { size, wanted, folder in
      let families = Families(
        parents: size, childrenPerParent: childrenPerParent, areKeysShuffled: areKeysShuffled)
      return PreparedSuite(
        rootCount: families.parentCount, objectCount: families.objectCount, byteCount: families.json.count,
        subjects: try subjects.filter { wanted.contains($0.name) }.map {
          ($0.name, try $0.make(families, folder))
        })
    }
  }
}
