import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// New targets of a loaded relationship, from an import, a refresh or a save, belong to the context, in every store.
@Suite struct ContextNewTargetTests {
  final class Country {
    var name = ""
    var size = 0
    var capital: City?

    static let mapping: Mapping<Country> = Mapping(
      Country.self, "Country", primaryKey: "name", make: { Country() }
    ) {
      Attribute("name", \.name)
      Attribute("size", \.size)
      ToOne("capital", \.capital, City.mapping)
    }
  }

  final class City {
    var name = ""
    var people = 0
    var country: Country?
    var houses: [House] = []

    static let mapping: Mapping<City> = Mapping(City.self, "City", primaryKey: "name", make: { City() }) {
      Attribute("name", \.name)
      Attribute("people", \.people)
      ToOne("country", \.country, Country.mapping)
      ToMany("houses", \.houses, inverseOf: \.city, of: House.mapping)
    }
  }

  final class House {
    var id = 0
    var city: City?
    var twins: [City] = []

    static let mapping: Mapping<House> = Mapping(House.self, "House", primaryKey: "id", make: { House() }) {
      Attribute("id", \.id)
      ToOne("city", \.city, City.mapping)
      ToMany("twins", \.twins, City.mapping)
    }
  }

  /// A way to give the house another city.
  enum Change: CaseIterable {
    case importHere, importOfObjects, fill, refresh, refreshAll

    func make(_ json: String, _ context: ObjectContext, _ store: any Store, _ house: House) throws {
      switch self {
      case .importHere: _ = try context.importJSON(json, as: House.mapping)
      case .importOfObjects: _ = try context.objects(from: "[\(json)]", as: House.mapping)
      case .fill: try context.fill(house, from: json, as: House.mapping)
      case .refresh:
        _ = try Mapper(store).importJSON(json, as: House.mapping)
        try context.refresh([house])
      case .refreshAll:
        _ = try Mapper(store).importJSON(json, as: House.mapping)
        try context.refreshAll()
      }
    }

    var isImport: Bool { self != .refresh && self != .refreshAll }
  }

  private static let rome = #"{"id":1,"city":{"name":"Rome","people":3,"country":{"name":"Italy","size":5}}}"#

  private static func open(_ kind: StoreKind) throws -> (any Store, ObjectContext) {
    let store = try kind.make()
    _ = try Mapper(store).importJSON(
      #"[{"id":1,"city":{"name":"London","country":{"name":"UK"}},"twins":["London"]},{"id":2}]"#,
      as: House.mapping)
    return (store, try ObjectContext(store, for: House.mapping))
  }

  private static func stored(_ store: any Store, _ city: PrimaryKey) throws -> Int? {
    try store.read { try $0.object(City.mapping, key: city)?.people }
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func anEditOfANewTargetIsOneOfTheContext(_ kind: StoreKind, _ change: Change) throws {
    let (store, context) = try Self.open(kind)
    let house = try #require(try context.object(House.mapping, key: 1, including: \.city))
    try change.make(Self.rome, context, store, house)
    let city = try #require(house.city)
    #expect(city.name == "Rome")
    if change.isImport { #expect(try !context.hasChanges()) }
    city.people = 99
    #expect(try context.hasChanges())
    try context.rollBack()
    #expect(city.people == 3)
    #expect(try Self.stored(store, "Rome") == 3)
    city.people = 7
    try context.save()
    #expect(try Self.stored(store, "Rome") == 7)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func theKeyOfANewTargetCannotBeChanged(_ kind: StoreKind, _ change: Change) throws {
    let (store, context) = try Self.open(kind)
    let house = try #require(try context.object(House.mapping, key: 1, including: \.city))
    try change.make(Self.rome, context, store, house)
    house.city?.name = "X"
    #expect(
      message { _ = try context.save() }?.hasPrefix(#"the primary key of City "Rome" was changed"#) == true)
    try context.rollBack()
    #expect(try Self.stored(store, "Rome") == 3)
    #expect(try Self.stored(store, "X") == nil)
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func aNewTargetIsReadWithItsIncludes(_ kind: StoreKind, _ change: Change) throws {
    let (store, context) = try Self.open(kind)
    let house = try #require(try context.object(House.mapping, key: 1, including: \.city.country))
    try change.make(Self.rome, context, store, house)
    let country = try #require(house.city?.country)
    country.size = 99
    #expect(try context.hasChanges())
    try context.rollBack()
    #expect(country.size == 5)
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func theSameHoldsForAList(_ kind: StoreKind, _ change: Change) throws {
    let (store, context) = try Self.open(kind)
    let house = try #require(try context.object(House.mapping, key: 1, including: \.twins))
    try change.make(#"{"id":1,"twins":["London",{"name":"Rome","people":3}]}"#, context, store, house)
    #expect(house.twins.map(\.name) == ["London", "Rome"])
    let rome = try #require(house.twins.last)
    rome.people = 99
    #expect(try context.hasChanges())
    try context.rollBack()
    #expect(rome.people == 3)
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func theSameHoldsForAnInverse(_ kind: StoreKind, _ change: Change) throws {
    let (store, context) = try Self.open(kind)
    let london = try #require(try context.object(City.mapping, key: "London", including: \.houses))
    let house = try #require(london.houses.first)
    try change.make(#"{"id":1,"city":{"name":"London","people":1}}"#, context, store, house)
    let other = #"{"id":2,"city":"London"}"#
    if change.isImport {
      _ = try context.importJSON(other, as: House.mapping)
    } else {
      _ = try Mapper(store).importJSON(other, as: House.mapping)
      try context.refresh([london])
    }
    #expect(london.houses.map(\.id) == [1, 2])
    let second = try #require(london.houses.last)
    second.id = 7
    #expect(message { _ = try context.save() }?.hasPrefix("the primary key of House 2 was changed") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func aNewObjectHasAllItsRelationships(_ kind: StoreKind) throws {
    let (store, context) = try Self.open(kind)
    let house = House()
    house.id = 3
    try context.insert(house, as: House.mapping)
    try context.save()
    try Change.importHere.make(#"{"id":3,"city":{"name":"Rome","people":3}}"#, context, store, house)
    let city = try #require(house.city)
    city.people = 99
    #expect(try context.hasChanges())
    try context.rollBack()
    #expect(city.people == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func pathsOfTwoEntitiesAreToldApart(_ kind: StoreKind) throws {
    let (store, context) = try Self.open(kind)
    let house = try #require(try context.object(House.mapping, key: 1, including: \.city.country))
    let london = try #require(try context.object(City.mapping, key: "London", including: \.country.capital))
    #expect(house.city === london)
    _ = try Mapper(store).importJSON(
      #"{"id":1,"city":{"name":"Rome","country":{"name":"Italy"}}}"#, as: House.mapping)
    _ = try Mapper(store).importJSON(
      #"{"name":"London","country":{"name":"England","capital":{"name":"York","people":4}}}"#,
      as: City.mapping)
    try context.refreshAll()
    #expect(house.city?.country?.name == "Italy")
    let york = try #require(london.country?.capital)
    york.people = 99
    try context.rollBack()
    #expect(york.people == 4)
  }

  /// Unloaded objects stay outside the context.
  @Test(arguments: StoreKind.allCases)
  func aRelationshipThatWasNotLoadedReadsNothing(_ kind: StoreKind) throws {
    let (_, context) = try Self.open(kind)
    let house = try #require(try context.object(House.mapping, key: 1))
    _ = try context.importJSON(Self.rome, as: House.mapping)
    try context.refreshAll()
    #expect(context.instances.count == 1)
    #expect(house.city == nil)
  }
}
