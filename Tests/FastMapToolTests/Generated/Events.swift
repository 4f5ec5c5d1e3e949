// Made by `fastmap swift` from a mapping file.
// swift-format-ignore-file

import FastMapCore

enum Events {
  class Event {
    var id = 0
    var at: Int?
    var type: String?
    var other: JSONText?
    var details: Detail?
    var next: Event?

    static let mapping: Mapping<Event> = Mapping(
      Event.self, "AnyEvent", entity: "Event", rootPath: "events", primaryKey: "id", newerBy: "at",
      kinds: Kinds("meta.type", ["PushEvent": .mapping(Event.pushMapping),
      "push": .mapping(Event.pushMapping), "WatchEvent": .mapping(Event.watchMapping),
      "ForkEvent": .mapping(Event.forkMapping)], otherwise: .mapping(.mapping(Event.eventMapping))),
      make: Event.init
    ) {
      Attribute("id", \.id)
      Attribute("at", \.at)
      Attribute("type", \.type, at: "meta.type")
      Attribute.rest("other", \.other)
      Index("kind", "at")
    }

    static let pushMapping: Mapping<Push> = Mapping(
      Push.self, "Push", kindOf: Event.mapping, make: Push.init
    ) {
      Attribute("size", \.size, at: "payload.size")
      Attribute("user_name", \.userName)
      ToOne("details", \.details, Detail.pushDetailMapping, at: "detail")
      ToOne("next", \.next, Event.mapping)
      ToMany("steps", \.steps, Step.mapping)
    }

    static let watchMapping: Mapping<Watch> = Mapping(
      Watch.self, "Watch", kindOf: Event.mapping, make: Watch.init
    ) {
      Attribute("userName", \.userName)
      Attribute("size", \.size)
      ToOne("details", \.details, Detail.mapping)
      ToOne("next", \.next, Event.mapping)
      ToMany("pushes", \.pushes, Event.pushMapping)
      Index("userName")
    }

    static let forkMapping: Mapping<Fork> = Mapping(
      Fork.self, "Fork", kindOf: Event.mapping, make: Fork.init
    ) {
      ToOne("details", \.details, Detail.mapping)
      ToOne("next", \.next, Event.refMapping)
    }

    static let eventMapping: Mapping<OtherEvent> = Mapping(
      OtherEvent.self, "Event", kindOf: Event.mapping, make: OtherEvent.init
    ) {
      Attribute("note", \.note)
      ToOne("details", \.details, Detail.mapping)
      ToOne("next", \.next, Event.mapping)
    }

    static let refMapping: Mapping<Event> = Mapping(
      Event.self, "EventRef", entity: "Event", primaryKey: "id", make: Event.init
    ) {
      Attribute("id", \.id, at: .wholeValue)
    }
  }

  final class Detail {
    var text: String?
    var stars: Int?

    static let mapping: Mapping<Detail> = Mapping(Detail.self, "Detail", make: Detail.init) {
      Attribute("text", \.text)
      Attribute("stars", \.stars)
    }

    static let pushDetailMapping: Mapping<Detail> = Mapping(
      Detail.self, "PushDetail", entity: "Detail", make: Detail.init
    ) {
      Attribute("text", \.text, at: "message")
    }
  }

  class Step {
    var word: String?

    static let mapping: Mapping<Step> = Mapping(
      Step.self, "Step", kinds: Kinds("kind", ["run": .mapping(Step.runStepMapping),
      "wait": .mapping(Step.waitStepMapping)], otherwise: .skip), make: Step.init
    ) {
      Attribute("word", \.word, at: "kind")
    }

    static let runStepMapping: Mapping<RunStep> = Mapping(
      RunStep.self, "RunStep", kindOf: Step.mapping, make: RunStep.init
    ) {
      Attribute("command", \.command)
      Attribute.rest("more", \.more)
    }

    static let waitStepMapping: Mapping<WaitStep> = Mapping(
      WaitStep.self, "WaitStep", kindOf: Step.mapping, make: WaitStep.init
    ) {
      Attribute("seconds", \.seconds)
    }
  }

  /// "Push", a kind of "Event".
  final class Push: Event {
    var size: Int? = 1
    var userName: String?
    var steps: [Step] = []
  }

  /// "Watch", a kind of "Event".
  final class Watch: Event {
    var userName: String?
    var size: Int? = 1
    var pushes: [Push] = []
  }

  /// "Fork", a kind of "Event".
  final class Fork: Event {}

  /// "Event", a kind of "Event".
  final class OtherEvent: Event {
    var note: String?
  }

  /// "RunStep", a kind of "Step".
  final class RunStep: Step {
    var command: String?
    var more: JSONText?
  }

  /// "WaitStep", a kind of "Step".
  final class WaitStep: Step {
    var seconds: Double?
  }

  /// All mappings, for plans that know the others: `allMappings.plan(for: "AnyEvent")`.
  static let allMappings = MappingSet([
    Event.mapping.definition,
    Event.pushMapping.definition,
    Event.watchMapping.definition,
    Event.forkMapping.definition,
    Event.eventMapping.definition,
    Event.refMapping.definition,
    Detail.mapping.definition,
    Detail.pushDetailMapping.definition,
    Step.mapping.definition,
    Step.runStepMapping.definition,
    Step.waitStepMapping.definition,
  ])

  /// Any JSON value, as its text.
  struct JSONText: AttributeValue, Hashable, Sendable {
    var text: String

    init(_ text: String) { self.text = text }

    static var attributeType: AttributeType { .json }

    init?(_ field: Field) {
      guard let bytes = field.bytes else { return nil }
      text = String(decoding: bytes, as: UTF8.self)
    }

    func write(to field: inout FieldWriter) {
      var text = text
      text.withUTF8 { field.set(json: UnsafeRawBufferPointer($0)) }
    }
  }
}
