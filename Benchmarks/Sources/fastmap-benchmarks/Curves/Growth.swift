import FastMapCore
import FastMapLMDB
import Foundation

/// The cost of a growing import, and then of one key in the resulting store.
struct Growth: Codable {
  var imports: [Import]
  var keys: [Key]

  struct Import: Codable {
    var records: Int
    var byteCount: Int
    /// The time per record.
    var secondsPerRecord: Spread
    /// The peak of anonymous memory above its size before the first import. It includes this import's memory beside
    /// LMDB's map, and the memory that earlier imports kept.
    var peakAnonymousBytes: Int?
    var fileBytes: Int
  }

  /// One key of a batch, in the smallest and the largest store.
  struct Key: Codable {
    var work: String
    var choice: String
    var smallSeconds: Spread
    var largeSeconds: Spread
    /// The ratio of processor times to the small store, without waiting for the disk.
    var processorRatio: Double?

    var ratio: Double { largeSeconds.median / smallSeconds.median }
  }

  /// The number of root objects per transaction.
  static let commitInterval = 20_000

  static func measure(upTo largest: Int) throws -> Growth {
    var growth = Growth(imports: [], keys: [])
    let memory = AnonymousMemory.bytes
    var samples: [[(KeyCurve.Work, [Sample])]] = []
    let sizes = [10_000, 100_000, 1_000_000, 10_000_000].filter { $0 <= largest }
    for size in sizes {
      let folder = try Folder()
      Console.progress("growth: an import of \(Figures.grouped(size)) records")
      var store: GrowingStore?
      var runs: [GrowingStore] = []
      for _ in 0..<max(1, min(5, 300_000 / size)) {
        store = nil
        store = try GrowingStore(size, at: folder.newPath("growth"), above: memory)
        if let store { runs.append(store) }
        try Interruption.check()
      }
      guard let store, let seconds = Spread(runs.map { $0.seconds / Double(size) }) else { continue }
      growth.imports.append(
        Import(
          records: size, byteCount: store.byteCount, secondsPerRecord: seconds,
          peakAnonymousBytes: runs.compactMap(\.peakAnonymousBytes).max(), fileBytes: folder.byteCount))
      if size == sizes.first || size == sizes.last {
        sync()  // writes pending from the import do not count for the keys
        var curve = KeyCurve(adopting: store.store, store.plan, size)
        samples.append(try curve.measure())
      }
    }
    Console.endProgress()
    guard samples.count == 2 else { return growth }
    growth.keys = zip(samples[0], samples[1]).compactMap { small, large in
      guard let smallSeconds = Spread(small.1.map { $0.seconds / Double(small.0.count) }),
        let largeSeconds = Spread(large.1.map { $0.seconds / Double(large.0.count) })
      else { return nil }
      return Key(
        work: small.0.name, choice: small.0.choice, smallSeconds: smallSeconds, largeSeconds: largeSeconds,
        processorRatio: Spread(small.1.map(\.processorSeconds)).flatMap { small in
          Spread(large.1.map(\.processorSeconds)).map { $0.median / small.median }
        })
    }
    return growth
  }
}

/// A store that one import has created, and the cost of that import.
private final class GrowingStore {
  let store: LMDBStore
  let plan: Plan
  let seconds: Double
  let byteCount: Int
  let peakAnonymousBytes: Int?

  /// - Parameter before: The size of anonymous memory before all imports.
  init(_ size: Int, at path: String, above before: Int?) throws {
    plan = try Plan(
      Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("name", .string)
        Attribute("count", .integer)
        Attribute("score", .number)
        Attribute("created", .date(.iso8601))
      })
    store = try LMDBStore(at: path)
    let text = try PipedRecords(size)
    let memory = AnonymousMemory(above: before)
    var options = ImportOptions()
    options.commitInterval = Growth.commitInterval
    let clock = ContinuousClock()
    let start = clock.now
    let report = try Mapper(store).importJSON(.descriptor(text.descriptor), as: plan, options: options)
    seconds = start.duration(to: clock.now) / .seconds(1)
    peakAnonymousBytes = memory.stop()
    byteCount = text.finish()
    try WrongOutcome.check(report["Item"]?.inserted == size, "\(size) new objects")
  }
}

extension Growth {
  var table: Table {
    var table = Table(header: [
      "records of one import", "JSON", "a record", "peak memory beside the map", "files",
    ])
    for point in imports {
      table.rows.append([
        Figures.grouped(point.records), Figures.megabytes(point.byteCount),
        Figures.microseconds(point.secondsPerRecord.median),
        point.peakAnonymousBytes.map(Figures.megabytes) ?? "", Figures.megabytes(point.fileBytes),
      ])
    }
    return table
  }

  var keyTable: Table {
    let small = Figures.grouped(imports.first?.records ?? 0)
    let large = Figures.grouped(imports.last?.records ?? 0)
    var table = Table(header: ["work", "keys", "among \(small)", "among \(large)", "ratio"])
    for key in keys {
      table.rows.append([
        key.work, key.choice, Figures.microseconds(key.smallSeconds.median),
        Figures.microseconds(key.largeSeconds.median), Figures.times(key.ratio),
      ])
    }
    return table
  }

  /// The figures are present only if the measurement went far enough.
  static func budgets(of growth: Growth?) -> [Budget] {
    let growth = growth?.imports.last.map { $0.records >= 10_000_000 } ?? false ? growth : nil
    var budgets: [Budget] = []
    func add(
      _ what: String, _ comparison: String, _ promised: Double, _ unit: String, _ found: Double?,
      ofProcessor: Double? = nil
    ) {
      budgets.append(
        Budget(
          what: what, comparison: comparison, promised: promised, isMost: true, unit: unit,
          found: found.flatMap { Spread([$0]) }, foundOfProcessor: ofProcessor.flatMap { Spread([$0]) },
          reason: growth == nil ? "without 10⁷ records" : nil))
    }
    for choice in ["one alone", "random"] {
      for (work, promised) in [("look up", 4.0), ("update", 8), ("insert", 8)] {
        let key = growth?.keys.first { $0.work == work && $0.choice == choice }
        add(
          "one key among 10⁷", "\(work), \(choice): cost to that among 10⁴",
          choice == "random" ? promised : 3, "×",
          key?.ratio,
          ofProcessor: key?.processorRatio)
      }
    }
    let (first, last) = (growth?.imports.first, growth?.imports.last)
    add(
      "growth of an import", "time of a record among 10⁷ to that among 10⁴", 1.5, "×",
      first.flatMap { first in last.map { $0.secondsPerRecord.median / first.secondsPerRecord.median } })
    let peak = last.flatMap { $0.byteCount >= 1_000_000_000 ? $0.peakAnonymousBytes : nil }
    add(
      "memory for 1 GB of input",
      "beside LMDB's map, a commit each \(Figures.grouped(commitInterval)) records",
      64, "MB", peak.map { Double($0) / 1e6 })
    return budgets
  }
}
