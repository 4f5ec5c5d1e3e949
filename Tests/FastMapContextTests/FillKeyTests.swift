import FastMapCore
import FastMapMemory
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var email: String? { didSet { emailWasSet += 1 } }
  var friends: [Person] = []
  var emailWasSet = 0

  init(_ id: Int = 0, _ name: String? = nil) { (self.id, self.name) = (id, name) }

  static let strict: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("email", \.email)
    ToMany("friends", \.friends, strict)
  }

  static let keyless: Mapping<Person> = Mapping(
    Person.self, "Person", primaryKey: "id", missingPrimaryKey: .insert, make: { Person() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("email", \.email)
    ToMany("friends", \.friends, keyless)
  }
}

private final class Account {
  var id: UInt64 = 0
  var name: String?
  var next: Account?

  static let mapping: Mapping<Account> = Mapping(
    Account.self, "Account", primaryKey: "id", make: Account.init
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("next", \.next, mapping)
  }
}

/// The keys of instances that are filled.
@Suite struct FillKeyTests {
  private func fill(
    _ person: Person, _ store: some Store, _ json: String, _ options: ImportOptions = ImportOptions()
  ) throws {
    try Mapper(store).fill(person, from: json, as: Person.strict, options: options)
  }

  private func export(_ store: some Store, _ mapping: Mapping<Person> = Person.strict) throws -> [String] {
    try store.read {
      try $0.objects(mapping, depth: .max).map { "\($0.id) \($0.name ?? "-") \($0.friends.map(\.id))" }
    }
  }

  // MARK: One object for each key

  // BUG-43
  @Test func anInstanceWithoutAKeyIsNoSecondObjectOfTheKeyThatItShows() throws {
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"{"id": 0, "name": "real"}"#, as: Person.strict)
    let draft = Person()
    let expected =
      "expected each instance of Person to have its own key, but two have 0: "
      + "one that had it before and one that had none"
    #expect(message { try fill(draft, store, #"{"name": "draft"}"#) } == expected)
    #expect(draft.name == nil)
    #expect(try export(store) == ["0 real []"])
    // The payload's key is its key.
    try fill(draft, store, #"{"id": 5, "name": "draft"}"#)
    #expect(try export(store) == ["0 real []", "5 draft []"])
    try fill(draft, store, #"{"name": "again"}"#)
    #expect(try export(store) == ["0 real []", "5 again []"])
  }

  @Test(arguments: [false, true])
  func linkedInstancesWithoutAKeyAreNoObjectsOfTheKeyThatTheyShow(isImport: Bool) throws {
    let store = MemoryStore()
    let owner = Person(1)
    if isImport { try fill(owner, store, "{}") }
    owner.friends = [Person(0, "b"), Person(0, "c")]
    let expected =
      "expected each instance of Person to have its own key, but two have 0: "
      + "one that had none and one that had none"
    func run() throws {
      if isImport {
        _ = try Mapper(store).importJSON(
          #"{"id": 1, "name": "a", "friends": [{"id": 7}]}"#, as: Person.strict)
      } else {
        try fill(owner, store, #"{"id": 1, "name": "a"}"#)
      }
    }
    #expect(message(run) == expected)
    #expect(owner.name == nil && owner.friends.map(\.name) == ["b", "c"])
    #expect(try store.read { try $0.count(Person.strict) } == (isImport ? 1 : 0))
    try #require(owner.friends.count == 2)
    (owner.friends[0].id, owner.friends[1].id) = (10, 11)
    if isImport {
      try run()
      #expect(owner.friends.map(\.id) == [7])
    } else {
      try run()
      #expect(try export(store) == ["1 a [10, 11]", "10 b []", "11 c []"])
    }
  }

  @Test func aNewInstanceHasNoKeyWhereObjectsMayLackIt() throws {
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"[{"name": "a"}, {"name": "b"}, {"id": 3}]"#, as: Person.keyless)
    let draft = Person()
    try Mapper(store).fill(draft, from: #"{"name": "c"}"#, as: Person.keyless)
    let text = try store.exported(Person.keyless)
    #expect(
      text == #"[{"id":3},{"name":"a"},{"name":"b"},{"name":"c"}]"#)
    draft.id = 9
    #expect(try store.read { try $0.object(Person.keyless, key: 9) } === draft)
    #expect(try store.exported(Person.keyless).contains(#"{"id":9,"name":"c"}"#))
  }

  // MARK: Keys that no store has

  @Test(
    arguments: StoreKind.allCases,
    [false, true])
  func aKeyAboveTheLargestIntegerIsRefusedWhenTheInstanceComesIn(_ kind: StoreKind, isLinked: Bool) throws {
    let store = try kind.make()
    let account = Account()
    let large = isLinked ? Account() : account
    large.id = .max
    if isLinked {
      account.id = 1
      account.next = large
    }
    let found = message { try Mapper(store).fill(account, from: #"{"name": "a"}"#, as: Account.mapping) }
    let range = "expected an integer from 0 to 9223372036854775807"
    switch (kind, isLinked) {
    case (.memory, _):
      #expect(found == "\(range) as the key of an instance of Account, found 18446744073709551615")
    case (_, false):
      #expect(found == "$.id: \(range), found 18446744073709551615 (line 1, column 1)")
    case (_, true):
      #expect(
        found
          == "$: \(range) as the key of an instance in Account.next, found 18446744073709551615 (line 1, column 1)"
      )
    }
    #expect(account.name == nil)
    #expect(try store.read { try $0.count(Account.mapping) } == 0)
    if isLinked { large.id = 2 }
    try Mapper(store).fill(account, from: #"{"id": 1, "name": "a"}"#, as: Account.mapping)
    #expect(account.id == 1 && account.name == "a")
    #expect(try store.read { try $0.count(Account.mapping) } == (isLinked ? 2 : 1))
  }

  @Test func aKeyAboveTheLargestIntegerIsRefusedWhenItIsLookedAt() throws {
    let store = MemoryStore()
    let accounts = try Mapper(store).objects(
      from: #"[{"id": 1}, {"id": 2}]"#, as: Account.mapping, depth: .max)
    accounts[0].id = UInt64(Int64.max) + 1
    let expected =
      "expected an integer from 0 to 9223372036854775807 as the key of an instance of Account, found 9223372036854775808"
    #expect(
      message { _ = try store.read { try $0.object(Account.mapping, key: 1, depth: .max) } } == expected)
    #expect(message { _ = try store.read { try $0.objects(Account.mapping, depth: .max) } } == expected)
    #expect(message { _ = try Mapper(store).importJSON(#"{"id": 3}"#, as: Account.mapping) } == expected)
    #expect(message { _ = try store.exported(Account.mapping) } == expected)
    accounts[0].id = UInt64(Int64.max)
    #expect(
      try store.read { try $0.objects(Account.mapping, depth: .max) }.map(\.id) == [2, UInt64(Int64.max)])
  }

  // MARK: Two instances with one key

  // BUG-43
  @Test(arguments: StoreKind.allCases, [80, 81])
  func twoNewInstancesWithOneKeyAreAnErrorThatNamesTheKey(_ kind: StoreKind, key: Int) throws {
    let store = try kind.make()
    let owner = Person(81)
    let (a, b) = (Person(80, "a"), Person(key))
    b.email = "b@x"
    owner.friends = [a, b]
    let found = message { try fill(owner, store, #"{"id": 81, "name": "o"}"#) }
    switch kind {
    case .memory:
      #expect(
        found == "expected each instance of Person to have its own key, but two have \(key): "
          + "one that had none and one that had none")
    case .lmdb, .remote, .postgres:
      #expect(
        found == "$: expected each instance of Person to have its own key, but two have \(key): "
          + (key == 80 ? "both in Person.friends" : "the one that is filled and one in Person.friends")
          + " (line 1, column 1)")
    }
    #expect(owner.name == nil && b.email == "b@x")
    #expect(try store.read { try $0.count(Person.strict) } == 0)
    b.id = 82
    try fill(owner, store, #"{"id": 81, "name": "o"}"#)
    #expect(try export(store) == ["80 a []", "81 o [80, 82]", "82 - []"])
    #expect(try store.read { try $0.object(Person.strict, key: 82, depth: .max) }?.email == "b@x")
  }

  @Test func twoCopiesOfAStoredObjectAreThatObject() throws {
    let store = try StoreKind.lmdb.make()
    _ = try Mapper(store).importJSON(#"{"id": 80, "name": "a"}"#, as: Person.strict)
    let owner = Person(81)
    for _ in 0..<2 {
      owner.friends.append(
        try #require(try store.read { try $0.object(Person.strict, key: 80, depth: .max) }))
    }
    #expect(owner.friends[0] !== owner.friends[1])
    try fill(owner, store, #"{"id": 81}"#)
    #expect(try export(store) == ["80 a []", "81 - [80, 80]"])
  }

  // MARK: Faults that are skipped

  /// Faulty payloads for an instance with the key 4, and why.
  private static let faulty = [
    (#"{"id": 4, "name": 5}"#, #"$.name: expected a string, found the number 5 (line 1, column 19)"#),
    (
      #"{"name": [], "friends": [{"id": 9}]}"#,
      #"$.name: expected a string, found an array (line 1, column 10)"#
    ),
  ]

  @Test(arguments: StoreKind.allCases, faulty)
  func aFaultyInstanceIsLeftOutWithThoseItIsLinkedTo(
    _ kind: StoreKind, _ payload: (json: String, words: String)
  ) throws {
    let store = try kind.make()
    let draft = Person(4)
    draft.friends = [Person(6, "f")]
    let report = try Mapper(store).fill(
      draft, from: payload.json, as: Person.strict, options: ImportOptions(faults: .skip))
    #expect(report["Person"] == .init(skipped: 1))
    #expect(report.errors.map { "\($0)" } == [payload.words])
    #expect(draft.name == nil && draft.friends.map(\.id) == [6])
    #expect(try store.read { try $0.count(Person.strict) } == 0)
    try fill(draft, store, #"{"name": "x"}"#)
    #expect(try export(store) == ["4 x [6]", "6 f []"])
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultyStoredInstanceKeepsWhatItHas(_ kind: StoreKind) throws {
    let store = try kind.make()
    let person = try #require(
      try Mapper(store).object(from: #"{"id": 4, "name": "a"}"#, as: Person.strict, depth: .max))
    let report = try Mapper(store).fill(
      person, from: #"{"id": 4, "name": 5}"#, as: Person.strict, options: ImportOptions(faults: .skip))
    #expect(report["Person"] == .init(skipped: 1))
    #expect(try export(store) == ["4 a []"])
  }

  @Test(arguments: StoreKind.allCases)
  func anInstanceThatIsToGetTheKeyOfAnotherObjectIsLeftOut(_ kind: StoreKind) throws {
    let store = try kind.make()
    let people = try Mapper(store).objects(
      from: #"[{"id": 4, "name": "a"}, {"id": 5, "name": "b"}]"#, as: Person.strict)
    let new = Person()
    for person in kind == .memory ? [people[0], new] : [people[0]] {
      let report = try Mapper(store).fill(
        person, from: #"{"id": 5, "name": "x"}"#, as: Person.strict, options: ImportOptions(faults: .skip))
      #expect(report["Person"] == .init(skipped: 1))
      #expect(
        report.errors.map { "\($0)" } == [
          kind == .memory
            ? "$.id: expected a key that is free or the object's own, 5 is another object's (line 1, column 8)"
            : "$.id: expected 4, the key that the instance has in the store, found 5 (line 1, column 8)"
        ])
    }
    #expect(people[0].id == 4 && new.id == 0 && new.name == nil)
    #expect(try export(store) == ["4 a []", "5 b []"])
  }
}
