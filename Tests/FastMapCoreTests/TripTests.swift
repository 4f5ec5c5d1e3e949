import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// How many questions a store on another machine would have to answer. Each number is a budget.
@Suite struct TripTests {
  @Test func aReplaceThatDeletesAThousandTakesTwelve() throws {
    let (counter, base) = (TripCounter(), MemoryStore())
    let store = counter.store(on: base)
    let tag = Mapping("Tag", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("parts", Mapping("Part") { Attribute("text", .string) })
    }
    let book = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("tags", tag, policy: .replace)
    }
    let tags = (0..<1000).map { #"{"id":\#($0),"parts":[{"text":"p"}]}"# }.joined(separator: ",")
    _ = try Mapper(store).importJSON(#"{"id":1,"tags":[\#(tags)]}"#, as: book)
    _ = counter.take()
    let report = try Mapper(store).importJSON(#"{"id":1,"tags":[]}"#, as: book)
    #expect(summary(report) == "Book ~1, Tag -1000, Part -1000")
    let trips = counter.take()
    #expect(trips.count <= 12, "\(trips)")
  }

  @Test func fiveThousandObjectsMetInTwoBatchesTakeSixty() throws {
    let (counter, base) = (TripCounter(), MemoryStore())
    let store = counter.store(on: base)
    let plan = try Plan(Fixture.node)
    let nodes = (0..<5000).map { #"{"id":\#($0),"n":"a","child":{"id":\#($0 + 1)}}"# }
    _ = try Mapper(store).importJSON("[\(nodes.joined(separator: ","))]", as: plan)
    _ = counter.take()
    let others = (0..<5000).map { #"{"id":\#($0),"n":"b"}"# }
    let json = "[\((others + nodes).joined(separator: ","))]"
    let report = try Mapper(store).importJSON(json, as: plan)
    #expect(summary(report) == "Node =5001")
    let trips = counter.take()
    #expect(trips.count <= 60, "\(trips)")
  }

  @Test func aDeletionOfAThousandOwnersTakesEight() throws {
    let (counter, base) = (TripCounter(), MemoryStore())
    let store = counter.store(on: base)
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("parts", Mapping("Part") { Attribute("text", .string) })
    }
    let owners = (0..<1000).map { #"{"id":\#($0),"parts":[{"text":"p"},{"text":"q"}]}"# }
    _ = try Mapper(store).importJSON("[\(owners.joined(separator: ","))]", as: owner)
    _ = counter.take()
    let report = try store.delete("Owner", keys: 0..<1000, in: owner)
    #expect(report.total == 3000)
    let trips = counter.take()
    #expect(trips.count <= 8, "\(trips)")
  }
}
