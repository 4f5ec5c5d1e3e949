import Foundation

/// The cost of a key in entities of growing size, and of an element in growing lists.
struct Curves: Codable {
  var machine: Machine
  var versions: Versions
  var keys: [KeyFigure]
  var lists: [ListFigure]

  /// One operation on keys, by the size of the entity.
  struct KeyFigure: Codable {
    var keys: String
    var work: String
    var choice: String
    /// By size: the time per key of a batch, in seconds.
    var seconds: [Int: Spread]
    /// The processor time per key.
    var processorSeconds: [Int: Spread]
  }

  /// One operation on a list, by its length, or on a target, by the number of its owners.
  struct ListFigure: Codable {
    var work: String
    /// By length: the time of one import, in seconds.
    var seconds: [Int: Spread]
    /// The processor time of one import.
    var processorSeconds: [Int: Spread]
  }

  /// Keys in a batch.
  static let batch = 1000
  /// Rounds of each figure.
  static let rounds = 15

  /// Does the work of curves in their smallest size.
  static func smoke() throws {
    let folder = try Folder()
    try withExtendedLifetime(folder) {
      for kind in KeyCurve.Kind.allCases {
        var curve = try KeyCurve(kind, 1000, folder)
        _ = try curve.measure(KeyCurve.Choice.usual)
      }
      _ = try ListCurve(100, folder).measure()
      _ = try OwnerCurve(100, folder).measure()
    }
    Console.endProgress()
  }

  static func measure(isLarge: Bool) throws -> Curves {
    var curves = Curves(machine: .current(), versions: .current(), keys: [], lists: [])
    for kind in KeyCurve.Kind.allCases {
      for size in [10_000, 100_000, 1_000_000] + (isLarge ? [10_000_000] : []) {
        let folder = try Folder()
        Console.progress("\(kind.rawValue) keys: making \(size) objects")
        var curve = try KeyCurve(kind, size, folder)
        for (work, samples) in try curve.measure(KeyCurve.Choice.usual + KeyCurve.Choice.more) {
          curves.add(kind, work, size, samples)
        }
      }
    }
    for length in [100, 1000, 10_000, 100_000, 1_000_000] {
      let folder = try Folder()
      Console.progress("lists: \(length)")
      for (work, samples) in try ListCurve(length, folder).measure() { curves.add(work, length, samples) }
      for (work, samples) in try OwnerCurve(length, folder).measure() { curves.add(work, length, samples) }
    }
    Console.endProgress()
    curves.machine.loadAtEnd = Machine.load()
    return curves
  }

  private mutating func add(_ kind: KeyCurve.Kind, _ work: KeyCurve.Work, _ size: Int, _ samples: [Sample]) {
    let place =
      keys.firstIndex { $0.keys == kind.rawValue && $0.work == work.name && $0.choice == work.choice }
      ?? keys.endIndex
    if place == keys.endIndex {
      keys.append(
        KeyFigure(
          keys: kind.rawValue, work: work.name, choice: work.choice, seconds: [:], processorSeconds: [:]))
    }
    keys[place].seconds[size] = Spread(samples.map { $0.seconds / Double(work.count) })
    keys[place].processorSeconds[size] = Spread(samples.map { $0.processorSeconds / Double(work.count) })
  }

  private mutating func add(_ work: String, _ length: Int, _ samples: [Sample]) {
    let place = lists.firstIndex { $0.work == work } ?? lists.endIndex
    if place == lists.endIndex { lists.append(ListFigure(work: work, seconds: [:], processorSeconds: [:])) }
    lists[place].seconds[length] = Spread(samples.map(\.seconds))
    lists[place].processorSeconds[length] = Spread(samples.map(\.processorSeconds))
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Curves.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private init(machine: Machine, versions: Versions, keys: [KeyFigure], lists: [ListFigure]) {
    self.machine = machine
    self.versions = versions
    self.keys = keys
    self.lists = lists
  }

  func write(to path: String) throws {
    try KeptJSON.write(self, to: path)
  }
}
