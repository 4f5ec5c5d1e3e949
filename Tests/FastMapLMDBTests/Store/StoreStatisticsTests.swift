import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

@Suite struct StoreStatisticsTests {
  let scratch = Scratch()

  private static let person = Mapping("Person", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("phones", phone)
    ToOne("car", car, policy: .replace)
  }
  private static let phone = Mapping("Phone") { Attribute("number", .string) }
  private static let car = Mapping("Car", primaryKey: "plate") {
    Attribute("plate", .string)
    Attribute("seats", .integer)
  }

  @Test func anEmptyStoreHasNoEntities() throws {
    let store = try LMDBStore(at: scratch.store)
    #expect(try store.statistics().entities.isEmpty)
    let file = try store.file
    #expect(file.size == size(of: scratch.dataFile))
    #expect(file.mapSize == 16 << 30)
    #expect(file.liveBytes <= file.size)
  }

  @Test func entitiesAreCounted() throws {
    let store = try LMDBStore(at: scratch.store)
    let commits = try store.commits
    try store.take(
      """
      [{"id": 1, "name": "Ada", "phones": [{"number": "1"}, {"number": "2"}], "car": {"plate": "A"}},
       {"id": 2, "car": {"plate": "B", "seats": 4}}, {"name": "nobody"}]
      """, as: Self.person)
    let statistics = try store.statistics()
    #expect(statistics.file?.commitCount == commits + 1)
    #expect(statistics.entities.map(\.name) == ["Person", "Phone", "Car"])
    #expect(statistics.entities.map(\.objectCount) == [3, 2, 2])
    #expect(statistics.entities.map(\.keyedCount) == [2, 0, 2])
    #expect(statistics.entities.allSatisfy { $0.bytes >= $0.objectCount * 12 })

    try store.take(#"{"id": 2, "car": {"plate": "A"}}"#, as: Self.person)
    #expect(try store.statistics().entities.map(\.objectCount) == [3, 2, 1])
    #expect(try store.commits == commits + 2)

    let report = try store.check()
    #expect((report.objectCount, report.keyCount, report.linkCount) == (6, 3, 4))
    #expect(report.isSound)
  }

  @Test func bytesCountKeysAndRecords() throws {
    let store = try LMDBStore(at: scratch.store)
    let text = Mapping("Text", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("text", .string)
    }
    func bytes(_ length: Int) throws -> Int {
      try store.take(#"{"id": 1, "text": "\#(String(repeating: "x", count: length))"}"#, as: text)
      return try store.statistics().entities[0].bytes
    }
    let short = try bytes(300)
    #expect(short > 300)
    #expect(try bytes(9300) > short)
    #expect(try bytes(300) == short)
  }

  @Test func theSizesAddUpToTheFile() throws {
    let store = try LMDBStore(at: scratch.store)
    for round in 0..<2 {
      let people = (0..<300).map {
        #"{"id":\#($0),"name":"\#(round) \#($0)","phones":[{"number":"1"},{"number":"2"}],"car":{"plate":"\#($0)"}}"#
      }
      try store.take("[\(people.joined(separator: ","))]", as: Self.person)
    }
    let statistics = try store.statistics()
    let file = try #require(statistics.file)
    #expect(statistics.bytes + statistics.layoutBytes + file.freeBytes == file.size)
    #expect(statistics.layoutBytes > 0 && statistics.layoutBytes < 20 * Int(getpagesize()))
    #expect(file.freeBytes > 0)
    for entity in statistics.entities {
      let parts = try #require(entity.parts)
      #expect(parts.bytes == entity.bytes, "\(entity.name)")
      #expect(parts.records > 0 && parts.keys > 0 && parts.indexes == 0, "\(entity.name)")
    }
    #expect(statistics.entities[1].parts.map { $0.links > 0 } == true)
  }

  /// No checksum covers the counts of a tree, and no read compares them.
  @Test func aNumberOfPagesThatNoFileHasIsDamage() throws {
    try LMDBStore(at: scratch.store).take(#"[{"id": 1}]"#, as: Self.person)
    let bytes = try Files.bytes(of: scratch.dataFile)
    let page = Int(getpagesize())
    let (name, header) = (Array("links".utf8), 8)
    // Each place where a name has the record of its tree behind it.
    for place in (2 * page..<bytes.count - 64)
    where bytes[place] == name[0] && Array(bytes[place..<place + name.count]) == name
      && bytes[place - header] == 48
    {
      let leaves = place + name.count + 16
      write([bytes[leaves + 7] ^ 0x40], to: scratch.dataFile, at: leaves + 7)
    }
    let store = try LMDBStore(at: scratch.store)
    let error = thrown(LMDBError.self) { _ = try store.statistics() }
    #expect(error?.reason == .damaged(place: "links", detail: "wrong number of pages"))
  }

  @Test func deletedObjectsFreeTheirBytes() throws {
    let store = try LMDBStore(at: scratch.store)
    let phones = (0..<TestSize.count(small: 1000, whole: 5000)).map { #"{"number": "\#($0)"}"# }.joined(
      separator: ",")
    try store.take(#"{"id": 1, "phones": [\#(phones)]}"#, as: Self.person)
    let full = try store.file
    #expect(full.liveBytes <= full.size)
    try store.take(#"{"id": 1, "phones": []}"#, as: Self.person)
    #expect(try store.statistics().entities.map(\.objectCount) == [1, 0, 0])
    let empty = try store.file
    #expect(empty.liveBytes < full.liveBytes / 3)
    #expect(empty.freeBytes == empty.size - empty.liveBytes)
    #expect(empty.size % Int(getpagesize()) == 0)
    // The room is used again.
    for _ in 0..<5 {
      try store.take(#"{"id": 1, "phones": [\#(phones)]}"#, as: Self.person)
      try store.take(#"{"id": 1, "phones": []}"#, as: Self.person)
    }
    #expect(try store.file.size < 3 * full.size)
    try store.expectSound()
  }
}
