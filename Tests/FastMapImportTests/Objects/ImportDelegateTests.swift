import FastMapCore
import FastMapMemory
import Synchronization
import TestSupport
import Testing

/// Notes each call in words.
private final class Log: ImportDelegate {
  private let words = Mutex<[String]>([])
  /// Fails at this line.
  let failsAt: String?

  struct Failure: Error {}

  init(failsAt: String? = nil) { self.failsAt = failsAt }

  var lines: [String] { words.withLock { $0 } }

  private func note(_ line: String) throws {
    words.withLock { $0.append(line) }
    if line == failsAt { throw Failure() }
  }

  func willMapObject(_ object: MappedObject, from representation: JSONValue) throws {
    try note("will \(object.mapping.name) \(representation.text) \(text(try object.record()))")
  }

  func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
    try note("did \(object.mapping.name) \(representation.text) \(text(try object.record()))")
  }

  func willMapCollection(of mapping: MappingDefinition, from representation: JSONValue?) throws {
    try note("will \(mapping.name)s \(representation?.text ?? "-")")
  }

  func didMapCollection(
    _ objects: [MappedObject], of mapping: MappingDefinition, from representation: JSONValue?
  ) throws {
    let found = try objects.map { text(try $0.record()) }
    try note("did \(mapping.name)s \(representation?.text ?? "-") \(found.joined(separator: " "))")
  }

  /// `name/relationships that have targets`, without the key.
  private func text(_ record: Record?) -> String {
    guard let record else { return "gone" }
    let values = record.values.filter { $0.name != "id" }.map {
      if case .string(let text) = $0.value { text } else { "\($0.value)" }
    }
    let links = ["tags", "mate"].filter { !record.targets($0).isEmpty }
    return "(" + (values + links).joined(separator: " ") + ")"
  }
}

private enum Delegated {
  static let tag = Mapping("Tag") { Attribute("t", .string) }

  static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("n", .string)
    ToMany("tags", tag)
    ToOne("mate", person)
  }

  static func load(
    _ kind: StoreKind, _ payloads: String..., mapping: Mapping<Record> = person,
    change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> [String] {
    let world = try World(kind, mapping)
    var lines: [String] = []
    for payload in payloads {
      let log = Log()
      var options = ImportOptions(delegate: log)
      change(&options)
      try world.load(payload, options: options)
      lines = log.lines
    }
    return lines
  }
}

/// A delegate is told of each object and collection.
@Suite struct ImportDelegateTests {
  // FEM-162, FEM-163, FEM-164, FEM-165, FEM-166, FEM-169, Q-29, Q-30
  @Test(arguments: StoreKind.allCases)
  func aDelegateIsCalledInPayloadOrderWithEachOwnRepresentation(_ kind: StoreKind) throws {
    let lines = try Delegated.load(kind, #"[{"id":1,"n":"a","tags":[{"t":"x"}]}]"#)
    #expect(
      lines == [
        "will Persons -",
        #"will Person {"id":1,"n":"a","tags":[{"t":"x"}]} (a tags)"#,
        #"will Tags [{"t":"x"}]"#,
        #"will Tag {"t":"x"} (x)"#,
        #"did Tag {"t":"x"} (x)"#,
        #"did Tags [{"t":"x"}] (x)"#,
        #"did Person {"id":1,"n":"a","tags":[{"t":"x"}]} (a tags)"#,
        "did Persons - (a tags)",
      ])
  }

  // FEM-163, FEM-164
  @Test(arguments: StoreKind.allCases)
  func aTargetIsDoneBeforeItsOwnerAndEachCallSeesTheBatchAsStored(_ kind: StoreKind) throws {
    let lines = try Delegated.load(
      kind, #"{"id":1,"n":"a"}"#, #"{"id":1,"n":"b","mate":{"id":1,"n":"c"}}"#)
    #expect(
      lines == [
        #"will Person {"id":1,"n":"b","mate":{"id":1,"n":"c"}} (c mate)"#,
        #"will Person {"id":1,"n":"c"} (c mate)"#,
        #"did Person {"id":1,"n":"c"} (c mate)"#,
        #"did Person {"id":1,"n":"b","mate":{"id":1,"n":"c"}} (c mate)"#,
      ])
  }

  // FEM-165, FEM-76, FEM-77
  @Test(arguments: StoreKind.allCases)
  func anEmptyArrayIsACollectionAndNullAndASingleValueAreNone(_ kind: StoreKind) throws {
    #expect(
      try Delegated.load(kind, #"{"id":1,"tags":[]}"#) == [
        #"will Person {"id":1,"tags":[]} ()"#, "will Tags []", "did Tags [] ",
        #"did Person {"id":1,"tags":[]} ()"#,
      ])
    #expect(try Delegated.load(kind, #"{"id":1,"tags":null,"mate":null}"#).count == 2)
    #expect(
      try Delegated.load(kind, #"{"id":1,"tags":{"t":"x"}}"#).map { $0.prefix(8) }
        == ["will Per", "will Tag", "did Tag ", "did Pers"])
    #expect(try Delegated.load(kind, "[]") == ["will Persons -", "did Persons - "])
  }

  // FEM-163, FEM-167, Q-17
  @Test(arguments: StoreKind.allCases)
  func aDelegateIsNotCalledForAWeakMissOrAFaultyObject(_ kind: StoreKind) throws {
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("n", .string)
      ToOne("mate", Delegated.person, isWeak: true)
    }
    let lines = try Delegated.load(
      kind, #"[{"id":1,"mate":{"id":9}},{"id":2,"n":7}]"#, mapping: person
    ) { $0.faults = .skip }
    #expect(
      lines == [
        "will Persons -", #"will Person {"id":1,"mate":{"id":9}} ()"#,
        #"did Person {"id":1,"mate":{"id":9}} ()"#, "did Persons - ()",
      ])
  }

  // FEM-167
  @Test(arguments: StoreKind.allCases)
  func aRelationshipWithoutAKeyPathHasItsOwnersRepresentation(_ kind: StoreKind) throws {
    let category = Mapping("Category", primaryKey: "cat") { Attribute("cat", .integer) }
    let site = Mapping("Site", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("mate", category, at: .wholeValue)
    }
    #expect(
      try Delegated.load(kind, #"{"id":3,"cat":4}"#, mapping: site).map { $0.prefix(while: { $0 != "(" }) }
        == [
          #"will Site {"id":3,"cat":4} "#, #"will Category {"id":3,"cat":4} "#,
          #"did Category {"id":3,"cat":4} "#, #"did Site {"id":3,"cat":4} "#,
        ])
  }

  // BUG-50, Q-21, FEM-169
  @Test(arguments: StoreKind.allCases)
  func anErrorThatADelegateThrowsEndsTheImportAndChangesNothing(_ kind: StoreKind) throws {
    let world = try World(kind, Delegated.person)
    let options = ImportOptions(delegate: Log(failsAt: #"did Tag {"t":"x"} (x)"#))
    #expect(world.failure(of: #"{"id":1,"tags":[{"t":"x"}]}"#, options: options) == "Failure()")
    try #expect(world.dump() == "")
  }

  @Test(arguments: StoreKind.allCases)
  func aDelegateChangesNoResultOrCount(_ kind: StoreKind) throws {
    for node in [Kin.assigning, Kin.merging, Kin.replacing] {
      let with = try World(kind, node)
      let without = try World(kind, node)
      for payload in [
        #"[{"id":1,"t":"a","lines":[{"t":"1"},{"t":"2"}],"kids":[{"id":2},{"id":3,"t":"c"}],"child":{"id":4}}]"#,
        #"[{"id":1,"kids":[{"id":3},{"id":5}],"lines":[{"t":"3"}]},{"id":1,"t":"b","child":{"id":1}},{"id":2,"kids":[]}]"#,
        #"[{"id":1,"kids":[{"id":3},{"id":5}],"lines":[{"t":"3"}],"child":null},{"id":5,"lines":null,"kids":null}]"#,
      ] {
        let delegated = try with.report(payload, options: ImportOptions(delegate: Log()))
        let plain = try without.report(payload)
        #expect(delegated.entities == plain.entities)
        try #expect(with.dump() == without.dump())
      }
    }
  }

  // FEM-168, BUG-53: absent callbacks are not called, and the delegate lives as long as the import needs it
  @Test(arguments: StoreKind.allCases)
  func aDelegateMayHaveOneCallback(_ kind: StoreKind) throws {
    final class Names: ImportDelegate {
      let seen = Mutex<[String]>([])
      func didMapObject(_ object: MappedObject, from representation: JSONValue) {
        seen.withLock { $0.append("\(object.mapping.name) \(representation.text)") }
      }
    }
    struct Silent: ImportDelegate {}
    let world = try World(kind, Fixture.thread)
    let names = Names()
    var options = ImportOptions(delegate: names)
    let payload = #"{"id":1,"last":{"id":300,"thread":{"id":1}}}"#
    try world.load(payload, options: options)
    #expect(
      names.seen.withLock { $0 } == [
        #"ThreadKey {"id":1}"#, #"Post {"id":300,"thread":{"id":1}}"#, "Thread \(payload)",
      ], "each with the mapping of its level")
    options.delegate = Silent()
    try #expect(world.load(payload, options: options) == "Thread =1, Post =1")
  }
}

private enum Kin {
  static let assigning: Mapping<Record> = make(.assign) { assigning }
  static let merging: Mapping<Record> = make(.merge) { merging }
  static let replacing: Mapping<Record> = make(.replace) { replacing }

  private static func make(
    _ policy: RelationshipPolicy, _ itself: @escaping @Sendable () -> Mapping<Record>
  ) -> Mapping<Record> {
    let line = Mapping("Line") { Attribute("t", .string) }
    return Mapping("Node", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("t", .string)
      ToMany("kids", itself(), policy: policy)
      ToOne("child", itself(), policy: policy)
      ToMany("lines", line, policy: policy)
    }
  }
}
