import FastMapCore
import FastMapMemory
import TestSupport
import Testing

private class Animal {
  var id = 0
  var name: String?
  var born: Timestamp?
  var photo: [UInt8]?
  var tags: [String] = []
  var parent: Animal?
  var young: [Animal] = []
  var friends: Set<Animal.Friend> = []
  var rivals: OrderedObjectSet<Animal> = []
  var lost: [Animal]?

  init() {}

  convenience init(id: Int, name: String? = nil) {
    self.init()
    (self.id, self.name) = (id, name)
  }

  final class Friend: Hashable {
    var name = ""
    static func == (a: Friend, b: Friend) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  static let mapping: Mapping<Animal> = Mapping(Animal.self, "Animal", primaryKey: "id", make: { Animal() }) {
    Attribute("id", \.id)
    Attribute("name", \.name, at: "about.name")
    Attribute("born", \.born)
    Attribute("photo", \.photo)
    Attribute("tags", \.tags)
    ToOne("parent", \.parent, Animal.mapping, at: "about.parent")
    ToMany("young", \.young, Animal.mapping, at: "children")
    ToMany(
      "friends", \.friends, Mapping(Friend.self, "Friend", make: Friend.init) { Attribute("name", \.name) })
    ToMany("rivals", \.rivals, Animal.mapping)
    ToMany("lost", \.lost, Animal.mapping)
  }
}

private final class Dog: Animal {}

@Suite struct SerializerObjectTests {
  private static func serializer(
    _ change: (inout SerializerOptions) -> Void = { _ in }
  ) throws -> Serializer {
    var options = SerializerOptions()
    change(&options)
    return try Serializer(Animal.mapping, options: options)
  }

  /// FEM-179, FEM-180, FEM-187, FEM-188, WAM-105, WAM-109, WAM-110, BUG-24: of every kind of collection
  @Test func instancesAreWrittenWithAllTheyReferTo() throws {
    let dog = Dog()
    (dog.id, dog.name, dog.born, dog.photo) = (1, "Rex", Timestamp(seconds: 0), [0, 255])
    dog.tags = ["a", "b"]
    dog.parent = Animal(id: 2)
    dog.young = [Animal(id: 4), Animal(id: 3)]
    dog.rivals = [Animal(id: 6), Animal(id: 5)]
    dog.lost = [Animal(id: 7)]
    let friend = Animal.Friend()
    friend.name = "Ada"
    dog.friends = [friend]
    #expect(
      try Self.serializer().json(of: dog)
        == #"{"id":1,"about":{"name":"Rex","parent":{"id":2,"tags":[]}},"born":"1970-01-01T00:00:00Z","#
        + #""photo":"AP8=","tags":["a","b"],"children":[{"id":4,"tags":[]},{"id":3,"tags":[]}],"#
        + #""friends":[{"name":"Ada"}],"rivals":[{"id":6,"tags":[]},{"id":5,"tags":[]}],"#
        + #""lost":[{"id":7,"tags":[]}]}"#)
  }

  /// FEM-181, FEM-182, FEM-189, FEM-195, WAM-106, Q-13
  @Test func nullsAreLeftOutUnlessTheyAreAskedFor() throws {
    #expect(try Self.serializer().json(of: Animal()) == #"{"id":0,"tags":[]}"#)
    #expect(
      try Self.serializer { $0.includesNulls = true }.json(of: Animal())
        == #"{"id":0,"about":{"name":null,"parent":null},"born":null,"photo":null,"tags":[],"#
        + #""children":[],"friends":[],"rivals":[],"lost":[]}"#)
  }

  /// FEM-196, BUG-64
  @Test(arguments: StoreKind.allCases)
  func readObjectsAreWrittenAgain(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json =
      #"[{"id":1,"about":{"name":"Rex","parent":{"id":2,"tags":["x"]}},"tags":[],"#
      + #""children":[{"id":4,"tags":[]},{"id":3,"tags":[]}]},{"id":3,"tags":[]}]"#
    _ = try Mapper(store).importJSON(json, as: Animal.mapping)
    let animals = try store.read { try $0.objects(Animal.mapping.keys([1, 3]), depth: .max) }
    #expect(try Self.serializer().json(of: animals) == json)
  }

  // MARK: Documents

  /// FEM-133, FEM-134, FEM-193, BUG-56, BUG-63, WAM-117, WAM-121
  @Test func documentsAreWrappedAtTheRootPath() throws {
    let mapping = Mapping(
      Animal.self, "Animal", rootPath: "result.animals", primaryKey: "id", make: { Animal() }
    ) {
      Attribute("id", \.id)
    }
    let serializer = try Serializer(mapping)
    let two = [Animal(id: 1), Dog(id: 2)]
    #expect(try serializer.json(of: two) == #"{"result":{"animals":[{"id":1},{"id":2}]}}"#)
    #expect(try serializer.json(of: two[1]) == #"{"result":{"animals":{"id":2}}}"#)
    #expect(try serializer.json(of: [Animal]()) == #"{"result":{"animals":[]}}"#)
    var output = JSONWriter()
    output.beginArray()
    try serializer.writeDocument(two[1], to: &output)
    try serializer.writeDocument(two.lazy.map { $0 }, to: &output)
    output.endArray()
    #expect(
      String(decoding: output.bytes, as: UTF8.self)
        == #"[{"result":{"animals":{"id":2}}},{"result":{"animals":[{"id":1},{"id":2}]}}]"#)
  }

  @Test func documentsCanBePretty() throws {
    let animal = Animal(id: 1, name: "Rex")
    #expect(
      try Self.serializer().json(of: [animal], isPretty: true) == """
        [
          {
            "id": 1,
            "about": {
              "name": "Rex"
            },
            "tags": []
          }
        ]
        """)
  }

  // MARK: Faults

  @Test func anInstanceOfAnotherClassIsAnError() throws {
    let serializer = try Self.serializer()
    var output = JSONWriter()
    output.beginArray()
    let error = #expect(throws: MappingError.self) {
      try serializer.writeDocument(Animal.Friend(), to: &output)
    }
    #expect(error?.description == "$: expected an instance of Animal, found one of Friend")
    let records = try Serializer(Graph.author)
    let other = #expect(throws: MappingError.self) { try records.writeDocument(Animal(), to: &output) }
    #expect(other?.description == "$: expected a mapping of instances of Animal, Author is one of records")
    output.endArray()
    #expect(output.bytes == Array("[]".utf8))
  }

  /// A collection that gives out objects of a wrong class.
  private struct Mixed: RelatedObjects {
    static let shape = RelatedObjectsShape.ordered
    var related: [AnyObject] = []
    init(related: [Animal]?) { self.related = related ?? [] }
    init(_ related: [AnyObject]) { self.related = related }
  }

  private final class Zoo {
    var animals = Mixed([])
  }

  @Test func aTargetOfAnotherClassIsAnErrorWithItsPlace() throws {
    let mapping = Mapping(Zoo.self, "Zoo", make: Zoo.init) {
      ToMany("animals", \.animals, Animal.mapping, at: "all.animals")
    }
    let zoo = Zoo()
    zoo.animals = Mixed([Animal(), Zoo()])
    let error = #expect(throws: MappingError.self) { try Serializer(mapping).json(of: zoo) }
    #expect(error?.description == "$.all.animals[1]: expected an instance of Animal, found one of Zoo")
  }
}
