import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

/// `fastmap swift` for mappings with kinds: subclasses that import as the file does.
@Suite struct GeneratedKindsTests {
  private static let mappings = Files.root + "/Tests/FastMapToolTests/Generated/Mappings/events.json"

  private static let events = #"""
    {"events": [
      {"id": 1, "at": 5, "meta": {"type": "PushEvent"}, "payload": {"size": 3}, "user_name": "a",
       "detail": {"message": "m"}, "x": 0.10, "note": "p", "next": {"id": 2, "meta": {"type": "WatchEvent"}},
       "steps": [{"kind": "run", "command": "c", "args": []}, {"kind": "odd"}, {"kind": "wait", "seconds": 1.5}]},
      {"id": 2, "at": 6, "meta": {"type": "WatchEvent"}, "size": 8, "userName": "b", "details": {"text": "t", "stars": 2},
       "pushes": [{"id": 1, "at": 5}, {"id": 7, "at": 1, "meta": {"type": "push"}}]},
      {"id": 3, "at": 7, "meta": {"type": "ForkEvent"}, "next": 9},
      {"id": 4, "at": 8, "meta": {"type": "OtherEvent"}, "note": "n", "size": 2},
      {"id": 5, "note": "no type", "x": {"y": null}}
    ]}
    """#

  private static let later = #"""
    {"events": [
      {"id": 1, "at": 1, "meta": {"type": "PushEvent"}, "user_name": "old"},
      {"id": 4, "x": 5, "size": null}, {"id": 2, "x": 1, "note": "q"},
      {"id": 3, "at": 9, "meta": {"type": "WatchEvent"}, "userName": "changed"},
      {"id": 9, "at": 9, "meta": {"type": "PushEvent"}, "steps": [{"kind": "wait", "seconds": 2}]}
    ]}
    """#

  private static func dump(_ plan: Plan, _ payloads: [String]) throws -> (text: String, reports: [String]) {
    let scratch = Scratch()
    let store = try LMDBStore(at: scratch.path("store"))
    let reports = try payloads.map { payload in
      let report = try Mapper(store).importJSON(payload, as: plan)
      return plan.schema.entities.map { "\($0.name) \(report[$0.name].map { "\($0)" } ?? "")" }.joined()
    }
    var dump: [UInt8] = []
    try store.dump { dump += $0 }
    return (String(decoding: dump, as: UTF8.self), reports)
  }

  @Test func kindsAreStoredAsByTheirMappingFile() throws {
    let set = try MappingSet(file: try Files.bytes(of: Self.mappings))
    let payloads = [Self.events, Self.events, Self.later]
    let byFile = try Self.dump(set.plan(for: "AnyEvent"), payloads)
    let byClass = try Self.dump(Events.allMappings.plan(for: "AnyEvent"), payloads)
    #expect(byFile.text.split(separator: "\n").count > 10)
    #expect(byClass.text == byFile.text)
    #expect(byClass.reports == byFile.reports)
  }

  @Test func instancesAreOfTheClassesOfTheirKinds() throws {
    let found = try Events.Event.mapping.objects(from: Self.events)
    #expect(found.map { "\(type(of: $0))" } == ["Push", "Watch", "Fork", "OtherEvent", "OtherEvent"])
    let push = try #require(found[0] as? Events.Push)
    #expect(push.size == 3 && push.userName == "a" && push.details?.text == "m" && push.next === found[1])
    #expect(push.steps.map { "\(type(of: $0)) \($0.word ?? "")" } == ["RunStep run", "WaitStep wait"])
    let watch = try #require(found[1] as? Events.Watch)
    #expect(watch.size == 8 && watch.userName == "b" && watch.pushes.map(\.id) == [1, 7])
    #expect((found[3] as? Events.OtherEvent)?.note == "n")
    #expect(push.other?.text == #"{"note":"p","x":0.10}"# && found[3].other?.text == #"{"size":2}"#)
    #expect((push.steps[0] as? Events.RunStep)?.more?.text == #"{"args":[]}"#)
    try Events.Event.mapping.fill(
      found[3], from: #"{"events": {"id": 4, "x": 5, "size": null, "note": "m"}}"#)
    #expect((found[3] as? Events.OtherEvent)?.note == "m" && found[3].other?.text == #"{"x":5}"#)
  }

  @Test(arguments: [
    (#""rootPath": "pushes","#, "rootPath"), (#""missingPrimaryKey": "skip","#, "missingPrimaryKey"),
  ])
  func aKindWithAMemberThatItsBaseClassLacksIsRefused(_ text: String, _ member: String) throws {
    let workspace = try Workspace()
    try workspace.write(
      """
      {"fastmap": 1, "mappings": {
        "Event": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"p": "Push"}}},
        "Push": {"entity": "Event", \(text) "primaryKey": "id", "attributes": {"id": "integer"}}
      }}
      """, to: "kinds.json")
    let run = try workspace.fastmap("swift", "--mappings", "kinds.json")
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(
      run.errors == "$.mappings.Push.\(member): a subclass has the \"\(member)\" of its base class; "
        + "write it in the mapping \"Event\" (kinds.json)\n")
  }
}
