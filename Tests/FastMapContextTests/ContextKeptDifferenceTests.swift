import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapCore

/// Random edits, saves, rollbacks, imports and deletions in a context over instances that the store keeps, and over copies. Both must
/// give the same answers. Other writers change values only while nothing is edited: such an edit shows at once in one of them.
@Suite struct ContextKeptDifferenceTests {
  typealias Person = People.Person
  typealias Card = People.Card

  @Test func randomSequencesGiveTheAnswersOfCopies() throws {
    var random = Random(for: "randomSequencesGiveTheAnswersOfCopies")
    var failures = 0
    for _ in 0..<TestSize.rounds(small: 1, whole: 20) where failures < 5 {
      let seed = random.next()
      var run = try Run(Random(seed: seed))
      for _ in 0..<50 {
        try run.step()
        if run.hasFailed { break }
      }
      if run.hasFailed { failures += 1 }
    }
  }

  /// A store, and a context of it.
  private final class Side {
    let store: any Store
    let context: ObjectContext
    /// The people that are stored, and new ones, by key.
    var live: [Int: Person] = [:]
    var new: [Int: Person] = [:]
    /// Some that were deleted.
    var lost: [Int: Person] = [:]

    init(_ kind: StoreKind, _ json: String) throws {
      store = try kind.make()
      try store.importPeople(json)
      context = try ObjectContext(store, for: Person.mapping)
      try read()
    }

    subscript(key: Int) -> Person? { live[key] ?? new[key] ?? lost[key] }

    /// Loads all that is stored.
    func read() throws {
      let all = try context.objects(
        Person.mapping, including: \.friends, \.kids, \.cards, \.boss, \.staff)
      let old = live
      live = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      for (key, person) in old where live[key] == nil { lost[key] = person }
      for key in live.keys { (new[key], lost[key]) = (nil, nil) }
    }

    func shown(_ person: Person, withStaff: Bool) -> String {
      func keys(_ people: [Person]) -> String { "\(people.map(\.id))" }
      return "\(person.id) \(person.name ?? "-") friends \(keys(person.friends)) kids \(keys(person.kids))"
        + " cards \(person.cards.map { $0.text ?? "-" }) boss \(person.boss?.id ?? -1)"
        + (withStaff ? " staff \(keys(person.staff))" : "")
    }

    func report(_ report: ImportReport) -> String {
      report.entities.sorted { $0.entity < $1.entity }.filter { $0.counts.inserted + $0.counts.deleted > 0 }
        .map { "\($0.entity) +\($0.counts.inserted) -\($0.counts.deleted)" }.joined(separator: " ")
    }

    /// All that both sides must have in common.
    func state(withStaff: Bool) throws -> String {
      var lines = ["stored \(try store.people())", "changes \(answer { "\(try context.hasChanges)" })"]
      for (_, person) in (live.sorted { $0.key < $1.key } + new.sorted { $0.key < $1.key }) {
        lines.append(shown(person, withStaff: withStaff && live[person.id] != nil))
      }
      return lines.joined(separator: "\n")
    }
  }

  private static func answer(_ body: () throws -> String) -> String {
    let answer: String
    do { answer = try body() } catch { answer = "\(error)" }
    // Stores number objects differently.
    return answer.replacing(/#[0-9]+/, with: "#")
  }

  private struct Run {
    let sides: [Side]
    var random: Random
    var steps: [String] = []
    var hasFailed = false
    var hasListEdits = false
    /// Whether something is marked for deletion. Lists that have lost it by hand are no edits then, and nothing is imported.
    var hasMarks = false
    var lastKey = 9
    var word = 0

    init(_ random: Random) throws {
      var random = random
      var people: [String] = []
      for key in 1...9 {
        let others = (0..<4).map { _ in 1 + random.next(9) }
        people.append(
          #"{"id":\#(key),"name":"n\#(key)","friends":[\#(others[0]),\#(others[1])],"kids":[\#(others[2])],"#
            + #""boss":\#(others[3]),"cards":[{"text":"a\#(key)"},{"text":"b\#(key)"}]}"#)
      }
      let json = "[\(people.joined(separator: ","))]"
      sides = try [Side(.lmdb, json), Side(.memory, json)]
      self.random = random
    }

    private mutating func pick(_ keys: some Sequence<Int>) -> Int? {
      let sorted = keys.sorted()
      return sorted.isEmpty ? nil : sorted[random.next(sorted.count)]
    }

    /// Does the same on both sides, and compares the answers.
    private mutating func both(_ step: String, withStaff: Bool = false, _ body: (Side) throws -> String)
      throws
    {
      steps.append(step)
      let answers = sides.map { side in answer { try body(side) } }
      steps.append("  \(answers[0])")
      for side in sides { try side.read() }
      let states = try sides.map { try $0.state(withStaff: withStaff) }
      if answers[0] != answers[1] || states[0] != states[1] {
        hasFailed = true
        Issue.record(
          "\(answers[0])\n\(states[0])\n\nin memory: \(answers[1])\n\(states[1])\nafter:\n\(steps.joined(separator: "\n"))"
        )
      }
    }

    mutating func step() throws {
      let side = sides[0]
      guard let x = pick(Array(side.live.keys) + Array(side.new.keys)), let y = pick(side.live.keys) else {
        return
      }
      let z =
        random.next(12) == 0
        ? pick(side.lost.keys) ?? y : pick(Array(side.live.keys) + Array(side.new.keys)) ?? y
      word += 1
      let text = "w\(word)"
      switch random.next(20) {
      case 0, 1:
        try both("name of \(x)") {
          $0[x]?.name = text; return ""
        }
      case 2..<5:
        let (kind, isKids) = (random.next(4), random.next(3) == 0)
        hasListEdits = true
        try both("\(isKids ? "kids" : "friends") of \(x): \(kind) \(z)") { side in
          guard let person = side[x], let other = side[z] else { return "" }
          var list = isKids ? person.kids : person.friends
          switch kind {
          case 0: list = []
          case 1: if !list.isEmpty { list.removeFirst() }
          case 2: list.reverse()
          default: list.append(other)
          }
          if isKids { person.kids = list } else { person.friends = list }
          return ""
        }
      case 5:
        hasListEdits = true
        let isNil = random.next(3) == 0
        try both("boss of \(x): \(isNil ? -1 : z)") {
          $0[x]?.boss = isNil ? nil : $0[z]; return ""
        }
      case 6:
        let kind = random.next(3)
        hasListEdits = true
        try both("cards of \(x): \(kind)") { side in
          guard let person = side[x] else { return "" }
          switch kind {
          case 0: if !person.cards.isEmpty { person.cards.removeFirst() }
          case 1: person.cards.first?.text = text
          default:
            let card = Card()
            card.text = text
            person.cards.append(card)
          }
          return ""
        }
      case 7, 8:
        lastKey += 1
        let (key, isLinked) = (random.next(8) == 0 ? y : lastKey, random.next(2) == 0)
        if key == y { return }
        hasListEdits = true
        try both("new \(key) of \(x), \(isLinked ? "linked" : "inserted")") { side in
          let new = Person.new(key, text)
          new.boss = side[x]
          new.cards = [Card()]
          if isLinked {
            side[y]?.friends.append(new)
          } else {
            try side.context.insert(new, as: Person.mapping)
          }
          side.new[key] = new
          return ""
        }
      case 9:
        hasMarks = true
        try both("delete \(x)") { side in
          try side[x].map { try side.context.delete($0) }; return ""
        }
      case 10:
        if hasListEdits { return }
        try both("others delete \(y)") { side in
          let isDeleted = try side.store.delete(Person.mapping, key: y)
          try side.context.refreshAll()
          return "\(isDeleted)"
        }
      case 11:
        if try side.context.hasChanges { return }
        try both("others set \(y)") { side in
          try side.store.importPeople(#"{"id":\#(y),"name":"\#(text)","friends":[\#(z)],"boss":\#(y)}"#)
          try side.context.refreshAll()
          _ = try side.context.save()
          return ""
        }
      case 12: try rollBack()
      case 13..<16: try takeIn(x, y, z, text)
      case 16 where random.next(3) == 0:
        let key = random.next(2) == 0 ? y : 900
        if side.live[x] == nil || key == x { return }
        try both("key \(key) of \(x)") { side in
          side[x]?.id = key
          defer { side[x]?.id = x }
          return try side.report(side.context.save(onConflict: .mine))
        }
      default: try save()
      }
    }

    private mutating func rollBack() throws {
      hasMarks = false
      hasListEdits = false
      try both("roll back", withStaff: true) { side in
        try side.context.rollBack()
        side.new = [:]
        try side.context.refreshAll()
        return ""
      }
    }

    private mutating func save() throws {
      var hasFailed = false
      try both("save", withStaff: false) { side in
        do {
          let report = try side.report(side.context.save(onConflict: .mine))
          try side.context.refreshAll()
          side.new = [:]
          return report
        } catch {
          hasFailed = true
          throw error
        }
      }
      if !hasFailed {
        (hasListEdits, hasMarks) = (false, false)
        try both("saved", withStaff: true) { _ in "" }
      } else if random.next(3) > 0 {
        try rollBack()
      }
    }

    private mutating func takeIn(_ x: Int, _ y: Int, _ z: Int, _ text: String) throws {
      if hasMarks { return }
      lastKey += 1
      let payloads = [
        #"{"id":\#(x),"name":"\#(text)","boss":\#(y)}"#, #"{"id":\#(x),"friends":[\#(y),\#(lastKey)]}"#,
        #"{"id":\#(x),"kids":[]}"#, #"{"id":\#(x),"kids":[\#(y)],"cards":[{"text":"\#(text)"}]}"#,
        #"[{"id":\#(lastKey),"boss":\#(x)},{"id":\#(x),"friends":[],"name":null}]"#,
        #"{"id":\#(y),"kids":[{"id":\#(x),"name":"\#(text)"}]}"#,
      ]
      let json = payloads[random.next(payloads.count)]
      let rule = random.next(3)
      var options = ImportOptions()
      options.isDryRun = random.next(6) == 0
      try both("import \(json), \(["mine", "theirs", "fail"][rule])\(options.isDryRun ? ", dry" : "")") {
        side in
        let report = try side.context.importJSON(
          json, as: Person.mapping, onConflict: rule == 0 ? .mine : rule == 1 ? .theirs : .fail,
          options: options)
        return side.report(report) + report.conflicts.map { "\n  \($0)" }.sorted().joined()
      }
    }
  }
}
