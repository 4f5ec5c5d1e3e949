import FastMapCore
import Synchronization
import TestSupport
import Testing

/// Transforms: of an attribute, and of every property of a type.
@Suite struct TransformTests {
  /// Two numbers, in JSON an array.
  struct Point: AttributeValue, Equatable {
    var x = 0.0
    var y = 0.0

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    static var attributeType: AttributeType { .json }

    init?(_ field: Field) {
      guard case .json(let text)? = field.value else { return nil }
      let numbers = text.dropFirst().dropLast().split(separator: ",").compactMap { Double($0) }
      guard numbers.count == 2 else { return nil }
      self.init(numbers[0], numbers[1])
    }

    func write(to field: inout FieldWriter) {
      Array("[\(x),\(y)]".utf8).withUnsafeBytes { field.set(json: $0) }
    }
  }

  private final class Item {
    var id = 0
    var title: String? = "old"
    var sortTitle: String? = "old"
    var count = 7
    var pos: Point? = Point(1, 1)
    var born: Timestamp?
    var died: Timestamp?
    var part: Item?
  }

  /// Imports payloads one after the other and returns the instance with key 1.
  private func item(
    _ kind: StoreKind, _ mapping: Mapping<Item>, _ transforms: Transforms = .init(), _ payloads: String...
  ) throws -> Item {
    let world = try World(kind, Plan(mapping, transforms: transforms))
    for payload in payloads { try world.load(payload) }
    return try #require(try world.instance(mapping, 1))
  }

  private static let lowercased = Transform<String>(reading: { value in
    .value(value.string?.lowercased() ?? "")
  })

  // FEM-10, FEM-27, FEM-32, WAM-22, WAM-127: one member feeds a property as it is, and another through a transform
  @Test(arguments: StoreKind.allCases)
  func oneMemberFeedsSeveralProperties(_ kind: StoreKind) throws {
    let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("title", \.title, at: "t")
      Attribute("sortTitle", \.sortTitle, at: "t", transform: Self.lowercased)
    }
    let item = try item(kind, mapping, .init(), #"{"id":1,"t":"Dune"}"#)
    #expect((item.title, item.sortTitle) == ("Dune", "dune"))
  }

  private static let point = Transform<Point>(reading: { value in
    if let pair = value.elements, pair.count == 2 {
      return .value(Point(pair[0].number ?? 0, pair[1].number ?? 0))
    }
    guard let x = value["x"]?.number, let y = value["y"]?.number else {
      throw TransformError("expected a point")
    }
    return .value(Point(x, y))
  })

  // FEM-06, FEM-28, WAM-20
  @Test(arguments: StoreKind.allCases)
  func aTransformMakesAnyValueOfAnyJSON(_ kind: StoreKind) throws {
    let array = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("pos", \.pos, transform: Self.point)
    }
    #expect(try item(kind, array, .init(), #"{"id":1,"pos":[48.8,2.3]}"#).pos == Point(48.8, 2.3))
    let whole = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("pos", \.pos, at: .wholeValue, transform: Self.point)
    }
    #expect(try item(kind, whole, .init(), #"{"id":1,"x":1,"y":2}"#).pos == Point(1, 2))
  }

  // FEM-20, FEM-31, WAM-18, WAM-19, WAM-30, BUG-23, Q-03
  @Test(arguments: StoreKind.allCases)
  func theOutcomeOfATransformIsExplicit(_ kind: StoreKind) throws {
    let title = Transform<String>(reading: { value in
      switch value.string {
      case "null"?: .null
      case "skip"?: .skip
      case let text?: .value(text)
      case nil: throw TransformError("expected a title")
      }
    })
    let count = Transform<Int>(reading: { value in
      switch value.string {
      case "null"?: .null
      case "skip"?: .skip
      default: .value(1)
      }
    })
    let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("title", \.title, transform: title)
      Attribute("count", \.count, transform: count)
    }
    let world = try World(kind, mapping)
    func state() throws -> String {
      let item = try #require(try world.instance(mapping, 1))
      return "\(item.title ?? "nil") \(item.count)"
    }
    try #expect(world.load(#"{"id":1,"title":"Dune","count":0}"#) == "Item +1")
    try #expect(state() == "Dune 1")
    try #expect(world.load(#"{"id":1,"title":"skip","count":"skip"}"#) == "Item =1")
    try #expect(state() == "Dune 1")
    try #expect(world.load(#"{"id":1,"title":"null","count":"null"}"#) == "Item ~1")
    try #expect(state() == "nil 1")
    let failure = world.failure(of: #"{"id":1,"title":5,"count":0}"#)
    #expect(failure == "$.title: expected a title (line 1, column 17)")
  }

  /// Counts its calls, and the nulls among them.
  private final class Counter: Sendable {
    let calls = Mutex(0)
    let nulls = Mutex(0)

    func count(_ value: JSONValue) {
      calls.withLock { $0 += 1 }
      if value.isNull { nulls.withLock { $0 += 1 } }
    }
  }

  // FEM-29, FEM-30, FEM-34, WAM-17, Q-04
  @Test(arguments: StoreKind.allCases)
  func aTransformIsCalledOnceForEachValueAndForNullOnDemand(_ kind: StoreKind) throws {
    let plain = Counter()
    let asking = Counter()
    let key = Counter()
    let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute(
        "id", \.id,
        transform: Transform(reading: { value in
          key.count(value)
          return .value(Int(value.integer ?? 0))
        }))
      Attribute(
        "title", \.title,
        transform: Transform(reading: { value in
          plain.count(value)
          return value.string.map { .value($0) } ?? .skip
        }))
      Attribute(
        "count", \.count,
        transform: Transform(
          readsNull: true,
          reading: { value in
            asking.count(value)
            return .value(Int(value.integer ?? 0))
          }))
    }
    let item = try item(
      kind, mapping, .init(), #"[{"id":1,"title":"a","count":3},{"id":2},{"id":1,"title":null,"count":null}]"#
    )
    #expect(item.title == nil)
    #expect(item.count == 0)
    #expect(plain.calls.withLock { $0 } == 1)
    #expect(asking.calls.withLock { $0 } == 2)
    #expect(asking.nulls.withLock { $0 } == 1)
    #expect(key.calls.withLock { $0 } == 3, "the key's too, though it is looked up and stored")
  }

  // FEM-139, WAM-39, WAM-40, BUG-41, Q-08
  @Test(arguments: StoreKind.allCases)
  func aKeyIsLookedUpAsItsTransformMadeIt(_ kind: StoreKind) throws {
    let digits = Transform<Int>(reading: { value in
      guard let text = value.string, let number = Int(text) else { throw TransformError("expected digits") }
      return .value(number)
    })
    let plain = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
    }
    let text = Mapping(Item.self, "Text", entity: "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id, at: "meta.key", transform: digits)
      Attribute("title", \.title)
      ToOne("part", \.part, plain)
    }
    let world = try World(kind, text, plain)
    try #expect(world.load(#"{"id":7,"title":"a"}"#, as: "Item") == "Item +1")
    try #expect(world.load(#"{"meta":{"key":"7"},"title":"b","part":{"id":7}}"#) == "Item ~1")
    try #expect(world.dump() == #"Item 7 title="b" part=7"#)
  }

  private static func instant(_ seconds: Int64, _ counter: Counter = Counter()) -> Transform<Timestamp> {
    Transform(reading: { value in
      counter.count(value)
      return value.string == "?" ? .skip : .value(Timestamp(seconds: seconds))
    })
  }

  // WAM-26, WAM-27, WAM-28, WAM-29, WAM-30, WAM-32, WAM-33, Q-25, WAM-20
  @Test(arguments: StoreKind.allCases)
  func aTypesTransformServesEveryPropertyOfTheTypeWithoutItsOwn(_ kind: StoreKind) throws {
    let own = Transform<Timestamp>(reading: { value in
      .value(Timestamp(seconds: value.integer ?? -1))
    })
    let part = Mapping(Item.self, "Part", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("born", \.born)
    }
    let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("born", \.born)
      Attribute("died", \.died, transform: own)
      ToOne("part", \.part, part)
    }
    var transforms = Transforms()
    transforms.use(Self.instant(1))
    let counter = Counter()
    transforms.use(Self.instant(2, counter))
    let item = try item(
      kind, mapping, transforms,
      #"{"id":1,"born":"x","died":9,"part":{"id":5,"born":"y"}}"#,
      #"{"id":1,"born":"?","died":7,"part":{"id":5}}"#)
    #expect(item.born == Timestamp(seconds: 2), "the last one given counts, and a skip keeps")
    #expect(item.died == Timestamp(seconds: 7), "its own goes first, though it changes nothing")
    #expect(item.part?.born == Timestamp(seconds: 2), "at every depth")
    let cleared = try self.item(kind, mapping, transforms, #"{"id":1,"born":"x"}"#, #"{"id":1,"born":null}"#)
    #expect(cleared.born == nil, "null is not the transform's")
    #expect(counter.calls.withLock { $0 } == 4, "nor is what is missing")
    #expect(counter.nulls.withLock { $0 } == 0)
  }

  // WAM-31, WAM-33, Q-25
  @Test(arguments: StoreKind.allCases)
  func aTypesTransformServesThatTypeAloneAndThatPlanAlone(_ kind: StoreKind) throws {
    final class Lists {
      var id = ""
      var one = ""
      var many: [String] = []
    }
    let mapping = Mapping(Lists.self, "Lists", primaryKey: "id", make: Lists.init) {
      Attribute("id", \.id)
      Attribute("one", \.one)
      Attribute("many", \.many)
    }
    var transforms = Transforms()
    transforms.use(Self.lowercased)
    let world = try World(kind, Plan(mapping, transforms: transforms))
    try #expect(world.load(#"{"id":"K","one":"ABC","many":["ABC"]}"#) == "Lists +1")
    let lists = try #require(try world.instance(mapping, "k"))
    #expect((lists.one, lists.many) == ("abc", ["ABC"]))
    try #expect(world.load(#"[{"id":"k"},{"id":"K"}]"#) == "Lists =1", "a key is looked up as it was made")
    let other = try World(kind, mapping, holding: #"{"id":"K","one":"ABC"}"#)
    #expect(try other.instance(mapping, "K")?.one == "ABC")
  }
}
