import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// JSON into an instance that the caller has, without a store.
@Suite struct InstanceFillTests {
  private func member(_ id: Int, _ name: String? = nil) -> Member {
    let member = Member()
    member.id = id
    member.name = name
    return member
  }

  // FEM-15 FEM-170
  @Test func membersThatThePayloadLacksStayAsTheyAre() throws {
    let ada = member(0, "Ada")
    ada.city = "c"
    ada.friends = [member(2)]
    let result = try Member.mapping.fill(ada, from: #"{"id": 1, "age": 36, "address": {"city": null}}"#)
    #expect(result.count == 1 && result[0] === ada && result.errors.isEmpty)
    #expect(ada.id == 1 && ada.name == "Ada" && ada.age == 36 && ada.city == nil)
    #expect(ada.friends.map(\.id) == [2])
  }

  @Test func nullLeavesAPropertyAloneThatIsNotOptional() throws {
    let ada = member(1, "Ada")
    try Member.mapping.fill(ada, from: #"{"name": null, "age": null, "friends": null}"#)
    #expect(ada.name == nil && ada.age == 7 && ada.friends.isEmpty)
  }

  private final class Watched {
    var id = 0 { didSet { sets += 1 } }
    var size = 1.0 { didSet { sets += 1 } }
    var name: String? { didSet { sets += 1 } }
    var next: Watched? { didSet { sets += 1 } }
    var all: Set<Member> = [] { didSet { sets += 1 } }
    var sets = 0

    static let mapping: Mapping<Watched> = Mapping(
      Watched.self, "Watched", primaryKey: "id", make: Watched.init
    ) {
      Attribute("id", \.id)
      Attribute("size", \.size)
      Attribute("name", \.name)
      ToOne("next", \.next, mapping)
      ToMany("all", \.all, Member.mapping, policy: .merge)
    }
  }

  @Test func aPropertyThatHasTheValueIsNotSet() throws {
    let watched = Watched()
    let json = #"{"id": 1, "size": 5, "name": null, "next": {"id": 2}, "all": [3, 4]}"#
    try Watched.mapping.fill(watched, from: json)
    #expect(watched.sets == 4)
    let result = try Watched.mapping.fill(watched, from: json)
    #expect(watched.sets == 4 && watched.next?.sets == 1)
    try Watched.mapping.fill(watched, from: #"{"name": "a", "next": {"id": 2, "size": 2}}"#)
    #expect(watched.sets == 5 && watched.next?.sets == 2)
    withExtendedLifetime(result) {}
  }

  // MARK: Keys

  // FEM-149
  @Test func aKeyThatIsSetMustBeThePayloads() throws {
    let ada = member(3, "Ada")
    ada.boss = member(5)
    #expect(
      message { try Member.mapping.fill(ada, from: #"{"name": "x", "id": 4, "boss": 1}"#) }
        == "$.id: expected 3, the key of the instance, found 4 (line 1, column 21)")
    #expect(ada.name == "Ada" && ada.boss?.id == 5)
    let options = ImportOptions(faults: .skip)
    let result = try Member.mapping.fill(ada, from: #"{"name": "x", "id": 4}"#, options: options)
    #expect(result.isEmpty && result.errors.count == 1 && ada.name == "Ada")
    try Member.mapping.fill(ada, from: #"{"name": "y"}"#)
    try Member.mapping.fill(ada, from: #"{"name": "z", "id": 3}"#)
    #expect(ada.name == "z" && ada.id == 3)
  }

  // FEM-23
  @Test func aNewInstanceTakesAKeyThatIsFree() throws {
    let ada = member(0)
    ada.friends = [member(4)]
    #expect(
      message { try Member.mapping.fill(ada, from: #"{"id": 4}"#) }
        == "$.id: expected a key that is free or the object's own, 4 is another object's (line 1, column 8)")
    try Member.mapping.fill(ada, from: #"{"id": 5, "boss": 5}"#)
    #expect(ada.id == 5 && ada.boss === ada)
    ada.boss = nil
  }

  // FEM-149
  @Test func aMissingKeyIsTheInstancesOwn() throws {
    let ada = member(3)
    try Member.mapping.fill(ada, from: #"{"boss": 3, "friends": [{"id": 3, "name": "Ada"}]}"#)
    #expect(ada.boss === ada && ada.friends == [ada] && ada.name == "Ada")
    (ada.boss, ada.friends) = (nil, [])
    #expect(
      message { try Member.mapping.fill(ada, from: #"{"id": true}"#) }
        == "$.id: expected an integer, found true (line 1, column 8)")
  }

  // MARK: Targets

  // FEM-171
  @Test func targetsWithAKeyOfThePayloadAreUpdatedInPlace() throws {
    let (ada, two, three, far) = (member(1), member(2, "two"), member(3, "three"), member(4, "far"))
    ada.boss = two
    ada.friends = [three]
    three.boss = far
    let json = #"""
      {"id": 1, "boss": {"id": 3, "age": 1}, "friends": [4, {"id": 2, "name": "new"}, 9], "rivals": [{"id": 9, "age": 2}]}
      """#
    try Member.mapping.fill(ada, from: json)
    #expect(ada.boss === three && three.age == 1 && three.name == "three")
    #expect(ada.friends.map(\.id) == [4, 2, 9] && ada.friends[0] === far && ada.friends[1] === two)
    #expect(two.name == "new" && far.name == "far")
    #expect(ada.rivals == [ada.friends[2]] && ada.friends[2].age == 2)
  }

  // FEM-173
  @Test func weakFindsObjectsReachableFromTheInstance() throws {
    let (ada, two) = (member(1), member(2))
    ada.friends = [two]
    try Member.mapping.fill(ada, from: #"{"idol": {"id": 2, "name": "x"}, "fans": [3, 1], "friends": []}"#)
    #expect(ada.idol === two && two.name == "x" && ada.fans == [ada] && ada.friends.isEmpty)
    try Member.mapping.fill(ada, from: #"{"idol": 7}"#)
    #expect(ada.idol === two)
    ada.fans = []
  }

  @Test func aTargetWithoutAKeyIsUpdatedInPlace() throws {
    let ada = member(1)
    let home = Place()
    home.street = "s"
    ada.home = home
    try Member.mapping.fill(ada, from: #"{"home": {"floor": 3, "key": {"street": "k"}}}"#)
    #expect(ada.home === home && home.street == "s" && home.floor == 3)
    let key = home.key
    #expect(key?.street == "k")
    try Member.mapping.fill(ada, from: #"{"home": {"key": {"floor": 2}}}"#)
    #expect(home.key === key && key?.street == "k" && key?.floor == 2)
    try Member.mapping.fill(ada, from: #"{"home": null}"#)
    #expect(ada.home == nil)
  }

  // MARK: Elements

  private func pet(_ name: String?, _ part: Int? = nil) -> Pet {
    let pet = Pet()
    pet.name = name
    if let part {
      let place = Place()
      place.floor = part
      pet.parts = [place]
    }
    return pet
  }

  @Test func anElementThatEqualsOneOfTheListKeepsIt() throws {
    let ada = member(1)
    let old = [pet("a"), pet("b", 2), pet("a"), pet("c")]
    ada.pets = old
    let json = #"""
      {"pets": [{"name": "b", "parts": [{"floor": 2}]}, {"name": "a"}, {"name": "a", "legs": 4}, {"name": "a"},
                {"name": "b"}, {"name": "c", "legs": 3}]}
      """#
    try Member.mapping.fill(ada, from: json)
    let kept = ada.pets.map { pet in old.firstIndex { $0 === pet } }
    #expect(kept == [1, 0, 2, nil, nil, nil])
    #expect(ada.pets.map(\.name) == ["b", "a", "a", "a", "b", "c"])
    #expect(ada.pets[5].legs == 3 && old[3].legs == 4)
  }

  @Test func mergeAddsElementsThatTheListLacks() throws {
    let ada = member(1)
    let old = [pet("a"), pet("a"), pet("b")]
    ada.toys = old
    try Member.mapping.fill(ada, from: #"{"toys": [{"name": "c"}, {"name": "a"}, {"name": "c"}]}"#)
    #expect(ada.toys.map(\.name) == ["a", "a", "b", "c"])
    #expect(zip(ada.toys, old).allSatisfy { $0 === $1 })
  }

  @Test func aTargetInsideOfAnElementIsComparedByIdentity() throws {
    let (ada, two) = (member(1), member(2))
    let (first, second) = (pet("a"), pet("a"))
    first.friend = two
    second.friend = ada
    ada.pets = [first, second]
    try Member.mapping.fill(
      ada, from: #"{"pets": [{"name": "a", "friend": {"id": 1}}, {"name": "a", "friend": 3}]}"#)
    #expect(ada.pets[0] === second && ada.pets[1] !== first && ada.pets[1].friend?.id == 3)
    ada.pets = []
  }

  @Test func aRingOfElementsEnds() throws {
    let ada = member(1)
    let home = Place()
    home.key = home
    let ringed = pet("a")
    ringed.home = home
    ada.pets = [ringed]
    try Member.mapping.fill(ada, from: #"{"pets": [{"name": "a", "home": {"key": {}}}]}"#)
    #expect(ada.pets.count == 1 && ada.pets[0] !== ringed)
    home.key = nil
  }

  @Test func aMixedListKeepsCardsByKeyAndByValue() throws {
    let ada = member(1)
    let (keyed, plain) = (Card(), Card())
    (keyed.number, keyed.text, plain.text) = ("k", "old", "t")
    ada.cards = [keyed, plain]
    try Member.mapping.fill(
      ada, from: #"{"cards": [{"text": "u"}, {"text": "t"}, {"number": "k", "text": "new"}]}"#)
    #expect(ada.cards.map(\.text) == ["u", "t", "new"])
    #expect(ada.cards[1] === plain && ada.cards[2] === keyed)
  }

  @Test func aListWithAFaultyElementStaysUnlessItIsEmpty() throws {
    let ada = member(1)
    let old = pet("a")
    ada.pets = [old]
    let options = ImportOptions(faults: .skip)
    let json =
      #"{"pets": [{"name": "b"}, {"legs": "x"}], "toys": [{"name": "b"}, {"legs": "x"}], "friends": [2, {"id": []}]}"#
    ada.friends = [member(3)]
    let result = try Member.mapping.fill(ada, from: json, options: options)
    #expect(result.errorCount == 3 && result.count == 1)
    #expect(ada.pets.count == 1 && ada.pets[0] === old)
    #expect((ada.toys.map(\.name), ada.friends.map(\.id)) == (["b"], [3, 2]))
    ada.pets = []
    try Member.mapping.fill(ada, from: json, options: options)
    #expect(ada.pets.map(\.name) == ["b"])
  }

  // MARK: Inverses

  @Test func inversesKeepOwnersThatThePayloadDoesNotReach() throws {
    let (one, five, nine) = (member(1), member(5), member(9))
    let target = member(2)
    (five.staff, nine.staff, target.chief) = ([target], [target], five)
    one.friends = [target]
    // The instance reaches 2, and not 5.
    try Member.mapping.fill(one, from: #"{"staff": [2, 3]}"#)
    #expect(target.chief === one && one.staff[1].chief === one)
    try Member.mapping.fill(one, from: #"{"staff": [3]}"#)
    #expect(target.chief == nil && one.staff[0].chief === one)
    withExtendedLifetime((five, nine)) {}
  }

  // MARK: Errors

  // BUG-50
  @Test func aFaultLeavesAllInstancesAsTheyAre() throws {
    let (ada, two) = (member(1, "Ada"), member(2, "two"))
    (ada.boss, ada.friends, ada.guests) = (two, [two], [])
    let before = Graph.text([ada])
    for json in [
      #"{"name": "x", "boss": {"id": 2, "name": "x"}, "friends": [3, {"id": 4, "age": "x"}]}"#,
      #"{"name": "x", "boss": [1]}"#, #"{"name": "x", "boss": {"id": 2, "name": "x"}"#, "[]", "[{}]", "1",
    ] {
      #expect(message { try Member.mapping.fill(ada, from: json) } != nil, "\(json)")
      #expect(Graph.text([ada]) == before)
    }
  }

  @Test func aDryRunChecksAndSetsNothing() throws {
    let ada = member(1, "Ada")
    let options = ImportOptions(isDryRun: true)
    try Member.mapping.fill(ada, from: #"{"name": "x"}"#, options: options)
    #expect(ada.name == "Ada")
    #expect(message { try Member.mapping.fill(ada, from: #"{"id": 2}"#, options: options) } != nil)
  }

  /// The instances that a filled one reaches are looked at once.
  @Test func aLongChainIsReachedInLinearTimeWithoutStack() throws {
    let chain = (0..<20_000).map { member($0 + 1) }
    for (a, b) in zip(chain, chain.dropFirst()) { a.boss = b }
    try Member.mapping.fill(chain[0], from: #"{"friends": [20000, 77777]}"#)
    #expect(chain[0].friends[0] === chain[19_999])
    for member in chain { member.boss = nil }
  }
}
