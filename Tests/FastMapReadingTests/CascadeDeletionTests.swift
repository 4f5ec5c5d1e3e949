import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapImport
@testable import FastMapReading

/// The search for references that stay, in a store that prefers sets.
@Suite struct CascadeDeletionTests {
  private typealias Object = ObjectIdentity

  /// Answers with a list of references to one object, and notes the questions.
  private final class Referrers {
    var all: [Reference]
    var questions: [(last: Reference?, limit: Int, count: Int)] = []

    init(_ owners: some Sequence<UInt64>) { all = owners.map(Self.reference) }

    static func reference(_ owner: UInt64) -> Reference {
      Reference(owner: ObjectID(rawValue: owner), entity: 0, field: 0)
    }

    func answer(_ last: Reference?, _ limit: Int) -> [Reference] {
      let rest = last.map { last in all[all.partitionPoint { $0.owner > last.owner }...] } ?? all[...]
      let found = Array(rest.prefix(limit))
      questions.append((last, limit, found.count))
      return found
    }
  }

  /// A writer to which the objects of a list refer.
  private struct ReferringWriter<Base: StoreWriter>: InterceptedWriter {
    var base: Base
    let referrers: Referrers

    var reader: Base.Reader {
      get { base.reader }
      set { base.reader = newValue }
    }

    func references(
      to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
    ) -> [[Reference]] {
      ids.map { $0 == hub.id ? referrers.answer(last, limit) : [] }
    }
  }

  private static let hub = Object(entity: 0, id: ObjectID(rawValue: 1_000_000))

  private func owner(_ number: UInt64) -> Object { Object(entity: 0, id: ObjectID(rawValue: number)) }

  private func run(
    _ referrers: Referrers,
    _ body: (inout CascadeDeletion, (inout CascadeDeletion) throws -> Void) throws -> Void
  ) throws {
    let plan = try Plan(Mapping<Record>("Item", primaryKey: "id") { Attribute("id", .integer) })
    try ScratchStore().write(plan.schema) { inner in
      var writer = ReferringWriter(base: SetsWriter(base: inner, fault: nil), referrers: referrers)
      var going = CascadeDeletion(entityCount: 1)
      try body(&going) { try $0.resolve(on: &writer) }
      return .rollBack(())
    }
  }

  @Test func aReferenceThatIsRemovedBetweenTwoQuestionsHidesNoOther() throws {
    let referrers = Referrers((1...16).map { $0 } + [999])
    try run(referrers) { going, resolve in
      for number in 2...16 as ClosedRange<UInt64> { going.add(owner(number)) }
      going.addUnlessReferenced(Self.hub)
      try resolve(&going)
      // It waits for the first. That goes, and others that went before no longer refer to it.
      referrers.all.removeFirst(10)
      going.add(owner(1))
      try resolve(&going)
      #expect(referrers.questions.map(\.limit) == [16, 64])
      #expect(!going.objects[0].contains(Self.hub.id))
      going.add(owner(999))
      try resolve(&going)
      #expect(going.objects[0].contains(Self.hub.id))
    }
  }

  @Test func aSearchThatWaitsKeepsFewReferences() throws {
    let referrers = Referrers(1...10_000)
    try run(referrers) { going, resolve in
      for number in 1...1200 as ClosedRange<UInt64> { going.add(owner(number)) }
      going.addUnlessReferenced(Self.hub)
      try resolve(&going)
      #expect(referrers.questions.map(\.limit) == [16, 64, 256, 1024, 4096])
      // It waits for 1201, and keeps a quarter as many as it has looked at.
      for number in 1201...1501 as ClosedRange<UInt64> { going.add(owner(number)) }
      try resolve(&going)
      #expect(referrers.questions.count == 6)
      #expect(referrers.questions.last?.last == Referrers.reference(1501))
    }
  }

  @Test(arguments: [1, -1, .max])
  func aReferenceOfAnEntityThatTheSchemaLacksIsAnError(_ entity: Int) throws {
    let referrers = Referrers([])
    referrers.all = [Reference(owner: ObjectID(rawValue: 1), entity: entity, field: 0)]
    try run(referrers) { going, resolve in
      going.addUnlessReferenced(Self.hub)
      let error = #expect(throws: StoreContractError.self) { try resolve(&going) }
      let words = "references(to:of:after:limit:): expected entities below 1, found \(entity)"
      #expect(error?.description == words)
    }
  }

  /// A search that waits for each of them in turn.
  @Test func aChainOfReferrersTakesLinearTime() throws {
    let count: UInt64 = 5000
    let referrers = Referrers(1...count)
    try run(referrers) { going, resolve in
      going.addUnlessReferenced(Self.hub)
      for number in 1...count {
        try resolve(&going)
        #expect(!going.objects[0].contains(Self.hub.id))
        going.add(owner(number))
      }
      try resolve(&going)
      #expect(going.objects[0].contains(Self.hub.id))
      #expect(referrers.questions.reduce(0) { $0 + $1.count } <= 16 * Int(count))
      #expect(referrers.questions.count <= 60)
    }
  }
}

extension Array {
  /// The first index whose element fulfils a condition that all behind it fulfil too.
  fileprivate func partitionPoint(_ isBehind: (Element) -> Bool) -> Int {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = isBehind(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }
}
