import FastMapCore
import FastMapLMDB
import FastMapMemory
import FastMapModels
import FastMapStoreTesting

#if SQLite
  import FastMapSQLite
#endif

/// Imports random payloads in which forms meet in one object, by turns in memory, on LMDB and on SQLite.
enum MeetingCampaign {
  static let rule =
    "store as in the model, for any commits; no change by a second import; copies are equal; each pair met"

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
    func clear() {
      for number in 0...places { scratch.clear("\(scratch.path)/\(number)") }
      places = 0
    }
    let memory = StoreContract { MemoryStore() }
    let lmdb = StoreContract { try LMDBStore(at: place()) }
    var parts: [Part] = [
      { try memory.runMeetings(each, seed: $0, counting: &$1, dump: place()) { MemoryStore() } },
      { try lmdb.runMeetings(each, seed: $0, counting: &$1, dump: place()) { MemoryStore() } },
    ]
    #if SQLite
      let sqlite = StoreContract { try SQLiteStore(at: place()) }
      parts.append { try sqlite.runMeetings(each, seed: $0, counting: &$1, dump: place()) { MemoryStore() } }
    #endif
    repeated(run, total: run.count(short: 600, long: 100_000), parts, clear)
  }

  /// The number of sequences with one seed.
  static let each = 30

  /// Plays sequences with a seed.
  typealias Part = (UInt64, inout FormMeetings) throws -> Void

  /// Runs sequences by turns on several stores, and reports how often each pair of forms has met.
  static func repeated(_ run: Run, total: Int, _ parts: [Part], _ clear: () -> Void) {
    var random = SeededNumbers(seed: run.seed)
    var meetings = FormMeetings()
    var done = 0
    while done < total, run.goesOn(done, of: total, "sequences") {
      do { try parts[done / each % parts.count](random.next(), &meetings) } catch { run.violation("\(error)") }
      clear()
      run.add(each, to: "sequences")
      done += each
    }
    Console.endProgress()
    Console.say("\(run.campaign.name): pairs of forms in one object\n\(meetings.table)")
    // A thousand in 10^5 sequences.
    for pair in meetings.pairs(below: done / 100) { run.violation("too seldom in \(done) sequences: \(pair)") }
  }
}
