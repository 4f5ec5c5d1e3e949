import FastMapCore
import TestSupport
import Testing

// The mappings of DESIGN's example, on plain classes: inherited properties, no base class of ours.

private class Thing {
  var id = 0
}

private final class Person: Thing {
  var name: String?
  var email: String?
  var age: UInt8 = 0
  var height: Float = 0
  var isMember = false
  var sex: Sex?
  var status = Status.other
  var born: Timestamp?
  var languages: [String] = []
  var lucky: Set<Int> = []
  var photo: [UInt8] = []
  var big: UInt64 = 0
  var car: Car?
  var phones: [Phone] = []
  var friends: OrderedObjectSet<Person> = []
  weak var boss: Person?

  enum Sex: String, AttributeValue {
    case female = "f"
    case male = "m"
  }

  enum Status: Int, AttributeValueWithFallback {
    case active = 1
    case other = 0
    static let fallback = Status.other
  }

  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("email", \.email, at: "user_email")
    Attribute("age", \.age)
    Attribute("height", \.height)
    Attribute("isMember", \.isMember).lenient
    Attribute("sex", \.sex)
    Attribute("status", \.status)
    Attribute("born", \.born, as: .date(.pattern("%Y-%m-%d")))
    Attribute("languages", \.languages)
    Attribute("lucky", \.lucky)
    Attribute("photo", \.photo)
    Attribute("big", \.big)
    ToOne("car", \.car, Car.mapping)
    ToMany("phones", \.phones, Phone.mapping, policy: .merge)
    ToMany("friends", \.friends, Person.mapping)
    ToOne("boss", \.boss, Person.mapping)
  }
}

private final class Car {
  var id = ""
  var model = "unknown"

  static let mapping = Mapping(Car.self, "Car", primaryKey: "id", make: Car.init) {
    Attribute("id", \.id)
    Attribute("model", \.model)
  }
}

private final class Phone {
  var number = ""
  static let mapping = Mapping(Phone.self, "Phone", make: Phone.init) { Attribute("number", \.number) }
}

@Suite struct ObjectTests {
  private static func objects(_ kind: StoreKind, _ json: String) throws -> [Person] {
    let store = try kind.make()
    return try Mapper(store).objects(from: Array(json.utf8), as: Person.mapping)
  }

  // FEM-01 FEM-02 FEM-13 FEM-44 FEM-47 FEM-52 FEM-56 FEM-60 FEM-61 FEM-64 FEM-65 FEM-69 FEM-71
  @Test(arguments: StoreKind.allCases)
  func everyKindOfPropertyIsSet(_ kind: StoreKind) throws {
    let people = try Self.objects(
      kind,
      #"""
      [{"id": 7, "name": "Ada", "user_email": "ada@example.org", "age": 36, "height": 1.65, "isMember": 1, "sex": "f",
        "status": 1, "born": "1815-12-10", "languages": ["en", "fr"], "lucky": [3, 1, 3], "photo": "AP8=", "big": 9,
        "car": {"id": "c", "model": "carriage"}, "phones": [{"number": "1"}, {"number": "2"}]}]
      """#)
    let ada = try #require(people.first)
    #expect(ada.id == 7)
    #expect(ada.name == "Ada")
    #expect(ada.email == "ada@example.org")
    #expect(ada.age == 36)
    #expect(ada.height == 1.65)
    #expect(ada.isMember)
    #expect(ada.sex == .female)
    #expect(ada.status == .active)
    #expect(ada.born == Timestamp(seconds: -4_861_728_000))
    #expect(ada.languages == ["en", "fr"])
    #expect(ada.lucky == [1, 3])
    #expect(ada.photo == [0, 255])
    #expect(ada.big == 9)
    #expect(ada.car?.model == "carriage")
    #expect(ada.phones.map(\.number) == ["1", "2"])
    #expect(people.count == 1)
  }

  // FEM-16 FEM-17 FEM-18, Q-05
  @Test(arguments: StoreKind.allCases)
  func nullLeavesWhatCannotBeNull(_ kind: StoreKind) throws {
    let person = try #require(
      try Self.objects(
        kind, #"{"id": 1, "name": null, "age": null, "status": null, "car": {"id": "c", "model": null}}"#
      )
      .first)
    #expect(person.name == nil)
    #expect(person.age == 0)
    #expect(person.status == .other)
    #expect(person.car?.model == "unknown")
  }

  // FEM-85 FEM-144 FEM-145
  @Test(arguments: StoreKind.allCases)
  func oneObjectIsOneInstanceAndCirclesClose(_ kind: StoreKind) throws {
    let people = try Self.objects(
      kind, #"[{"id": 1, "friends": [{"id": 2, "boss": {"id": 1}}, 3]}, {"id": 2}, {"id": 1, "name": "x"}]"#)
    #expect(people.map(\.id) == [1, 2, 1])
    #expect(people[0] === people[2])
    #expect(people[0].friends[0] === people[1])
    #expect(people[1].boss === people[0])
    #expect(people[0].friends.map(\.id) == [2, 3])
    #expect(people[0].name == "x")
  }

  // BUG-16 BUG-18 FEM-46…FEM-55
  @Test(arguments: [
    (#"{"id":1,"age":256}"#, "$.age: expected an integer from 0 to 255, found the number 256"),
    (#"{"id":1,"age":-1}"#, "$.age: expected an integer from 0 to 255, found the number -1"),
    (#"{"id":1,"age":1.5}"#, "$.age: expected an integer from 0 to 255, found the number 1.5"),
    (#"{"id":1,"big":-1}"#, "$.big: expected an integer from 0 to 18446744073709551615, found the number -1"),
    (#"{"id":1,"name":5}"#, "$.name: expected a string, found the number 5"),
    (#"{"id":1,"sex":"x"}"#, #"$.sex: expected a value of Sex, found the string "x""#),
    (#"{"id":1,"sex":5}"#, "$.sex: expected a string, found the number 5"),
    (#"{"id":1,"status":"x"}"#, #"$.status: expected an integer, found the string "x""#),
    (#"{"id":1,"languages":["a",5]}"#, "$.languages[1]: expected a string, found the number 5"),
    (#"{"id":1,"languages":"a"}"#, #"$.languages: expected an array, found the string "a""#),
    (#"{"id":1,"isMember":2}"#, "$.isMember: expected a boolean, found the number 2"),
    (
      #"{"id":1,"height":1e300}"#,
      "$.height: expected a number that a Float can hold, found the number 1e+300"
    ),
    (#"{"id":1,"born":"x"}"#, #"$.born: expected a date (%Y-%m-%d), found the string "x""#),
  ])
  func aValueThatDoesNotFitThePropertyIsAnError(_ json: String, _ expected: String) throws {
    let error = #expect(throws: MappingError.self) { try Self.objects(.memory, json) }
    #expect(error.map { "\($0.path): \($0.message)" } == expected)
  }

  @Test func unknownRawValuesFallBack() throws {
    #expect(try Self.objects(.memory, #"{"id":1,"status":42}"#).first?.status == .other)
  }

  @Test func lenientAttributesTakeWhatIsMeant() throws {
    final class Loose {
      var id = 0
      var count = 0
      var share = 0.0
      var flag = false
    }
    let mapping = Mapping(Loose.self, "Loose", primaryKey: "id", make: Loose.init) {
      Attribute("id", \.id).lenient
      Attribute("count", \.count).lenient
      Attribute("share", \.share).lenient
      Attribute("flag", \.flag).lenient
    }
    let store = try StoreKind.memory.make()
    func run(_ store: some Store, _ json: String) throws -> [Loose] {
      try Mapper(store).objects(from: Array(json.utf8), as: mapping)
    }
    let loose = try #require(
      try run(store, #"{"id": "12", "count": 12.0, "share": "0.5", "flag": 1}"#).first)
    #expect(loose.id == 12)
    #expect(loose.count == 12)
    #expect(loose.share == 0.5)
    #expect(loose.flag)
    for json in [
      #"{"id":1,"count":12.5}"#, #"{"id":1,"count":"x"}"#, #"{"id":1,"flag":"1"}"#, #"{"id":" 1"}"#,
    ] {
      #expect(throws: MappingError.self) { try run(store, json) }
    }
  }

  // FEM-27 FEM-31 FEM-139, WAM-26 WAM-27, Q-03 Q-04 Q-08 Q-25
  @Test func transformsReadInPlaceOfTheType() throws {
    final class Item {
      var id = 0
      var sex = -1
      var size = -1
      var note: String? = "old"
    }
    let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute(
        "id", \.id,
        transform: Transform { value in
          guard let text = value.string, let id = Int(text) else { throw TransformError("expected digits") }
          return .value(id)
        })
      Attribute(
        "sex", \.sex,
        transform: Transform { value in ["m": 0, "f": 1][value.string ?? ""].map { .value($0) } ?? .skip })
      Attribute("size", \.size)
      Attribute("note", \.note, transform: Transform { $0.string == "-" ? .null : .value($0.text) })
    }
    var transforms = Transforms()
    transforms.use(Transform<Int> { .value(($0.elements?.count ?? 0) * 10) })
    let plan = try Plan(mapping, transforms: transforms)
    let store = try StoreKind.memory.make()
    func run(_ store: some Store, _ json: String) throws -> String {
      _ = try Mapper(store).importJSON(Array(json.utf8), as: plan)
      return try store.read { reader in
        try reader.objects(mapping).map { "\($0.id) \($0.sex) \($0.size) \($0.note ?? "nil")" }
          .joined(separator: ", ")
      }
    }
    #expect(try run(store, #"{"id":"7","sex":"f","size":[1,2],"note":{"a":1}}"#) == #"7 1 20 {"a":1}"#)
    #expect(try run(store, #"{"id":"7","sex":"?","note":"-"}"#) == "7 1 20 nil")
    let error = #expect(throws: MappingError.self) { try run(store, #"{"id":"x"}"#) }
    #expect(error.map { "\($0.path): \($0.message)" } == "$.id: expected digits")
  }

  @Test(arguments: StoreKind.allCases)
  func objectsAreReadBackByKeyAndRange(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"[{"id":3,"name":"c","friends":[1]},{"id":1,"name":"a","friends":[3]},{"id":2,"name":"b"}]"#
    _ = try Mapper(store).importJSON(Array(json.utf8), as: Plan(Person.mapping))
    try store.read { reader in
      let found = try reader.object(Person.mapping, key: 1)
      let one = try #require(found)
      let all = try reader.objects(Person.mapping)
      #expect(all.map(\.name) == ["a", "b", "c"])
      #expect(all[0] === one)
      #expect(one.friends[0] === all[2])
      let some = try reader.objects(Person.mapping, keys: 2..<4)
      #expect(some.map(\.id) == [2, 3])
      let none = try reader.object(Person.mapping, key: 9)
      #expect(none == nil)
    }
    let alone = try store.read { try $0.object(Person.mapping, key: 1, depth: 0) }
    #expect(
      alone?.friends.count == (kind == .memory ? 1 : 0), "a memory store's own instances are as they are")
  }

  // A copy that one call has filled as far as it was asked is filled further where another way or call asks for more
  @Test func aCopyIsFilledAsDeepAsTheDeepestWayToItAsks() throws {
    let store = try StoreKind.lmdb.make()
    let json = """
      [{"id":1,"boss":2,"friends":[2,3]},{"id":2,"friends":[5],"phones":[{"number":"2"}]},
       {"id":3,"friends":[4]},{"id":4,"friends":[5]},{"id":5,"phones":[{"number":"5"}]}]
      """
    _ = try Mapper(store).importJSON(Array(json.utf8), as: Plan(Person.mapping))
    try store.read { reader in
      let people = try reader.objects(Person.mapping, depth: 1)
      #expect(people.map(\.phones.count) == [0, 1, 0, 0, 1])
      #expect(people[0].boss === people[1])
    }
    try store.read { reader in
      let shallow = try reader.object(Person.mapping, key: 1, depth: 0)
      let one = try #require(shallow)
      #expect(one.boss == nil)
      let deep = try reader.object(Person.mapping, key: 1)
      #expect(deep === one)
      #expect(one.boss?.phones.map(\.number) == ["2"])
    }
    try store.read { reader in
      let one = try reader.object(Person.mapping, key: 1, depth: 3)
      let five = try #require(one?.friends[0].friends.first)
      #expect(five.phones.count == 1, "it is two levels away by one way and three by the other")
      #expect(one?.friends[1].friends[0].friends[0] === five)
    }
  }

  @Test func instancesGoWhenTheyAreLetGo() throws {
    weak var ada: Person?
    try {
      let people = try Self.objects(.memory, #"{"id": 1, "phones": [{"number": "1"}]}"#)
      ada = people.first
      #expect(ada != nil)
    }()
    #expect(ada == nil)
  }

  @Test func faultsOfTypedMappingsAreFoundWhenThePlanIsCompiled() {
    final class Odd {
      var id = 0
      var when = ""
    }
    let odd = Mapping(Odd.self, "Odd", primaryKey: "id", make: Odd.init) {
      Attribute("id", \.id)
      Attribute("when", \.when, as: .date(.iso8601))
    }
    let error = #expect(throws: MappingDefinitionError.self) { try Plan(odd) }
    #expect(
      error?.description
        == "$.mappings.Odd.attributes.when: the property is a String, which holds a string, not a date")
  }
}
