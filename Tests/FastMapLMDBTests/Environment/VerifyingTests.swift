import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import Synchronization
import TestSupport
import Testing

@testable import FastMapLMDB

/// Opening verifies the headers and the names of the tables, a read each visited page, and the first write everything.
@Suite struct VerifyingTests {
  let scratch = Scratch()
  private let page = 4096

  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("friends", person)
    ToMany("notes", Mapping("Note") { Attribute("text", .string) })
  }

  /// Imports people into the store, three times, so that it has free pages with older people. Closes it.
  private func makeStore(people count: Int) throws -> [String] {
    let store = try LMDBStore(at: scratch.store)
    for round in 0..<3 {
      let people = (0..<count).filter { round == 0 || $0 % (2 * round) == 1 }.map { id in
        let name = String(repeating: "\(round) \(id) ", count: id == 7 ? 2000 : 1 + id % 7)
        return
          #"{"id": \#(id), "name": "\#(name)", "friends": [{"id": \#((id + 1) % count)}, {"id": \#(id / 2)}], "#
          + #""notes": [{"text": "\#(round) of \#(id)"}]}"#
      }
      try store.take("[\(people.joined(separator: ","))]", as: Self.person)
    }
    return try store.export(Self.person)
  }

  private func name(_ key: Int64) throws -> Value? {
    let plan = try Plan(Self.person)
    return try LMDBStore(at: scratch.store).read(plan.schema) { reader in
      try reader.values(.integer(key), of: 0, plan.schema)["name"]
    }
  }

  private var readOnly: LMDBStore.Configuration {
    LMDBStore.Configuration.with { $0.isReadOnly = true }
  }

  // MARK: Pages that opening reads

  /// The pages without which `body` throws, or returns another value. Every other page then becomes rubbish at once.
  private func pagesNeeded<R: Equatable>(_ body: () throws -> R) throws -> Set<Int> {
    let bytes = try Files.bytes(of: scratch.dataFile)
    let right = try body()
    let rubbish = [UInt8](repeating: 0xA5, count: page)
    var needed: Set<Int> = []
    for number in 0..<bytes.count / page {
      write(rubbish, to: scratch.dataFile, at: number * page)
      if (try? body()) != right { needed.insert(number) }
      write(Array(bytes[number * page..<(number + 1) * page]), to: scratch.dataFile, at: number * page)
    }
    for number in 0..<bytes.count / page where !needed.contains(number) {
      write(rubbish, to: scratch.dataFile, at: number * page)
    }
    #expect(try body() == right, "what is needed is not enough")
    write(bytes, to: scratch.dataFile)
    return needed
  }

  @Test(arguments: [40, TestSize.count(small: 120, whole: 400)], [true, false])
  func openingReadsTheHeadersAndTheNames(people: Int, isReadOnly: Bool) throws {
    _ = try makeStore(people: people)
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = isReadOnly }
    let needed = try pagesNeeded { try LMDBStore(at: scratch.store, configuration: configuration).path }
    #expect(needed.isSuperset(of: [0, 1]))
    #expect(needed.count == 3)
  }

  @Test(arguments: [40, TestSize.count(small: 400, whole: 800)]) func aLookUpReadsItsPathAlone(people: Int)
    throws
  {
    _ = try makeStore(people: people)
    let levels = try withExtendedLifetime(LMDBStore(at: scratch.store)) { store in
      try store.environment.read { transaction in
        try store.environment.databases.map { try transaction.statistics($0).depth }
      }
    }
    let needed = try pagesNeeded { try name(31) }
    // The headers, the names, the list of free pages, and a path in each table that a look-up uses.
    #expect(needed.count <= 4 + levels.reduce(0, +), "\(needed.sorted()) of \(levels)")
    #expect(people < 400 || needed.count < size(of: scratch.dataFile) / page / 8)
  }

  // MARK: Before the first write

  @Test func theFirstWriteVerifiesTheStore() throws {
    let lines = try makeStore(people: 40)
    let store = try LMDBStore(at: scratch.store)
    #expect(try store.export(Self.person) == lines)
    #expect(!store.environment.isVerified)
    try store.take(#"{"id": 3}"#, as: Self.person)
    #expect(store.environment.isVerified)
    #expect(try store.export(Self.person) == lines)
  }

  @Test func aLargeStoreIsVerifiedInPart() throws {
    let lines = try makeStore(people: TestSize.count(small: 100, whole: 400))
    // Without the mark of a verified file.
    write(try Files.bytes(of: scratch.dataFile), to: scratch.dataFile)
    let store = try scratch.openLarge()
    for round in 0..<TestSize.rounds(small: 5, whole: 20) {
      try store.take(#"{"id": \#(round), "friends": []}"#, as: Self.person)
      #expect(store.environment.verification.load(ordering: .acquiring) == .partial)
      #expect(try store.export(Self.person).count == lines.count)
    }
    try store.expectSound()
    #expect(store.environment.isVerified)
  }

  // BUG-68
  @Test func aDamagedStoreIsReadButNotWritten() throws {
    let lines = try makeStore(people: 40)
    let bytes = try Files.bytes(of: scratch.dataFile)
    let text = Array("2 of 21".utf8)
    let place = try #require(bytes.indices.dropLast(8).last { bytes[$0...].starts(with: text) })
    write([0x58], to: scratch.dataFile, at: place)
    let damaged = try Files.bytes(of: scratch.dataFile)

    let refusal = try #require(scratch.refusalOfAWrite())
    #expect("\(refusal)".contains("the checksum does not match"))
    let renamed = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("title", .string, was: "name")
    }
    #expect(
      thrown(LMDBError.self) { try LMDBStore(at: scratch.store).take("[]", as: renamed) } == refusal)
    var configuration = LMDBStore.Configuration()
    for sharesCommits in [false, true] {
      configuration.sharesCommits = sharesCommits
      let store = try LMDBStore(at: scratch.store, configuration: configuration)
      #expect(try name(20) != nil)
      #expect(thrown(LMDBError.self) { _ = try store.export(Self.person) } == refusal)
      #expect(thrown(LMDBError.self) { _ = try store.take(#"{"id": 1000}"#, as: Self.person) } == refusal)
      #expect(try Files.bytes(of: scratch.dataFile) == damaged)
    }
    // After the repair, the same open store accepts writes.
    let store = try LMDBStore(at: scratch.store)
    #expect(thrown(LMDBError.self) { _ = try store.take(#"{"id": 1000}"#, as: Self.person) } == refusal)
    write([bytes[place]], to: scratch.dataFile, at: place)
    try store.take(#"{"id": 1000}"#, as: Self.person)
    #expect(try store.export(Self.person).count == lines.count + 1)
  }

  @Test func aStoreOpenForReadingIsNeverVerified() throws {
    let lines = try makeStore(people: 40)
    let store = try LMDBStore(at: scratch.store, configuration: readOnly)
    #expect(try store.export(Self.person) == lines)
    #expect(
      thrown(LMDBError.self) { _ = try store.take(#"{"id": 3}"#, as: Self.person) }?.reason == .readOnly)
    #expect(!store.environment.isVerified)
  }

  @Test func openersOfOneStoreShareVerifiedPages() throws {
    _ = try makeStore(people: 40)
    let (one, other) = (try LMDBStore(at: scratch.store), try LMDBStore(at: scratch.store + "/."))
    try one.expectSound()
    #expect(other.environment.isVerified)
  }

  @Test func threadsThatBeginToWriteAtOnceWaitForOneVerification() throws {
    _ = try makeStore(people: 400)
    let store = try LMDBStore(at: scratch.store)
    onThreads(8) { number in
      do { try store.take(#"{"id": \#(1000 + number)}"#, as: Self.person) } catch { Issue.record(error) }
    }
    try store.expectSound()
    #expect(try store.count(Self.person) == 408)
  }

  @Test func aStoreIsVerifiedBeforeItGetsAMissingTable() throws {
    var configuration = LMDBStore.Configuration()
    configuration.tables.removeLast()
    try withExtendedLifetime(Environment.open(at: scratch.store, configuration)) { environment in
      try environment.write { transaction in
        let value = Array("damaged".utf8)
        try withKey(7) { key in
          try value.withUnsafeBytes { try transaction.put(environment.databases[0], key, $0) }
        }
      }
    }
    let bytes = try Files.bytes(of: scratch.dataFile)
    let reason = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store) }?.reason
    guard case .damaged? = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(try Files.bytes(of: scratch.dataFile) == bytes)
  }

  // MARK: Any bit

  /// Flips bits outside of checksums: page headers, offsets and headers of nodes, keys in branches, names of tables.
  @Test(.timeLimit(.minutes(5))) func aFlippedBitIsReadAsAnErrorOrNotAtAll() throws {
    let lines = try makeStore(people: 120)
    let plan = try Plan(Self.person)
    let bytes = try Files.bytes(of: scratch.dataFile)
    func integer16(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    var places: [Int] = []
    for start in stride(from: 2 * page, to: bytes.count, by: page) {
      let (kind, lower) = (integer16(start + 10), integer16(start + 12))
      places += start..<start + 16
      guard [1, 2].contains(kind), (16...page).contains(lower) else { continue }
      places += start + 16..<start + lower
      for slot in stride(from: start + 16, to: start + lower, by: 2) where integer16(slot) < page - 40 {
        places += start + integer16(slot)..<start + integer16(slot) + (kind == 1 ? 26 : 16)
      }
    }
    var random = Random(for: "VerifyingTests")
    var (errors, harmless) = (0, 0)
    let count = TestSize.rounds(small: 20, whole: 200)
    for _ in 0..<count {
      let place = places[random.next(places.count)]
      let flipped = bytes[place] ^ 1 << random.next(8)
      let words = "byte \(place % page) of page \(place / page): \(bytes[place]) → \(flipped)"
      write([flipped], to: scratch.dataFile, at: place)
      do {
        let store = try LMDBStore(at: scratch.store, configuration: readOnly)
        #expect(try store.export(plan) == lines, "\(words)")
        let found = try store.read(plan.schema) { reader in
          try (-1..<130).map { try reader.find(.integer($0), of: 0) != nil }
        }
        #expect(found == (-1..<130).map { (0..<120).contains($0) }, "\(words)")
        harmless += 1
      } catch is LMDBError {
        errors += 1
        #expect(scratch.refusalOfAWrite() != nil, "\(words)")
      }
      write([bytes[place]], to: scratch.dataFile, at: place)
    }
    print("VerifyingTests: \(errors) errors, \(harmless) harmless")
    #expect(errors > count / 12)
    #expect(scratch.refusalOfAWrite() == nil)
  }

  // MARK: Beside other processes

  /// Pages that were free when this process opened the store are in use later, and the other way round.
  @Test func readsFollowTheCommitsOfAnotherProcess() async throws {
    _ = try makeStore(people: 100)
    let path = scratch.store
    let store = try LMDBStore(at: path, configuration: readOnly)
    let plan = try Plan(Self.person)
    let isDone = Flag()
    let reader = Thread {
      while !isDone.value {
        do {
          let names = try store.read(plan.schema) { reader in
            try (0..<100).map { try reader.values(.integer($0), of: 0, plan.schema)["name"] }
          }
          #expect(names.allSatisfy { $0 != nil })
          #expect(try store.export(Self.person).count == 100)
        } catch { Issue.record(error) }
      }
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let configuration = LMDBStore.Configuration.with { $0.durability = .lastTransactionMayBeLost }
      let store = try LMDBStore(at: path, configuration: configuration)
      for round in 0..<TestSize.rounds(small: 10, whole: 40) {
        let people = (0..<40).map { #"{"id": \#(($0 * 7 + round) % 100), "name": "round \#(round)"}"# }
        try store.take("[\(people.joined(separator: ","))]", as: Self.person)
      }
    }
    isDone.raise()
    reader.join()
    #expect(!store.environment.isVerified)
    let rounds = TestSize.rounds(small: 10, whole: 40)
    let last = try store.read(plan.schema) { reader in
      try reader.values(.integer(Int64((39 * 7 + rounds - 1) % 100)), of: 0, plan.schema)["name"]
    }
    #expect(last == .string("round \(rounds - 1)"))
  }

  @Test func readsFollowTheGrowthOfAnotherProcess() async throws {
    let path = scratch.store
    func small(_ isReadOnly: Bool) -> LMDBStore.Configuration {
      var configuration = LMDBStore.Configuration()
      (configuration.mapSize, configuration.isReadOnly) = (1 << 20, isReadOnly)
      return configuration
    }
    try withExtendedLifetime(LMDBStore(at: path, configuration: small(false))) {
      _ = try $0.take(#"{"id": 5000, "name": "first"}"#, as: Self.person)
    }
    let store = try LMDBStore(at: path, configuration: small(true))
    #expect(try store.export(Self.person).count == 1)
    let room = store.environment.checkedPages.count
    await #expect(processExitsWith: .success) { [path = path as String] in
      let people = (0..<1500).map { #"{"id": \#($0), "name": "\#(String(repeating: "n", count: 900))"}"# }
      try LMDBStore(at: path).take("[\(people.joined(separator: ","))]", as: Self.person)
    }
    for _ in 0..<2 { #expect(try store.export(Self.person).count == 1501) }
    #expect(store.environment.checkedPages.count > room)
    #expect(!store.environment.isVerified)
  }

  @Test func aCompactedStoreIsReadAnew() throws {
    let lines = try makeStore(people: 400)
    try LMDBStore.compact(at: scratch.store)
    let store = try LMDBStore(at: scratch.store, configuration: readOnly)
    #expect(try store.export(Self.person) == lines)
    #expect(!store.environment.isVerified)
  }
}
