import FastMapCore
import FastMapMemory
import Observation
import Testing

/// Lenient mappings of classes of the main actor.
@Suite struct MainActorLenientTests {
  @Observable final class Visit {
    var id = 0
    var counts: [Int] = []
    var guide: Visit?
    var guests: [Visit] = []

    static let mapping: MainActorMapping<Visit> = MainActorMapping(
      Visit.self, "Visit", primaryKey: "id", make: Visit.init
    ) {
      Attribute("id", \.id)
      Attribute("counts", \.counts)
      ToOne("guide", \.guide, Visit.mapping)
      ToMany("guests", \.guests, Visit.mapping)
    }.lenient
  }

  @Test func everyFieldIsLenient() async throws {
    let json = #"{"id":"1","counts":["2",3.0],"guide":false,"guests":{}}"#
    let visit = try #require(try await Visit.mapping.object(from: json))
    #expect((visit.id, visit.counts) == (1, [2, 3]))
    #expect(visit.guide == nil)
    #expect(visit.guests.isEmpty)
  }
}
