import FastMapCore
import FastMapQueries
import Observation
import TestSupport
import Testing

/// Objects of several kinds, with a main-actor subclass for each kind.
@Suite struct MainKindClassesTests {
  @Observable class Event {
    var id = 0
    var at: Int?
    var author: User?

    static let mapping: MainActorMapping<Event> = MainActorMapping(
      Event.self, "Any", entity: "Event", primaryKey: "id",
      kinds: Kinds(
        "type", ["PushEvent": .mapping(Event.push), "WatchEvent": .mapping(Event.watch)], otherwise: .skip),
      make: { Event() }
    ) {
      Attribute("id", \.id)
      Attribute("at", \.at)
      ToOne("author", \.author, User.mapping)
    }
    static let push = MainActorMapping(PushEvent.self, "Push", kindOf: Event.mapping, make: { PushEvent() }) {
      Attribute("id", \.id)
      Attribute("size", \.size)
    }
    static let watch = MainActorMapping(
      WatchEvent.self, "Watch", kindOf: Event.mapping, make: { WatchEvent() }
    ) {
      Attribute("action", \.action)
      ToOne("by", \.by, User.mapping)
    }
  }
  @Observable final class PushEvent: Event { var size = 1 }
  @Observable final class WatchEvent: Event {
    var action = ""
    var by: User?
  }

  @Observable final class User {
    var id = 0
    var events: [Event] = []
    static let mapping: MainActorMapping<User> = MainActorMapping(
      User.self, "User", primaryKey: "id", make: { User() }
    ) {
      Attribute("id", \.id)
      ToMany("events", \.events, Event.mapping)
    }
  }

  static let json = #"""
    [{"id":1,"at":5,"size":3,"type":"PushEvent","author":{"id":7}},
     {"id":2,"at":6,"action":"started","type":"WatchEvent","by":{"id":8}},{"id":3,"type":"ForkEvent"},{"id":4,"type":"PushEvent"}]
    """#
  static let texts = [
    "PushEvent 1 at=5 author=7 size=3", "WatchEvent 2 at=6 author=- started by=8",
    "PushEvent 4 at=0 author=- size=1",
  ]

  /// The class of an object, and the values that it shows.
  static func text(_ event: Event) -> String {
    let rest =
      switch event {
      case let push as PushEvent: "size=\(push.size)"
      case let watch as WatchEvent: "\(watch.action) by=\(watch.by.map { "\($0.id)" } ?? "-")"
      default: ""
      }
    return
      "\(type(of: event)) \(event.id) at=\(event.at ?? 0) author=\(event.author.map { "\($0.id)" } ?? "-") \(rest)"
  }

  @Test(arguments: StoreKind.allCases)
  func eachObjectIsAnInstanceOfItsClass(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let report = try await Mapper(store).importJSON(Self.json, as: Event.mapping)
    #expect(report["Event"]?.inserted == 3 && report["Event"]?.skipped == 1)
    try #expect(reading(store) { try $0.objects(Event.mapping, depth: 1) }.map(Self.text) == Self.texts)
    #expect(try await store.objects(Event.mapping, depth: 1).map(Self.text) == Self.texts)
    #expect(try await store.objects(Event.push.where { $0.size > 1 }).map(\.id) == [1])
    // The same without a store.
    #expect(try await Event.mapping.objects(from: Self.json).map(Self.text) == Self.texts)
    try #expect(readAtOnce().map(Self.text) == Self.texts)
  }

  private func readAtOnce() throws -> [Event] { Array(try Event.mapping.objects(from: Self.json)) }

  // MARK: Subclasses of a kind

  @Observable class Vehicle {
    var id = 0
    static let strict: MainActorMapping<Vehicle> = MainActorMapping(
      Vehicle.self, "Vehicle", primaryKey: "id", kinds: Kinds("type", ["car": .mapping(Vehicle.strictCar)]),
      make: { Vehicle() }
    ) { Attribute("id", \.id) }
    static let open: MainActorMapping<Vehicle> = MainActorMapping(
      Vehicle.self, "Vehicle", primaryKey: "id", kinds: Kinds("type", ["car": .mapping(Vehicle.openCar)]),
      make: { Vehicle() }
    ) { Attribute("id", \.id) }
    static let strictCar = MainActorMapping(Car.self, "Car", kindOf: Vehicle.strict, make: { Car() }) {
      Attribute("doors", \.doors)
    }
    static let openCar = MainActorMapping(
      Car.self, "Car", kindOf: Vehicle.open, takesSubclasses: true, make: { Car() }
    ) { Attribute("doors", \.doors) }
  }
  @Observable class Car: Vehicle { var doors = 4 }
  @Observable final class Taxi: Car { var sign = "free" }

  @Test(arguments: StoreKind.allCases)
  func aKindMayTakeSubclasses(_ kind: StoreKind) async throws {
    for (mapping, isTaken) in [(Vehicle.strict, false), (Vehicle.open, true)] {
      let store = try kind.make()
      let context = try ObjectContext(store, for: mapping)
      defer { context.end() }
      let taxi = Taxi()
      (taxi.id, taxi.doors) = (1, 5)
      let refusal = message { try context.insert(taxi, as: mapping) }
      #expect((refusal == nil) == isTaken, "\(refusal ?? "")")
      try await context.save()
      let found = try reading(store) { try $0.objects(mapping) }.map {
        "\(type(of: $0)) \($0.id) \(($0 as? Car)?.doors ?? 0)"
      }
      #expect(found == (isTaken ? ["Car 1 5"] : []))
    }
  }
}
