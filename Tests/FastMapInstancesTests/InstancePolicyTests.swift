import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Custom policies and delegates see instances.
@Suite struct InstancePolicyTests {
  private final class Note {
    var id = 0
    var rank = 0
    var next: Note?
    var links: [Note] = []
    var extra: [Note]? = []

    static func mapping(
      next: RelationshipPolicy = .assign, links: RelationshipPolicy = .assign
    ) -> Mapping<Note> {
      Mapping(Note.self, "Note", primaryKey: "id", make: Note.init) {
        Attribute("id", \.id)
        Attribute("rank", \.rank)
        ToOne("next", \.next, plain, policy: next)
        ToMany("links", \.links, plain, policy: links)
        ToMany("extra", \.extra, plain)
      }
    }

    static let plain: Mapping<Note> = Mapping(
      Note.self, "Plain", entity: "Note", primaryKey: "id", make: Note.init
    ) {
      Attribute("id", \.id)
      Attribute("rank", \.rank)
    }
  }

  private func note(_ id: Int, _ links: Note...) -> Note {
    let note = Note()
    note.id = id
    note.links = links
    return note
  }

  // FEM-170
  @Test(arguments: [RelationshipPolicy.assign, .merge, .replace])
  func namedPoliciesHaveThePropertysTargetsAsOldOnes(_ policy: RelationshipPolicy) throws {
    let (two, three) = (note(2), note(3))
    let one = note(1, two, three)
    one.next = two
    try Note.mapping(next: policy, links: policy).fill(one, from: #"{"next": null, "links": [4, 3]}"#)
    let isMerge = policy == .merge
    #expect(one.links.map(\.id) == (isMerge ? [2, 3, 4] : [4, 3]))
    #expect(one.links[1] === three)
    #expect((one.next === two) == isMerge)
  }

  @Test func aCustomPolicyChoosesAmongInstances() throws {
    let mapping = Note.mapping(
      links: .custom("best") { change in
        #expect(change.ownerEntity == "Note" && change.relationship.name == "links")
        #expect((change.instance(change.owner) as? Note)?.id == 1)
        try #expect(change.record(change.owner)?["rank"] == .integer(9))
        let all = (change.old + change.new).compactMap { id in
          (change.instance(id) as? Note).map { (id, $0.rank) }
        }
        return all.sorted { $0.1 < $1.1 }.map(\.0)
      })
    let one = note(1, note(2))
    one.links[0].rank = 5
    try mapping.fill(one, from: #"{"rank": 9, "links": [{"id": 3, "rank": 7}, {"id": 4, "rank": 1}]}"#)
    #expect(one.links.map(\.rank) == [1, 5, 7])
    let objects = try mapping.objects(
      from:
        #"[{"id": 1, "rank": 9, "links": [{"id": 3, "rank": 7}]}, {"id": 1, "links": [{"id": 4, "rank": 1}]}]"#
    )
    #expect(objects[0].links.map(\.id) == [4, 3])
  }

  @Test func deletingATargetUnlinksIt() throws {
    let mapping = Note.mapping(
      next: .custom { change in
        #expect(change.isNull)
        return change.old
      },
      links: .custom { change in
        for old in change.old { change.delete(old) }
        return change.old + change.new
      })
    let one = note(1, note(2))
    one.next = one.links[0]
    try mapping.fill(one, from: #"{"next": null, "links": [5]}"#)
    #expect(one.links.map(\.id) == [5] && one.next?.id == 2)
  }

  @Test func aPolicyCannotReturnAnythingElse() throws {
    let one = note(1, note(2))
    func failure(_ mapping: Mapping<Note>) -> String? {
      message { try mapping.fill(one, from: #"{"rank": 4, "next": 3, "links": [3]}"#) }
    }
    #expect(
      failure(Note.mapping(next: .custom("two") { $0.new + $0.new }))
        == #"the policy "two" of "next" returned 2 targets for a to-one relationship"#)
    #expect(
      failure(Note.mapping(links: .custom("odd") { _ in [ObjectID(rawValue: 99)] }))
        == #"the policy "odd" of "links" returned the target 99, which is not a target"#)
    #expect(one.rank == 0 && one.links.map(\.id) == [2] && one.next == nil)
  }

  @Test func thereIsNoStore() throws {
    let mapping = Note.mapping(
      links: .custom { change in
        let (count, record) = (try change.store.count(of: "Note"), try change.store.record("Note", key: 3))
        #expect(count == 0 && record == nil)
        return change.new
      })
    try #expect(mapping.object(from: #"{"id": 1, "links": [3]}"#)?.links.count == 1)
  }

  struct Stop: Error {}

  @Test func aPolicyThatThrowsLeavesPropertiesAsTheyWere() throws {
    let (two, three) = (note(2), note(3))
    let one = note(1, two, three)
    (one.rank, two.rank, one.next) = (4, 5, three)
    let mapping = Note.mapping(next: .custom { _ in throw Stop() })
    #expect(throws: Stop.self) {
      try mapping.fill(
        one,
        from: #"{"rank": 1, "links": [{"id": 2, "rank": 9}, 6], "next": {"id": 3, "rank": 8}, "extra": [2]}"#)
    }
    #expect(one.rank == 4 && two.rank == 5 && three.rank == 0 && one.next === three)
    #expect(one.links.elementsEqual([two, three], by: ===) && one.extra?.isEmpty ?? true)
  }

  // MARK: Delegates

  private final class Log: ImportDelegate {
    let lines = Collector<String>()
    let stopsAt: Int?

    init(stopsAt: Int? = nil) { self.stopsAt = stopsAt }

    func willMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      let note = object.instance as? Note
      lines.add("will \(note?.id ?? -1)")
    }

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      guard let note = object.instance as? Note else { return }
      let rank = try object.record()?["rank"]
      lines.add(
        "did \(note.id) \(note.links.map(\.id)) \(rank == .integer(Int64(note.rank)) ? note.rank : -1)")
      note.rank += 100
      if note.id == stopsAt { throw Stop() }
    }

    func willMapCollection(of mapping: MappingDefinition, from representation: JSONValue?) throws {
      lines.add("will [\(mapping.name)]")
    }

    func didMapCollection(
      _ objects: [MappedObject], of mapping: MappingDefinition, from representation: JSONValue?
    ) throws {
      lines.add("did [\(mapping.name)] \(objects.compactMap { ($0.instance as? Note)?.id })")
    }
  }

  @Test func aDelegateSeesEachInstance() throws {
    let log = Log()
    let objects = try Note.mapping(links: .merge).objects(
      from: #"[{"id": 1, "links": [{"id": 2, "rank": 1}, 3]}, {"id": 1, "links": [3, 4]}]"#,
      options: ImportOptions(delegate: log))
    #expect(
      log.lines.all == [
        "will [Note]", "will 1", "will [Plain]", "will 2", "did 2 [] 1", "will 3", "did 3 [] 0",
        "did [Plain] [2, 3]", "did 1 [2, 3, 4] 0", "will 1", "will [Plain]", "will 3", "did 3 [] 100",
        "will 4",
        "did 4 [] 0", "did [Plain] [3, 4]", "did 1 [2, 3, 4] 100", "did [Note] [1, 1]",
      ])
    #expect(objects[0].rank == 200 && objects[0].links.map(\.rank) == [101, 200, 100])
  }

  @Test func aDelegateThatThrowsLeavesPropertiesAsTheyWere() throws {
    let two = note(2)
    let one = note(1, two)
    #expect(throws: Stop.self) {
      try Note.mapping().fill(
        one, from: #"{"rank": 3, "links": [{"id": 2, "rank": 4}, 5]}"#,
        options: ImportOptions(delegate: Log(stopsAt: 1)))
    }
    #expect(one.rank == 0 && two.rank == 0 && one.links.elementsEqual([two], by: ===))
  }

  /// Elements are new objects to a delegate, also where the list keeps instances that equal them.
  @Test func elementsAreMatchedWhenTheirListIsComplete() throws {
    final class Count: ImportDelegate {
      let names = Collector<ObjectIdentifier>()
      func didMapObject(_ object: MappedObject, from representation: JSONValue) {
        if let pet = object.instance as? Pet { names.add(ObjectIdentifier(pet)) }
      }
    }
    let member = Member()
    let pet = Pet()
    pet.name = "a"
    member.pets = [pet]
    let count = Count()
    let result = try Member.mapping.fill(
      member, from: #"{"pets": [{"name": "a"}]}"#, options: ImportOptions(delegate: count))
    #expect(member.pets.count == 1 && member.pets[0] === pet)
    #expect(count.names.all.count == 1 && count.names.all[0] != ObjectIdentifier(pet))
    withExtendedLifetime(result) {}
  }
}
