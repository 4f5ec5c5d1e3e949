/// The positions of the objects of an entity in a dump, from 1. Consecutive numbers at consecutive positions take 16 bytes
/// together.
struct ObjectPositions {
  private struct Run {
    let first: UInt64
    let position: UInt32
    var count: UInt32
  }

  /// Ascending by number.
  private var runs: [Run] = []

  init() {}

  /// Goes through the objects in the order of a dump.
  init<R: StoreReader>(of entity: Int, _ reader: inout R) throws {
    var (runs, last): ([Run], UInt32) = ([], 0)
    try reader.forEachPage(of: entity, keys: nil, isDescending: false, pageSize: PageSize.ofNumbers) {
      _, page in
      for id in page.ids {
        guard last < .max else { throw DumpError("an entity of a dump has at most \(UInt32.max) objects") }
        last += 1
        if let run = runs.last, run.first &+ UInt64(run.count) == id.rawValue {
          runs[runs.count - 1].count += 1
        } else {
          runs.append(Run(first: id.rawValue, position: last, count: 1))
        }
      }
      return true
    }
    runs.sort { $0.first < $1.first }
    self.runs = runs
  }

  /// Nil for an object that is not there.
  subscript(id: ObjectID) -> Int? {
    let next = runs.partitioningIndex { $0.first > id.rawValue }
    guard next > 0 else { return nil }
    let run = runs[next - 1]
    let offset = id.rawValue - run.first
    return offset < run.count ? Int(run.position) + Int(offset) : nil
  }
}
