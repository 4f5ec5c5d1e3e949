// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import Testing

@Suite("Errors.md", .printing)
struct ErrorTests {
  @Test func faultsInMappingsAreAllNamed() throws {
    let mappings = MappingSet([
      Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("car", .named("Car"))
      },
      Mapping("Cars", primaryKey: "id") { Attribute("id", .integer) },
    ])
    do {
      _ = try mappings.plan(for: "Person")
    } catch {
      for fault in error.faults { print(fault) }
    }
    // $.mappings.Person.relationships.car.mapping: no mapping named "Car"; did you mean "Cars"?

    #expect(
      Printed.takeLines() == [
        #"$.mappings.Person.relationships.car.mapping: no mapping named "Car"; did you mean "Cars"?"#
      ])
  }

  static let offer = Mapping("Offer", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("price", .number)
  }

  static let bytes: [UInt8] = {
    let lines = (0..<500).map { #"{"id": \#($0), "price": \#($0 == 417 ? #""n/a""# : "1.5")}"# }
    return Array(("[\n" + lines.joined(separator: ",\n") + "\n]").utf8)
  }()

  @Test func faultsInDataAreNamedWithTheirPlace() throws {
    let (store, plan, bytes) = (MemoryStore(), try Plan(Self.offer), Self.bytes)
    do {
      _ = try Mapper(store).importJSON(bytes, as: plan)
    } catch let error as MappingError {
      print(error)
    } catch let error as JSONSyntaxError {
      print(error.location, error.reason)
    }
    // $[417].price: expected a number, found the string "n/a" (line 419, column 22)

    #expect(
      Printed.takeLines()
        == [#"$[417].price: expected a number, found the string "n/a" (line 419, column 22)"#])
    #expect(try store.read(plan) { try $0.count(of: "Offer") } == 0)
  }

  @Test func aQueryBehindAKeyNeedsItsObject() throws {
    let (store, offers) = (MemoryStore(), Self.offer)
    do {
      _ = try store.read { try $0.records(offers.sorted(by: "price").after(key: 1000)) }
    } catch let error as NoSuchObjectError {
      print(error)     // no Offer with the key 1000
    }
    #expect(Printed.takeLines() == ["no Offer with the key 1000"])
  }

  @Test func anImportGoesOnAfterAFault() throws {
    let (store, plan, bytes) = (MemoryStore(), try Plan(Self.offer), Self.bytes)
    var options = ImportOptions()
    options.faults = .skip
    let report = try Mapper(store).importJSON(bytes, as: plan, options: options)
    for error in report.errors { print(error) }

    #expect(Printed.takeLines().count == 1)
    #expect(report["Offer"] == .init(inserted: 499, skipped: 1))
  }

  final class Person {
    var id = 0
    static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) { Attribute(\.id) }
  }

  @Test func errorsHaveCodesAndPlaces() throws {
    let store = MemoryStore()
    do {
      _ = try Mapper(store).importJSON(#"[{"id": 1}, {"id": "x"}]"#, as: Person.mapping)
    } catch let error as any FastMapError {
      print(error.code, "at", error.place ?? "no place")
    }
    // unexpected-value at $[1].id, line 1, column 20

    #expect(Printed.takeLines() == ["unexpected-value at $[1].id, line 1, column 20"])
  }
}
