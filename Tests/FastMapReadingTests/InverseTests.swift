import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapReading

/// Inverses in records, in instances and in queries, on every store.
@Suite struct InverseTests {
  final class Person {
    var id = 0
    var name: String?
    var car: Car?
    var cars: [Car] = []

    static let mapping: Mapping<Person> = Mapping(
      Person.self, "Person", primaryKey: "id", make: Person.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("car", \.car, Car.mapping)
      ToMany("cars", \.cars, Car.mapping)
    }
  }

  final class Car {
    var id = 0
    var model: String?
    weak var person: Person?
    var owners: [Person]?
    var firstOwner: Person?

    static let mapping: Mapping<Car> = Mapping(Car.self, "Car", primaryKey: "id", make: Car.init) {
      Attribute("id", \.id)
      Attribute("model", \.model)
      ToOne("person", \.person, inverseOf: \.car, of: Person.mapping)
      ToMany("owners", \.owners, inverseOf: \.cars, of: Person.mapping)
      ToOne("firstOwner", \.firstOwner, inverseOf: \.cars, of: Person.mapping)
    }
  }

  enum Records {
    static let person: Mapping<Record> = Mapping("Person", primaryKey: "id", missingPrimaryKey: .insert) {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToOne("car", car)
      ToMany("cars", car)
    }
    static let car: Mapping<Record> = Mapping("Car", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("model", .string)
      ToOne("person", inverseOf: "car", of: person)
      ToMany("people", inverseOf: "car", of: person)
      ToMany("owners", inverseOf: "cars", of: person)
    }
  }

  // FEM-103
  /// The inverse of a to-one relationship as in the predecessors' tests: a person has a car, and the car its person.
  @Test(arguments: StoreKind.allCases)
  func aCarKnowsItsPerson(_ kind: StoreKind) throws {
    let world = try World(kind, Person.mapping)
    let people = try world.instances(
      #"[{"id":1,"name":"Lucas","car":{"id":7,"model":"i30"}},{"id":2}]"#, as: Person.mapping)
    #expect(people[0].car?.person === people[0])
    // Another car: the old one has nobody.
    try world.load(#"{"id":1,"car":{"id":8}}"#)
    try world.store.read { snapshot in
      let old = try #require(try snapshot.object(Car.mapping, key: 7, depth: .max))
      let new = try #require(try snapshot.object(Car.mapping, key: 8, depth: .max))
      #expect(old.person == nil)
      let lucas = try #require(try snapshot.object(Person.mapping, key: 1, depth: .max))
      // An object has one instance per plan.
      #expect(new.person?.name == "Lucas")
      #expect(lucas.car?.person === lucas)
    }
    // To-one with several referrers: the first by key.
    try world.load(#"[{"id":2,"car":8},{"id":-5,"car":8}]"#)
    func first() throws -> Int? {
      // The property is weak, and the snapshot holds the instances that it has made.
      try world.store.read { try $0.object(Person.mapping, key: 2, depth: .max)?.car?.person?.id }
    }
    try #expect(first() == -5)
    _ = try world.store.delete(Person.mapping.query(of: "Person").keys([-5]))
    try #expect(first() == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func anInverseAscendsByKeyAndHasEachObjectOnce(_ kind: StoreKind) throws {
    let world = try World(kind, Person.mapping)
    try world.load(#"[{"id":30,"cars":[7,7,8]},{"id":-2,"cars":[8,7]},{"id":4,"cars":[7]}]"#)
    func owners(_ key: PrimaryKey) throws -> [Int]? {
      try world.store.read { snapshot in
        let car = try snapshot.object(Car.mapping, key: key, depth: .max)
        #expect(car?.firstOwner?.id == car?.owners?.first?.id)
        return car?.owners?.map(\.id)
      }
    }
    try #expect(owners(7) == [-2, 4, 30])
    try #expect(owners(8) == [-2, 30])
    try world.load(#"[{"id":-2,"cars":[]},{"id":5,"cars":[8]}]"#)
    try #expect(owners(7) == [4, 30])
    try #expect(owners(8) == [5, 30])
    try world.load(#"[{"id":30,"cars":[7]},{"id":5,"cars":[7]}]"#)
    try #expect(owners(8) == nil)
    try #expect(owners(7) == [4, 5, 30])
    _ = try world.store.delete(Person.mapping.query(of: "Person").keys([4, 30]))
    try #expect(owners(7) == [5])
  }

  @Test(arguments: StoreKind.allCases)
  func recordsHaveTheObjectsOfInverses(_ kind: StoreKind) throws {
    let world = try World(kind, Records.person)
    try world.load(#"[{"id":2,"car":{"id":7}},{"name":"nobody","car":7},{"id":1,"car":7,"cars":[8]}]"#)
    try world.store.read(world.plan()) { snapshot in
      let cars = try snapshot.records("Car")
      #expect(cars.map { $0.targets("people").count } == [3, 0])
      #expect(cars.map { $0.targets("owners").count } == [0, 1])
      #expect(cars[0].target("person") == cars[0].targets("people").first)
      // Objects without a key follow, in the order of creation.
      try #expect(snapshot.records("people", of: cars[0]).map(\.key) == [1, 2, nil])
      try #expect(snapshot.record("person", of: cars[0])?.key == 1)
      try #expect(snapshot.record("person", of: cars[1]) == nil)
      let single = try #require(try snapshot.record("Car", key: 7))
      #expect(single.targets("people") == cars[0].targets("people"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func filtersAndOrdersGoThroughInverses(_ kind: StoreKind) throws {
    let world = try World(kind, Person.mapping)
    try world.load(
      #"""
      [{"id":1,"name":"c","car":{"id":7,"model":"x"},"cars":[7]},{"id":2,"name":"a","car":{"id":8,"model":"y"},"cars":[7,9]},
      {"id":3,"name":"b","car":{"id":9,"model":"x"},"cars":[7,8,9]},{"id":4,"name":"d","cars":[10]}]
      """#)
    try world.store.read { snapshot in
      func found(_ query: Query<Mapping<Car>>) throws -> [Int] { try snapshot.objects(query).map(\.id) }
      let cars = Car.mapping
      try #expect(found(cars.where { $0.person.name == "a" }) == [8])
      try #expect(found(cars.where { $0.person == 3 }) == [9])
      try #expect(found(cars.where { $0.person == nil }) == [10])
      try #expect(found(cars.where { $0.owners.count > 1 }) == [7, 9])
      try #expect(found(cars.where { $0.owners.contains { $0.name == "b" } }) == [7, 8, 9])
      try #expect(found(cars.where { $0.owners.first.id == 2 }) == [9])
      try #expect(found(cars.where { $0.owners.last.car.model == "x" && $0.person.car.id != 7 }) == [8, 9])
      try #expect(found(cars.where { $0.firstOwner != $0.person }) == [8, 9, 10])
      try #expect(found(cars.sorted(by: \.person.name)) == [10, 8, 9, 7])
      try #expect(found(cars.sorted(by: \.person, descending: true).limit(2)) == [9, 8])
      try #expect(found(cars.where(Filter("count(@.owners[*]) == 1"))) == [8, 10])
      try #expect(found(cars.where(Filter("@.owners[?@.car.person.name == 'c']"))) == [7])
      try #expect(found(cars.where(Filter("@.owners[?@.cars[?@.owners[1]]]")).after(key: 8)) == [9])
      let people = Person.mapping.where { $0.car.owners.count >= 2 }
      try #expect(snapshot.objects(people).map(\.id) == [1, 3])
      try #expect(snapshot.count(Person.mapping.where { $0.cars.contains { $0.person == nil } }) == 1)
    }
  }

  @Test func anUnknownNameBesideAnInverseIsSuggested() throws {
    let plan = try Records.car.plan()
    #expect(
      message { _ = try Filter("@.persn.name == 'a'").bound(to: plan) }
        == #"column 1: @.persn: Car has no field named "persn"; did you mean "person"?"#)
    #expect(
      message { _ = try Filter("@.owners.name == 'a'").bound(to: plan) }
        == "column 1: @.owners.name: expected [*], [?…] or an index after the to-many relationship @.owners")
    let world = try World(.memory, Records.car, holding: #"{"id":7}"#)
    #expect(
      message {
        try world.store.read(plan) { try $0.forEachRow(plan) { row, _ in try !row["owners"].isNull } }
      }
        == #""owners" of Car is an inverse, which is in records and instances, but not in rows"#)
  }

  // MARK: Reading and writing

  @Test(arguments: StoreKind.allCases)
  func nothingIsReadFromJSONAndNothingIsWritten(_ kind: StoreKind) throws {
    let world = try World(kind, Car.mapping, Person.mapping)
    try world.load(#"{"id":1,"car":{"id":7,"person":{"id":5},"owners":[6]}}"#, as: "Person")
    try #expect((world.keys(of: "Person"), world.export("Car")) == ("1", #"[{"id":7}]"#))
    try #expect(world.report(world.export("Person"), as: "Person").isUnchanged)
    let person = try #require(try world.instance(Person.mapping, 1))
    let car = try #require(person.car)
    #expect(car.person === person)
    // Without loops.
    try #expect(Serializer(Car.mapping).json(of: car) == #"{"id":7}"#)
    try #expect(Serializer(Person.mapping).json(of: person) == #"{"id":1,"car":{"id":7}}"#)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportHandsOutInstancesWithTheirInverses(_ kind: StoreKind) throws {
    let world = try World(kind, Car.mapping, Person.mapping)
    try world.load(#"[{"id":1,"car":7,"cars":[7]},{"id":2,"cars":[7]}]"#, as: "Person")
    let cars = try world.instances(#"[{"id":7,"model":"m"},{"id":8}]"#, as: Car.mapping)
    #expect(cars.map(\.person?.id) == [1, nil])
    #expect(cars.map { $0.owners?.map(\.id) } == [[1, 2], nil])
    #expect(cars[0].owners?.first === cars[0].person)
  }

  @Test(arguments: StoreKind.allCases)
  func aDepthCountsInversesLikeRelationships(_ kind: StoreKind) throws {
    let world = try World(kind, Person.mapping, holding: #"[{"id":1,"car":7},{"id":2,"car":7,"cars":[8]}]"#)
    try world.store.read { snapshot in
      try #expect(snapshot.object(Car.mapping, key: 7, depth: 0)?.firstOwner == nil)
    }
    try world.store.read { snapshot in
      let car = try #require(try snapshot.object(Car.mapping, key: 8, depth: 1))
      #expect(car.owners?.map(\.id) == [2])
      #expect(car.owners?.first?.car == nil)
    }
    try world.store.read { snapshot in
      let car = try #require(try snapshot.object(Car.mapping, key: 8, depth: 2))
      #expect(car.owners?.first?.car?.id == 7)
      #expect(car.owners?.first?.car?.person == nil)
    }
  }

  /// An object that nothing but an inverse leads from is not protected by it.
  @Test(arguments: StoreKind.allCases)
  func anInverseProtectsNothingFromReplace(_ kind: StoreKind) throws {
    let world = try World(kind, Site.owner, holding: #"{"id":1,"best":{"id":7}}"#)
    try #expect(world.load(#"{"id":1,"best":{"id":8}}"#).contains("-1"))
    try #expect(world.keys(of: "Item") == "8")
  }

  enum Site {
    static let owner: Mapping<Record> = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("best", item, policy: .replace)
      ToMany("fans", inverseOf: "favourite", of: item)
    }
    static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("favourite", owner)
      ToMany("holders", inverseOf: "best", of: owner)
    }
  }

  // MARK: Owned objects

  final class Letter {
    var id = 0
    var lines: [Line] = []
    var footer: Line?

    static let mapping: Mapping<Letter> = Mapping(Letter.self, "Letter", primaryKey: "id", make: Letter.init)
    {
      Attribute("id", \.id)
      ToMany("lines", \.lines, Line.mapping)
      ToOne("footer", \.footer, Line.mapping)
    }
  }

  final class Line {
    var text: String?
    weak var letter: Letter?
    weak var footerOf: Letter?

    static let mapping: Mapping<Line> = Mapping(Line.self, "Line", make: Line.init) {
      Attribute("text", \.text)
      ToOne("letter", \.letter, inverseOf: \.lines, of: Letter.mapping)
      ToOne("footerOf", \.footerOf, inverseOf: \.footer, of: Letter.mapping)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anOwnedObjectKnowsItsOwner(_ kind: StoreKind) throws {
    let world = try World(kind, Letter.mapping)
    let letters = try world.instances(
      #"[{"id":1,"lines":[{"text":"a"},{"text":"b"}],"footer":{"text":"f"}},{"id":2,"lines":[{"text":"a"}]}]"#,
      as: Letter.mapping)
    #expect(letters.map { $0.lines.map { $0.letter?.id } } == [[1, 1], [2]])
    #expect(letters[0].footer?.footerOf === letters[0])
    #expect(letters[0].footer?.letter == nil)
    try world.store.read { snapshot in
      try #expect(snapshot.count(Line.mapping.where { $0.letter == 1 }) == 2)
      try #expect(snapshot.count(Line.mapping.where { $0.letter.id == 2 && $0.text == "a" }) == 1)
      try #expect(snapshot.count(Line.mapping.where { $0.footerOf != nil }) == 1)
    }
  }

  // MARK: Sets

  @Test func inversesAreReadInSetsLevelByLevel() throws {
    let store = try ScratchStore()
    let people = (0..<3000).map { #"{"id":\#($0),"car":\#($0 % 700),"cars":[\#($0 % 900)]}"# }
    _ = try Mapper(store).importJSON("[\(people.joined(separator: ","))]", as: Records.person)
    let plan = try Records.car.plan()
    func asked(_ body: (inout Snapshot) throws -> Void) throws -> Int {
      try store.readInSets(plan.schema) { reader in
        var snapshot = Snapshot(reader, plan.schema)
        try body(&snapshot)
      }.count.owners
    }
    try #expect(asked { _ = try $0.records(plan.query(of: "Car").limit(500)) } <= 3)
    let query = try plan.where(Filter("@.person.name == null && count(@.owners[?@.id > 5]) == 3"))
    try #expect(asked { _ = try $0.count(query) } <= 12)
    try #expect(store.read(plan) { try $0.count(query) } > 0)
    try #expect(asked { _ = try $0.records(query.sorted(by: "person.name").limit(5)) } <= 12)
  }

  @Test func anAnswerWithFewerListsIsAnError() throws {
    let store = try ScratchStore()
    _ = try Mapper(store).importJSON(#"{"id":1,"car":7}"#, as: Records.person)
    let plan = try Records.car.plan()
    _ = try store.readInSets(plan.schema) { reader in
      reader.fault = .fewerOwners
      var snapshot = Snapshot(reader, plan.schema)
      let error = #expect(throws: StoreContractError.self) { try snapshot.records("Car") }
      #expect(error?.description == "owners(of:entity:field:): expected 1 lists, found 0")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func thousandsOfReferrersAreReadInLinearTime(_ kind: StoreKind) throws {
    let isNear = kind == .memory || kind == .lmdb
    let count = isNear ? TestSize.count(small: 1500, whole: 10_000) : TestSize.count(small: 500, whole: 2000)
    let world = try World(kind, Person.mapping)
    let people = (0..<count).map { #"{"id":\#((($0 * 7919) % count)),"car":1,"cars":[1]}"# }
    try world.load("[\(people.joined(separator: ","))]")
    try world.store.read { snapshot in
      let car = try #require(try snapshot.objects(Car.mapping, depth: 1).first)
      #expect(car.owners?.count == count)
      #expect(car.owners?.last?.id == count - 1)
      #expect(car.person?.id == 0)
      let far = Car.mapping.where { $0.owners.contains { $0.id == count - 1 } && $0.person.id == 0 }
      try #expect(snapshot.count(far) == 1)
      // Each of the referrers asks for the first of all.
      try #expect(snapshot.count(Person.mapping.where { $0.car.person.id == 0 }) == count)
    }
  }
}
