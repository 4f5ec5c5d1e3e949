/// A workload with its subjects, and the base of the comparison.
struct Suite {
  let name: String
  let title: String
  /// The subject that the report compares the others with.
  let base: String
  let subjects: [SubjectName]
  /// The number of root objects in a short run, in a full one and in a smoke run.
  let size: Size
  /// Makes the workload in a size, which is a number of root objects, and the requested subjects.
  let make: (_ size: Int, _ wanted: Set<String>, _ folder: Folder) throws -> PreparedSuite

  struct SubjectName {
    let name: String
    let title: String
  }

  struct Size {
    /// Nil if a short run skips the suite.
    var short: Int?
    var full: Int
    /// The least with which every subject has all its kinds of work.
    var smoke: Int

    init(_ size: Int, smoke: Int = 100) { (short, full, self.smoke) = (size, size, smoke) }
    init(short: Int?, full: Int) { (self.short, self.full, smoke) = (short, full, 100) }
  }

  /// A subject that a suite offers for its workload.
  struct Candidate<Workload> {
    let name: String
    let title: String
    let make: (Workload, Folder) throws -> any Subject

    init(_ name: String, _ title: String, _ make: @escaping (Workload, Folder) throws -> any Subject) {
      self.name = name
      self.title = title
      self.make = make
    }
  }

  init<Workload>(
    _ name: String, _ title: String, base: String, size: Size, _ candidates: [Candidate<Workload>],
    counts: @escaping (Workload) -> (roots: Int, objects: Int, bytes: Int),
    workload: @escaping (_ size: Int, _ folder: Folder) throws -> Workload
  ) {
    let present = candidates.filter { PaddedText.isKnown || !$0.name.hasPrefix("simdjson") }
    self.name = name
    self.title = title
    self.base = base
    self.size = size
    subjects = present.map { SubjectName(name: $0.name, title: $0.title) }
    make = { size, wanted, folder in
      let workload = try workload(size, folder)
      let (roots, objects, bytes) = counts(workload)
      return PreparedSuite(
        rootCount: roots, objectCount: objects, byteCount: bytes,
        subjects: try present.filter { wanted.contains($0.name) }.map {
          ($0.name, try $0.make(workload, folder))
        })
    }
  }
}

struct PreparedSuite {
  let rootCount: Int
  let objectCount: Int
  let byteCount: Int
  let subjects: [(name: String, subject: any Subject)]
}

extension Suite {
  /// All suites. A new workload needs a function like `families`, and a new subject one line in it.
  static var all: [Suite] {
    families + indexes + updates + reads + queries + contexts + texts + shapes + replays + values + [
      attributes, inserts,
    ]
  }
}
