import FastMapCore
import FastMapLMDB
import FastMapMemory
import FastMapModels

#if SQLite
  import FastMapSQLite
#endif

/// Imports random payloads in which forms meet in one object, by turns in memory, on LMDB and on SQLite.
enum MeetingCampaign {
  static let rule = "store as in the model, for any commits and twice; equal copies; each pair of forms met"

  static let campaign = Campaign(
    name: "meetings", title: "random payloads in which forms meet in one object, on three stores",
    cases: .count("sequences"), rule: rule
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    var places = 0
    func place() -> String {
      places += 1
      return "\(scratch.path)/\(places)"
    }
    var makers: [() throws -> any Store] = [{ MemoryStore() }, { try LMDBStore(at: place()) }]
    #if SQLite
      makers.append { try SQLiteStore(at: place()) }
    #endif
    var turn = 0
    try repeated(run, total: run.count(short: 600, long: 100_000), scratch) {
      try makers[turn % makers.count]()
    } after: {
      turn += 1
      for number in 0...places { scratch.clear("\(scratch.path)/\(number)") }
      places = 0
    }
  }

  /// Plays sequences of four payloads, each done twice, and reports how often each pair of forms has met.
  ///
  /// - Parameter after: Called after every 30 sequences. Stores of the calls before may go.
  static func repeated(
    _ run: Run, total: Int, _ scratch: Scratch, on makeStore: () throws -> any Store, after: () -> Void
  ) throws {
    var random = SeededNumbers(seed: run.seed)
    let meetings = Meetings()
    var done = 0
    while done < total, run.goesOn(done, of: total, "sequences") {
      do {
        try FormRun.check(number: done, seed: random.next(), steps: 8) {
          let store = try makeStore()
          // SQLite's tables do not tell the entities.
          let dump = store is any PersistentStore || store is MemoryStore ? scratch.path + "/dump" : nil
          return MeetingPlayer(store: store, twin: MemoryStore(), dump: dump, meetings: meetings)
        }
      } catch { run.violation("\(error)") }
      run.add(to: "sequences")
      done += 1
      if done % 30 == 0 { after() }
    }
    Console.endProgress()
    Console.say("\(run.campaign.name): how often forms met in one object\n\(meetings.table)")
    // A thousand times in 10^5 sequences. Chance decides about a few.
    for pair in meetings.pairs where done >= 2000 && pair.count < done / 100 {
      run.violation("\(pair.a) and \(pair.b) met \(pair.count) times in \(done) sequences")
    }
  }
}

/// Does each step to a store, and in other commits to a twin.
private struct MeetingPlayer: FormPlayer {
  let store: any Store
  let twin: any Store
  /// The path for a dump; nil for a store that has none.
  let dump: String?
  let meetings: Meetings

  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  func play(_ step: FormStep, _ run: FormRun) throws {
    meetings.add(run.met)
    _ = try run.play(step, on: store)
    try run.compare(store)
    _ = try run.play(step.otherwise, on: twin, isCounted: false)
    try run.compare(twin, "a store with other commits")
  }

  func finish(_ run: FormRun) throws {
    for case let store as any PersistentStore in [store, twin] {
      let report = try store.check()
      if !report.isSound { throw Difference(description: "\(report.problems)") }
    }
    if let dump {
      try store.dump(to: dump)
      let loaded = MemoryStore()
      _ = try loaded.load(dump: dump)
      try run.compare(loaded, "a loaded dump")
    }
    let copy = MemoryStore()
    for plan in run.plans {
      let text = try FormRun.lines(of: store, plan).joined(separator: "\n")
      _ = try Mapper(copy).importJSON(text, as: plan, options: ImportOptions(format: .ndjson))
    }
    try run.compare(copy, "an imported export")
  }
}

/// How often two forms have met in one object of one payload.
private final class Meetings {
  private var counts: [Set<Form>: Int] = [:]

  func add(_ objects: [Set<Form>]) { for forms in objects { counts[forms, default: 0] += 1 } }

  var pairs: [(a: Form, b: Form, count: Int)] {
    Form.allCases.flatMap { a in
      Form.allCases.dropFirst(a.rawValue + 1).map { b in
        (a, b, counts.reduce(0) { $1.key.isSuperset(of: [a, b]) ? $0 + $1.value : $0 })
      }
    }
  }

  /// A line for each form, with its meetings with the later ones.
  var table: String {
    let pairs = pairs
    return Form.allCases.dropLast().map { form in
      let row = pairs.filter { $0.a == form }.map { "\($0.b) \($0.count)" }
      return "  \(form): \(row.joined(separator: ", "))"
    }.joined(separator: "\n")
  }
}
