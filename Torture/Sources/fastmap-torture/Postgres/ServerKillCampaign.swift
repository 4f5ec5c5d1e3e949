#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation

  /// Kills the server at random times while a process imports. The process keeps its store, which connects again, reads
  /// the server's state, and repeats the import that failed.
  struct ServerKillCampaign {
    static let campaign = Campaign(
      name: "servers", title: "`kill -9` of a PostgreSQL server during imports", cases: .count("kills"),
      rule:
        "acknowledged ≤ stored ≤ acknowledged + 1, and + 1 only where the error says that the outcome is unknown"
    ) { run in
      let server = try TortureServer()
      var random = SeededNumbers(seed: run.seed)
      let child = Child.start { descriptor in
        var writer = Writer(seed: run.seed, descriptor)
        do { try writer.work(server.address) } catch {
          Child.write(Array("\(type(of: error)): \(error)".utf8) + [0], to: descriptor)
        }
      }
      let answers = Answers(child.output)
      let kills = run.count(short: 40, long: 500)
      for number in 0..<kills where run.goesOn(number, of: kills, "kills") {
        // Some servers are killed while the store connects again.
        usleep(UInt32(random.once(in: 8) ? random.next(below: 4000) : random.next(below: 120_000)))
        try server.kill()
        run.add(to: "kills")
        // A store that was connected waits for its server.
        usleep(UInt32(random.next(below: 20_000)))
        try server.restart()
        guard answers.take(into: run) else { break }
      }
      usleep(500_000)
      Foundation.kill(child.process, SIGKILL)
      answers.takeRest(into: run)
      let ending = Child.wait(for: child.process)
      if ending != .killed(signal: SIGKILL) { run.violation("the importing process: \(ending)") }
      try look(run, server.address, acknowledged: answers.acknowledged)
    }

    /// Compares the end with the model.
    private static func look(_ run: Run, _ address: String, acknowledged: Int) throws {
      let (answer, ending) = Child.run(seconds: 60) {
        let store = try PostgresStore(address)
        let state = try Model(store, Scenario.plan.get())
        var work = Work(seed: run.seed)
        for _ in 0..<acknowledged { work.advance() }
        let before = work.model
        work.advance()
        if state == before || state == work.model { return try problems(store) }
        return Array("\(acknowledged) imports: \(state.difference(from: before) ?? "")".utf8)
      }
      if ending != .returned || !answer.isEmpty {
        run.violation("in the end: \(ending) \(String(decoding: answer, as: UTF8.self))")
      }
    }

    private static func problems(_ store: PostgresStore) throws -> [UInt8] {
      Array(try store.check().problems.map(\.description).joined(separator: "; ").utf8)
    }

    /// The imports, and the contents of the store after each.
    private struct Work {
      let seed: UInt64
      private(set) var done = 0
      private(set) var model = Model()

      init(seed: UInt64) { self.seed = seed }

      /// The next import.
      var next: (payload: [PayloadNode], policies: Policies) {
        var random = SeededNumbers(seed: seed, case: done)
        let policies = Policies(Policy.allCases[random.next(below: 3)])
        let roots = random.once(in: 10) ? 200 : 1 + random.next(below: 10)
        var maker = PayloadMaker(random, hasTextKeys: false, keyCount: 60)
        return (maker.payload(roots: roots), policies)
      }

      mutating func advance() {
        let (payload, policies) = next
        _ = ModelImport.apply(payload, policies, to: &model)
        done += 1
      }
    }

    /// The words of the importing process, a byte each.
    private enum Word: UInt8 {
      case acknowledged = 1
      /// An import failed, and the store is as before.
      case failedBefore
      /// The outcome is unknown, and the import is not in the store.
      case unknownBefore
      /// The outcome is unknown, and the import is in the store.
      case unknownBehind
    }

    /// The process that imports.
    private struct Writer {
      private let descriptor: Int32
      private var work: Work
      private var world = World(hasTextKeys: false)

      init(seed: UInt64, _ descriptor: Int32) {
        work = Work(seed: seed)
        self.descriptor = descriptor
      }

      /// Never returns.
      mutating func work(_ address: String) throws {
        var configuration = PostgresStore.Configuration()
        configuration.reconnectTimeout = .seconds(60)
        let store = try PostgresStore(address, configuration: configuration)
        while true {
          let (payload, policies) = work.next
          do {
            _ = try Mapper(store).importJSON(
              Array(PayloadText.json(payload).utf8), as: world.plan(policies))
            say(.acknowledged)
            work.advance()
          } catch let error as UnknownOutcomeError {
            try look(store, mayBeThere: true, error)
          } catch let error as PostgresError {
            try look(store, mayBeThere: false, error)
          }
        }
      }

      private func say(_ word: Word) { Child.write([word.rawValue], to: descriptor) }

      private mutating func look(_ store: PostgresStore, mayBeThere: Bool, _ error: any Error) throws {
        let state = try stored(store)
        let before = work.model
        if state == before { return say(mayBeThere ? .unknownBefore : .failedBefore) }
        work.advance()
        guard mayBeThere, state == work.model else {
          throw OddStore(
            description: "import \(work.done) behind \(error): \(state.difference(from: before) ?? "")")
        }
        say(.unknownBehind)
      }

      /// The store's contents. The server may be killed meanwhile.
      private func stored(_ store: PostgresStore) throws -> Model {
        while true {
          do { return try Model(store, Scenario.plan.get()) } catch is PostgresError {}
        }
      }
    }

    /// Counts the words of the importing process.
    private final class Answers {
      private let descriptor: Int32
      private(set) var acknowledged = 0
      private var text: [UInt8] = []

      init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      }

      /// - Returns: False if the process has failed.
      func take(into run: Run) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
          for byte in buffer[..<count] { take(byte, run) }
        }
        return text.isEmpty
      }

      func takeRest(into run: Run) {
        _ = take(into: run)
        close(descriptor)
        if !text.isEmpty { run.violation(String(decoding: text, as: UTF8.self)) }
      }

      private func take(_ byte: UInt8, _ run: Run) {
        guard text.isEmpty, let word = Word(rawValue: byte) else {
          text.append(byte)
          return
        }
        switch word {
        case .acknowledged:
          acknowledged += 1
          run.add(to: "acknowledged imports")
        case .failedBefore: run.add(to: "imports that failed and left nothing")
        case .unknownBefore: run.add(to: "unknown outcomes that left nothing")
        case .unknownBehind:
          acknowledged += 1
          run.add(to: "unknown outcomes that were committed")
        }
      }
    }
  }
#endif
