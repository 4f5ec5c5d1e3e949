import FastMapCore
import FastMapStoreTesting
import Foundation
import TestSupport
import Testing

@testable import FastMapLMDB

/// The objects that an import in several transactions has unlinked when its process ends. They are written down, `check`
/// counts them, and the next write removes them.
@Suite struct LeftoverTests {
  private let scratch = Scratch()

  private static let order = Mapping("Order", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany(
      "lines",
      Mapping("Line") {
        Attribute("text", .string)
        ToMany("parts", Mapping("Part") { Attribute("n", .integer) })
      })
    ToMany("tags", tag, policy: .replace)
  }
  private static let tag = Mapping("Tag", primaryKey: "name") {
    Attribute("name", .string)
    Attribute("color", .string)
  }

  /// Each order with lines, parts and tags of its own, fewer of them in the second version. The last order has a tag of
  /// the first one, by its key alone.
  private static func payload(_ version: Int) -> [UInt8] {
    let orders = (0..<60).map { id in
      let lines = (0..<(version == 0 ? 4 : id % 3)).map {
        #"{"text":"\#(version)-\#($0)","parts":[{"n":\#($0)},{"n":\#(version)}]}"#
      }
      var tags =
        version == 0 ? ["\(id)", "\(id)a"].map { #"{"name":"\#($0)","color":"c\#($0)"}"# } : [#""\#(id)""#]
      if version == 1, id == 59 { tags.append(#""0a""#) }
      return
        #"{"id":\#(id),"lines":[\#(lines.joined(separator: ","))],"tags":[\#(tags.joined(separator: ","))]}"#
    }
    return Array("[\(orders.joined(separator: ","))]".utf8)
  }

  /// The contents of a store, regardless of the numbers of its objects.
  private static func contents(_ store: LMDBStore, _ plan: Plan) throws -> [String] {
    let counts = try store.statistics().entities.map { "\($0.name): \($0.objectCount)" }
    return try store.export(plan) + store.export(Plan(tag)) + counts
  }

  /// The store as a process leaves it that is killed when so many root objects have been imported.
  private func killed(at count: Int, of interval: Int) throws -> String {
    let path = scratch.path + "/\(UUID().uuidString)"
    let copy = path + "-killed"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    let store = try LMDBStore(at: path)
    let plan = try Plan(Self.order)
    _ = try Mapper(store).importJSON(Self.payload(0), as: plan)
    var options = ImportOptions(commitInterval: interval)
    options.onProgress = { step in
      guard step.rootObjects == count else { return }
      // Uncommitted objects are in no file.
      try? FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: copy + "/data.mdb")
    }
    _ = try Mapper(store).importJSON(Self.payload(1), as: plan, options: options)
    return copy
  }

  /// The number of imported objects at the kill, its interval of commits, and the interval of the next import.
  private static let moments = [(20, 10), (30, 1), (56, 7), (2, 1)].flatMap { moment in
    ([nil, 1, 9] as [Int?]).map { (moment.0, moment.1, $0) }
  }

  /// The contents of a store after both versions, in which no import was killed.
  private static let reference = Result {
    let scratch = Scratch()
    let store = try LMDBStore(at: scratch.store)
    let plan = try Plan(order)
    for version in [0, 1] { _ = try Mapper(store).importJSON(payload(version), as: plan) }
    return try contents(store, plan)
  }

  @Test(arguments: TestSize.cases(moments, small: 3))
  func theNextImportRemovesThem(_ count: Int, _ killed: Int, _ interval: Int?) throws {
    let plan = try Plan(Self.order)
    let store = try LMDBStore(at: try self.killed(at: count, of: killed))
    let found = try store.check()
    #expect(found.isSound)
    #expect(found.leftoverCount > 0)
    let options = ImportOptions(commitInterval: interval)
    _ = try Mapper(store).importJSON(Self.payload(1), as: plan, options: options)
    try #expect(Self.contents(store, plan) == Self.reference.get())
    #expect(try store.check().leftoverCount == 0)
    try store.expectSound()
    // They are gone for good: the same again writes nothing.
    let commits = try store.commits
    _ = try Mapper(store).importJSON(Self.payload(1), as: plan)
    #expect(try store.commits == commits)
  }

  /// Also an import that has nothing to say of them, and a deletion.
  @Test func anyWriteThatKnowsThemRemovesThem() throws {
    let plan = try Plan(Self.order)
    let imported = try LMDBStore(at: try killed(at: 30, of: 5))
    let left = try imported.check().leftoverCount
    let report = try Mapper(imported).importJSON(Array("[]".utf8), as: plan)
    #expect(report.entities.reduce(0) { $0 + $1.counts.deleted } >= left)
    #expect(try imported.check().leftoverCount == 0)

    let deleted = try LMDBStore(at: try killed(at: 30, of: 5))
    _ = try deleted.delete(plan.query(of: "Order").keys([0]))
    #expect(try deleted.check().leftoverCount == 0)

    // A dry run reports the leftovers and deletes none.
    let dry = try LMDBStore(at: try killed(at: 30, of: 5))
    _ = try Mapper(dry).importJSON(Self.payload(1), as: plan, options: ImportOptions(isDryRun: true))
    #expect(try dry.check().leftoverCount == left)

    // A plan that does not know their entities leaves them.
    _ = try Mapper(dry).importJSON(
      Array(#"{"id":1}"#.utf8), as: Plan(Mapping("Other", primaryKey: "id") { Attribute("id", .integer) }))
    #expect(try dry.check().leftoverCount == left)
  }

  /// A leftover with a key stays, with all its values, if the next import meets it.
  @Test func aLeftoverInTheNextPayloadKeepsItsValues() throws {
    let plan = try Plan(Self.order)
    let store = try LMDBStore(at: try killed(at: 30, of: 5))
    _ = try Mapper(store).importJSON(Self.payload(1), as: plan)
    let tag = try store.read(plan) { try $0.record("Tag", key: "0a") }
    #expect(tag?["color"] == .string("c0a"))
  }

  /// While the import lives, nobody else takes them.
  @Test func theyBelongToTheImportAsLongAsItLives() throws {
    let plan = try Plan(Self.tag)
    let store = try LMDBStore(at: scratch.path + "/alive")
    _ = try Mapper(store).importJSON(Array(#"[{"name":"a"},{"name":"b"}]"#.utf8), as: plan)
    func keep(_ name: PrimaryKey) throws -> AnyObject? {
      try store.write(plan.schema) { writer in
        let id = try #require(try writer.reader.find(name, of: 0))
        let left = Leftover(id: id, entity: 0, isOwned: false, deletesShared: false)
        return .commit(try writer.keepLeftovers([left], of: nil))
      }
    }
    func take(_ keeper: AnyObject?) throws -> Int {
      try store.write(plan.schema) { writer in .rollBack(try writer.claimLeftovers(of: keeper).count) }
    }
    var first = try keep("a")
    let second = try keep("b")
    #expect(first != nil && second != nil)
    #expect(try take(nil) == 0)
    #expect(try store.check().leftoverCount == 0)
    first = nil
    #expect(try take(second) == 1)
    #expect(try store.check().leftoverCount == 1)
    withExtendedLifetime(second) {}
  }

  enum Copying: CaseIterable {
    case backup, compactBackup, compaction, repair
  }

  /// A copy is of the store as it is: it has them, and its next import removes them.
  @Test(arguments: Copying.allCases)
  func copiesHaveThem(_ copying: Copying) throws {
    let plan = try Plan(Self.order)
    let path = try killed(at: 30, of: 5)
    let left = try LMDBStore(at: path).check().leftoverCount
    #expect(left > 0)
    let copy = copying == .compaction ? path : path + "-copy"
    switch copying {
    case .backup: try LMDBStore(at: path).backup(to: copy)
    case .compactBackup: try LMDBStore(at: path).backup(to: copy, compacting: true)
    case .compaction: try LMDBStore.compact(at: path)
    case .repair: try #expect(LMDBStore.repair(from: path, to: copy).isComplete)
    }
    let store = try LMDBStore(at: copy)
    #expect(try store.check().leftoverCount == left)
    try store.expectSound()
    _ = try Mapper(store).importJSON(Self.payload(1), as: plan)
    try #expect(Self.contents(store, plan) == Self.reference.get())
    #expect(try store.check().leftoverCount == 0)
    try store.expectSound()
  }

  /// Where the counts are lost as well, no new object gets the number of one that was let go, and is lost.
  @Test func aRepairReusesNoNumbersOfLostObjects() throws {
    let path = try killed(at: 30, of: 5)
    do {
      let store = try LMDBStore(at: path)
      try store.environment.write { transaction in
        let line = ObjectNumber.make(entity: 1, serial: 4_000_000)
        let lost = Leftover(id: line, entity: 0, isOwned: true, deletesShared: true)
        try LeftoverEntry(importNumber: 9, commit: 1, objects: [lost])
          .put(WriteView(view: transaction.view), store.tables)
        let count = Array("count".utf8) + [0, 1]
        _ = try count.withUnsafeBytes { try transaction.delete(store.environment.databases[0], $0) }
      }
    }
    #expect(try !LMDBStore.repair(from: path, to: path + "-repaired").isComplete)
    let store = try LMDBStore(at: path + "-repaired")
    try store.expectSound()
    let layout = try store.environment.read { try StoreLayout($0.view, store.tables) }
    #expect(layout.entities[1].counts.nextSerial == 4_000_001)
  }

  /// An import that fails, and whose process goes on, leaves the same written down.
  @Test func aFailedImportLeavesThemAsAKilledOne() throws {
    let plan = try Plan(Self.order)
    let store = try LMDBStore(at: scratch.path + "/failed")
    _ = try Mapper(store).importJSON(Self.payload(0), as: plan)
    let options = ImportOptions(commitInterval: 7)
    let faulty = Array(Self.payload(1).dropLast() + Array(#",{"id":"?"}]"#.utf8))
    #expect(throws: MappingError.self) { try Mapper(store).importJSON(faulty, as: plan, options: options) }
    let found = try store.check()
    #expect(found.isSound && found.leftoverCount > 0)
    _ = try Mapper(store).importJSON(Self.payload(1), as: plan)
    try #expect(Self.contents(store, plan) == Self.reference.get())
    #expect(try store.check().leftoverCount == 0)
  }
}
