import FastMapCore
import FastMapMemory
import Foundation
import TestSupport
import Testing

/// A value that tells of each time it is read: "place-number" in JSON, where a `Watched.Place` is registered.
private struct Watched: AttributeValue {
  struct Event: Sendable {
    var number: Int
    var isCaller: Bool
  }

  /// The events of one import, whose thread made it.
  final class Place: Sendable {
    let events = Collector<Event>()
    let name = UUID().uuidString.replacingOccurrences(of: "-", with: "")
    private let caller = ObjectIdentifier(Thread.current)

    /// Called when a number was read.
    let onRead: @Sendable (Int, Place) -> Void

    init(onRead: @escaping @Sendable (Int, Place) -> Void = { _, _ in }) {
      self.onRead = onRead
      Watched.places[name] = self
    }

    func note(_ number: Int) {
      events.add(Event(number: number, isCaller: ObjectIdentifier(Thread.current) == caller))
    }

    /// Waits until a number was read; not for ever.
    func waitUntilRead(_ number: Int) -> Bool {
      let end = ContinuousClock.now.advanced(by: .seconds(20))
      while !events.all.contains(where: { $0.number == number }) {
        guard ContinuousClock.now < end else { return false }
        usleep(200)
      }
      return true
    }

    func text(_ numbers: Range<Int>) -> String {
      numbers.map { #"{"id":\#($0),"seen":"\#(name)-\#($0)"}"# }.joined(separator: ",")
    }
  }

  private static let places = Places()

  // @unchecked: the lock guards the places; the thread sanitizer does not see Swift's own on Linux.
  private final class Places: @unchecked Sendable {
    private let lock = NSLock()
    private var known: [String: Place] = [:]

    subscript(name: String) -> Place? {
      get { lock.withLock { known[name] } }
      set { lock.withLock { known[name] = newValue } }
    }
  }

  var number = 0

  static var attributeType: AttributeType { .integer }
  init(_ number: Int = 0) { self.number = number }
  init?(_ field: Field) { number = field.integer.map { Int($0) } ?? 0 }
  func write(to field: inout FieldWriter) { field.set(integer: Int64(number)) }

  static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    { value, field in
      let parts = (value.string ?? "").split(separator: "-")
      guard parts.count == 2, let number = Int(parts[1]) else { return "a watched number" }
      if let place = Watched.places[String(parts[0])] {
        place.note(number)
        place.onRead(number, place)
      }
      field.set(integer: Int64(number))
      return nil
    }
  }
}

/// Walking texts that were read ahead.
@Suite struct SharedWalkTests {
  private final class Seen {
    var id = 0
    var seen = Watched()
  }

  private func plan() throws -> Plan {
    try Plan(
      Mapping<Seen>(Seen.self, "Seen", primaryKey: "id", make: { Seen() }) {
        Attribute("id", \.id)
        Attribute("seen", \.seen)
      })
  }

  private func options() -> ImportOptions {
    var options = ImportOptions(batchSize: 2)
    options.alwaysReadsAhead = true
    return options
  }

  @Test func theCallerWalksWhileTheThreadWaitsForMoreOfTheText() throws {
    let place = Watched.Place()
    var parts = ["[" + place.text(0..<4) + ",", place.text(4..<12) + "]"].map { Array($0.utf8) }
    let report = try Mapper(MemoryStore()).importStream(as: plan(), options: options(), window: 4096) {
      room, _ in
      if parts.count == 1 { #expect(place.waitUntilRead(3)) }
      guard !parts.isEmpty else { return 0 }
      let part = parts.removeFirst()
      room.copyBytes(from: part)
      return part.count
    }
    #expect(report.entities.map(\.counts.inserted) == [12])
    let events = place.events.all
    #expect(events.map(\.number).sorted() == Array(0..<12))
    #expect(events.filter { $0.number < 4 }.allSatisfy { $0.isCaller })
  }

  @Test func theThreadWalksTwoBatchesAheadWhileTheCallerMaps() throws {
    let place = Watched.Place()
    let delegate = Delegate { id in
      guard id == 0 else { return }
      #expect(place.waitUntilRead(5))
      // Were it ever further ahead, it would be by now, more often than not.
      usleep(20_000)
      #expect(place.events.all.allSatisfy { $0.number <= 5 })
    }
    var options = options()
    options.delegate = delegate
    let text = Array(("[" + place.text(0..<40) + "]").utf8)
    _ = try Mapper(MemoryStore()).importJSON(text, as: plan(), options: options)
    let events = place.events.all
    #expect(events.map(\.number).sorted() == Array(0..<40))
    #expect(events.filter { 2...5 ~= $0.number }.allSatisfy { !$0.isCaller })
  }

  @Test func theFirstFaultInTheTextIsNamedWhenBothThreadsWalk() throws {
    // The caller walks 2 and 3, as the thread waits for more text, and goes on when the thread walks 4 and 5.
    let place = Watched.Place { number, place in
      if number == 2 { #expect(place.waitUntilRead(4)) }
    }
    let faulty = #"{"id":7,"seen":"?"}"#
    var parts = [
      "[" + place.text(0..<3) + ",\(faulty),", place.text(4..<5) + ",\(faulty)," + place.text(6..<12) + "]",
    ].map { Array($0.utf8) }
    let error = #expect(throws: MappingError.self) {
      try Mapper(MemoryStore()).importStream(as: plan(), options: options(), window: 4096) { room, _ in
        if parts.count == 1 { #expect(place.waitUntilRead(2)) }
        guard !parts.isEmpty else { return 0 }
        let part = parts.removeFirst()
        room.copyBytes(from: part)
        return part.count
      }
    }
    #expect(error?.path.description == "$[3].seen")
    #expect(place.events.all.contains { $0.number == 2 && $0.isCaller })
    #expect(place.events.all.contains { $0.number == 4 && !$0.isCaller })
  }

  @Test(arguments: [false, true])
  func walkingEndsWithAnImportThatFailsOrIsCancelled(_ isCancelled: Bool) throws {
    let progress = ImportProgress()
    let place = Watched.Place { number, _ in
      guard number == 5 else { return }
      progress.cancel()
    }
    var options = options()
    if isCancelled { options.progress = progress }
    let text = "[" + place.text(0..<30) + (isCancelled ? "" : ",{]") + "]"
    let store = MemoryStore()
    let error = #expect(throws: (any Error).self) {
      try Mapper(store).importJSON(Array(text.utf8), as: plan(), options: options)
    }
    #expect(isCancelled ? error is CancellationError : error is JSONSyntaxError)
    try #expect(store.read(plan()) { try $0.count(of: "Seen") } == 0)
  }

  private final class Delegate: ImportDelegate {
    let onMapped: @Sendable (Int64) -> Void
    init(onMapped: @escaping @Sendable (Int64) -> Void) { self.onMapped = onMapped }

    func didMapObject(_ object: MappedObject, from representation: JSONValue) {
      if let id = representation["id"]?.integer { onMapped(id) }
    }
  }
}
