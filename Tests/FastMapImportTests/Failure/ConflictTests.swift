import FastMapCore
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

/// A write that conflicts with another one is run again, and nobody sees it but those whose calls repeat.
@Suite struct ConflictTests {
  private static let start = """
    [{"id":1,"t":"a","a":{"id":1},"tags":[{"id":1},{"id":2}]},{"id":2,"tags":[{"id":2},{"id":3}]},{"id":3}]
    """
  private static let payload = """
    [{"id":1,"t":"b","tags":[{"id":4}]},{"id":9,"t":"new","a":{"id":7,"n":"x"}},{"id":2,"tags":[]},
     {"id":3,"y":"z"},{"id":1,"a":null},{"id":9,"tags":[{"id":5},{"id":2}]},{"id":"faulty"},{"id":3,"y":"y"}]
    """

  /// The import without a conflict, and with one at each question in turn.
  ///
  /// - Parameter check: Receives the place, the result of the import and the text of the store, once for each import.
  private func everywhere(
    _ kind: StoreKind, _ run: (any Store, Plan, ImportOptions) throws -> ImportReport,
    _ options: () -> ImportOptions,
    _ check: (_ place: Int?, ImportReport, String) throws -> Void
  ) throws {
    let step = TestSize.count(kind, small: 1, on: .memory, others: 12, whole: 1)
    var last: Int?
    var place: Int? = nil
    repeat {
      let world = try World(kind, Fixture.book(.replace), holding: Self.start)
      let questions = Atomic<Int>(0)
      let watched = observed(world.store) { [place] question in
        guard question.isInWrite, let place else { return }
        if questions.add(1, ordering: .relaxed).oldValue == place {
          throw ConflictError("at \(question.kind)")
        }
      }
      var options = options()
      options.retries = RetryPolicy(firstDelay: .zero)
      let report = try run(watched, world.plan(), options)
      try check(place, report, world.dump())
      if let place, questions.load(ordering: .relaxed) <= place { last = place }
      place = place.map { $0 + step } ?? 0
    } while last == nil
    try #expect(#require(last) > 4)
  }

  private func skipping() -> ImportOptions { ImportOptions(faults: .skip, batchSize: 3) }

  @Test(arguments: StoreKind.allCases, [nil, 3] as [Int?])
  func theResultIsTheSameAndTheReportSaysHowOften(_ kind: StoreKind, _ interval: Int?) throws {
    var expected: (rows: [ImportReport.Row], errors: [MappingError], text: String)?
    var mostAttempts = 0
    try everywhere(kind) { store, plan, options in
      try Mapper(store).importJSON(Self.payload, as: plan, options: options)
    } _: {
      var options = skipping()
      options.commitInterval = interval
      return options
    } _: { place, report, text in
      guard let expected else {
        expected = (report.entities, report.errors, text)
        #expect(report.attempts == 1)
        return
      }
      #expect(report.entities == expected.rows, "question \(place ?? -1)")
      #expect(report.errors == expected.errors, "question \(place ?? -1)")
      #expect(text == expected.text, "question \(place ?? -1)")
      mostAttempts = max(mostAttempts, report.attempts)
    }
    #expect(mostAttempts == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func aStreamIsReadAgain(_ kind: StoreKind) throws {
    var expected: String?
    try everywhere(kind) { store, plan, options in
      try Mapper(store).importStream(
        as: plan, options: options, window: 16, stream(Array(Self.payload.utf8), inChunksOf: 7))
    } _: {
      skipping()
    } _: { place, report, text in
      #expect(report.errors.count == 1)
      if let expected { #expect(text == expected, "question \(place ?? -1)") }
      expected = text
    }
  }

  /// Without the promise, the text would be kept in a file.
  @Test(arguments: StoreKind.allCases)
  func aStoreThatRunsAWriteAgainAgainstItsPromiseIsNamed(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(), holding: Self.start)
    let before = try world.dump()
    let commits = Atomic<Int>(0)
    let store = observed(world.store, runsWritesOnce: true) { question in
      guard question.kind == .commit, commits.add(1, ordering: .relaxed).oldValue == 0 else { return }
      throw ConflictError("once")
    }
    let error = #expect(throws: StoreContractError.self) {
      try Mapper(store).importStream(
        as: world.plan(), options: skipping(), window: 16, stream(Array(Self.payload.utf8), inChunksOf: 7))
    }
    #expect(error?.description.contains("runsWritesOnce") == true)
    try #expect(world.dump() == before)
    // A text in memory can be read again.
    commits.store(0, ordering: .relaxed)
    let report = try Mapper(store).importJSON(Self.payload, as: world.plan(), options: skipping())
    #expect(report.attempts == 2)
  }

  /// Keeps the objects that it receives.
  private final class Log: ImportDelegate {
    let calls = Mutex<[String]>([])

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      let text = try "\(object.entity) \(object.record()?.key.map { "\($0)" } ?? "-")"
      calls.withLock { $0.append(text) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func callsOfADelegateRepeatAndErrorsDoNot(_ kind: StoreKind) throws {
    let errors = Mutex<Int>(0)
    var log = Log()
    var expected: (calls: [String], text: String)?
    try everywhere(kind) { store, plan, options in
      try Mapper(store).importJSON(Self.payload, as: plan, options: options)
    } _: {
      log = Log()
      errors.withLock { $0 = 0 }
      var options = skipping()
      options.delegate = log
      options.onError = { _ in errors.withLock { $0 += 1 } }
      return options
    } _: { place, report, text in
      let calls = log.calls.withLock(\.self)
      #expect(errors.withLock(\.self) == 1, "question \(place ?? -1)")
      guard let expected else {
        expected = (calls, text)
        return
      }
      #expect(text == expected.text, "question \(place ?? -1)")
      // The calls before the conflict, and then all calls.
      let first = calls.prefix(calls.count - expected.calls.count)
      #expect(calls.suffix(expected.calls.count) == expected.calls[...], "question \(place ?? -1)")
      #expect(expected.calls.starts(with: first), "question \(place ?? -1)")
      #expect(report.attempts == 2 || first.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theLastAttemptThrowsTheConflictAndNothingIsChanged(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(), holding: Self.start)
    let before = try world.dump()
    let commits = Atomic<Int>(0)
    let watched = observed(world.store) { question in
      guard question.kind == .commit else { return }
      commits.add(1, ordering: .relaxed)
      throw ConflictError("always")
    }
    let options = ImportOptions(retries: RetryPolicy(attempts: 4, firstDelay: .microseconds(1)))
    let error = #expect(throws: ConflictError.self) {
      try Mapper(watched).importJSON(#"{"id":1,"t":"z"}"#, as: world.plan(), options: options)
    }
    #expect(error?.reason == "always")
    #expect(error?.description == "the write conflicted with another one in each of 4 attempts: always")
    #expect(commits.load(ordering: .relaxed) == 4)
    try #expect(world.dump() == before)
    let waits = Mutex<[Duration]>([])
    RetryPolicy.$pause.withValue({ wait in waits.withLock { $0.append(wait) } }) {
      _ = #expect(throws: ConflictError.self) { try watched.delete(world.plan().query(of: "Book").keys([1])) }
    }
    try #expect(world.dump() == before)
    // A minute, and not ten attempts.
    let found = waits.withLock { $0 }
    let longest = found.indices.map { min(.milliseconds(5 << min($0, 20)), Duration.seconds(1)) }
    #expect(zip(found, longest).allSatisfy { $0 >= .zero && $0 <= $1 })
    let time = found.reduce(.zero, +)
    #expect(found.count > 60 && time > .seconds(58) && time < .seconds(62), "\(found.count), \(time)")
  }

  @Test(
    "The attempts bound all conflicts, and the time its own kind",
    arguments: [
      (RetryPolicy(attempts: 2, patience: .seconds(3)), 2...2), (RetryPolicy(attempts: 2), 2...2),
      (RetryPolicy(attempts: 0), 1...1), (RetryPolicy(attempts: 100, patience: .zero), 1...1),
      (RetryPolicy(attempts: .max, patience: .seconds(3)), 4...99), (RetryPolicy(patience: .zero), 10...10),
      (RetryPolicy(patience: .seconds(3)), 10...99),
    ])
  func attempts(_ policy: RetryPolicy, _ expected: ClosedRange<Int>) {
    let error = #expect(throws: ConflictError.self) {
      try RetryPolicy.$pause.withValue({ _ in }) {
        try policy.run { _ in throw ConflictError("always") }
      }
    }
    #expect(expected.contains(error?.attempts ?? 0), "\(error?.attempts ?? 0)")
  }

  @Test(arguments: [
    ([true, true, true], "the connection was lost in each of 3 attempts: 3"),
    ([true, false, true], "the connection was lost in the last of 3 attempts: 3"),
    ([true, true, false], "the write conflicted with another one in the last of 3 attempts: 3"),
    ([true], "the connection was lost: 1"), ([false], "the write conflicts with another one: 1"),
  ])
  func theLastConflictSaysHowTheAttemptsHaveFailed(_ losses: [Bool], _ text: String) throws {
    let world = try World(.memory, Fixture.book())
    let attempt = Atomic<Int>(0)
    let watched = observed(world.store) { question in
      guard question.kind == .commit else { return }
      let number = attempt.add(1, ordering: .relaxed).newValue
      throw ConflictError("\(number)", isConnectionLost: losses[number - 1])
    }
    let options = ImportOptions(retries: RetryPolicy(attempts: losses.count, firstDelay: .microseconds(1)))
    let error = #expect(throws: ConflictError.self) {
      try Mapper(watched).importJSON(#"{"id":1,"t":"z"}"#, as: world.plan(), options: options)
    }
    #expect(error?.description == text)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aCommitOfUnknownOutcomeIsNotRepeatedAndTheImportCanBe(_ kind: StoreKind, _ isKept: Bool) throws {
    let world = try World(kind, Fixture.book(.replace), holding: Self.start)
    let store = unreliable(world.store, isKept: isKept)
    let before = try world.dump()
    #expect(throws: UnknownOutcomeError.self) {
      try Mapper(store).importJSON(Self.payload, as: world.plan(), options: skipping())
    }
    let after = try world.dump()
    #expect((after == before) == !isKept)
    let report = try Mapper(store).importJSON(Self.payload, as: world.plan(), options: skipping())
    #expect(report.attempts == 1)
    let other = try World(kind, Fixture.book(.replace), holding: Self.start)
    try other.load(Self.payload, options: skipping())
    try #expect(world.dump() == other.dump())
    if isKept { #expect(report["Book"]?.inserted == 0) }
  }

  /// A store that loses its connection in its first commit, before or after that is done.
  private func unreliable(_ base: some Store, isKept: Bool) -> any Store {
    let isLost = Atomic(false)
    @Sendable func lose() throws {
      if !isLost.exchange(true, ordering: .relaxed) { throw UnknownOutcomeError("the connection is gone") }
    }
    return ObservedStore(base) { question in
      if question.kind == .commit, !isKept { try lose() }
    } afterCommit: { _ in
      if isKept { try lose() }
    }
  }

  private func observed(
    _ base: some Store, runsWritesOnce: Bool = false,
    _ observe: @escaping @Sendable (Question) throws -> Void
  ) -> any Store {
    var capabilities = base.capabilities
    capabilities.runsWritesOnce = runsWritesOnce
    return ObservedStore(base, capabilities: capabilities, observe)
  }
}
