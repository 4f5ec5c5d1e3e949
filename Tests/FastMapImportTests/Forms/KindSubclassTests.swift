import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Instances of a subclass of a kind's class, which only a kind that takes subclasses stores.
@Suite struct KindSubclassTests {
  class Vehicle {
    var id = 0
    static let strict: Mapping<Vehicle> = Mapping(
      Vehicle.self, "Vehicle", primaryKey: "id", kinds: Kinds("type", ["car": .mapping(Vehicle.strictCar)]),
      make: { Vehicle() }
    ) { Attribute("id", \.id) }
    static let open: Mapping<Vehicle> = Mapping(
      Vehicle.self, "Vehicle", primaryKey: "id", kinds: Kinds("type", ["car": .mapping(Vehicle.openCar)]),
      make: { Vehicle() }
    ) { Attribute("id", \.id) }
    static let strictCar = Mapping(Car.self, "Car", kindOf: Vehicle.strict, make: { Car() }) {
      Attribute("doors", \.doors)
    }
    static let openCar = Mapping(
      Car.self, "Car", kindOf: Vehicle.open, takesSubclasses: true, make: { Car() }
    ) { Attribute("doors", \.doors) }
  }
  class Car: Vehicle { var doors = 4 }
  final class Taxi: Car { var sign = "free" }

  @Test(arguments: StoreKind.allCases)
  func aKindMayTakeSubclasses(_ kind: StoreKind) throws {
    for (mapping, isTaken) in [(Vehicle.strict, false), (Vehicle.open, true)] {
      let store = try kind.make()
      let context = try ObjectContext(store, for: mapping)
      defer { context.end() }
      let taxi = Taxi()
      (taxi.id, taxi.doors) = (1, 5)
      let refusal = message { try context.insert(taxi, as: mapping) }
      #expect((refusal == nil) == isTaken, "\(refusal ?? "")")
      try context.save()
      let found = try store.read { try $0.objects(mapping) }.map {
        "\(type(of: $0)) \($0.id) \(($0 as? Car)?.doors ?? 0)"
      }
      #expect(found == (isTaken ? ["Car 1 5"] : []))
    }
  }
}
