import CProcess
import FastMapCore
import FastMapLMDB
import Foundation

/// Several processes of the tool import into a store that does not exist yet. Some fail and remove their new files,
/// and some are killed.
enum NewStoreCampaign {
  static let campaign = Campaign(
    name: "newcomers",
    title: "6 processes create and fill one store", cases: .count("rounds"),
    rule: "what was acknowledged is there; nothing is there in part; no litter; `check` clean"
  ) { run in
    let tool = URL(fileURLWithPath: try Shim.program()).deletingLastPathComponent().path + "/fastmap"
    guard access(tool, X_OK) == 0 else { throw Shim.Missing(description: "\(tool) is missing") }
    let rounds = run.count(short: 150, long: 10_000)
    for number in 0..<rounds where run.goesOn(number, of: rounds, "rounds") {
      var round = try Round(tool, SeededNumbers(seed: run.seed, case: number))
      round.play()
      for newcomer in round.newcomers { run.add(to: "→ \(newcomer.deed)") }
      for fault in round.faults { run.violation("round \(number): \(fault)") }
      run.add(to: "rounds")
      run.add(round.newcomers.count { $0.result == .acknowledged }, to: "acknowledged imports")
    }
  }

  private enum Deed: CaseIterable {
    case imports, importsOtherLayout, meetsBadJSON, isKilled
  }

  private struct Newcomer {
    enum Result { case acknowledged, refused, killed }
    let deed: Deed
    var result = Result.refused
  }

  private struct Round {
    private static let count = 20
    /// A process with invalid JSON holds the write lock for a while. Others open the store meanwhile, and wait.
    private static let wastedCount = 3000
    /// The distance between the keys of two processes.
    private static let step = 10_000
    private static let mapping = Mapping("A", primaryKey: "id") { Attribute("id", .integer) }

    private let tool: String
    private let scratch: Scratch
    private let hadDirectory: Bool
    private let killsAfter: UInt32
    private(set) var newcomers: [Newcomer]
    private(set) var faults: [String] = []

    init(_ tool: String, _ random: SeededNumbers) throws {
      var random = random
      self.tool = tool
      scratch = try Scratch(isInMemory: true)
      hadDirectory = random.once(in: 2)
      if hadDirectory { mkdir(scratch.store, 0o700) }
      killsAfter = UInt32(random.next(below: 20_000))
      newcomers = (0..<6).map { _ in Newcomer(deed: random.pick(Deed.allCases)) }
      // Layouts that cannot share a store. The second one is refused.
      for type in ["integer", "string"] {
        let text = """
          {"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer", "x": "\(type)"}}}}
          """
        try File.write(Array(text.utf8), to: scratch.path + "/\(type).json")
      }
      for (number, newcomer) in newcomers.enumerated() {
        let isBad = newcomer.deed == .meetsBadJSON
        let objects = (0..<(isBad ? Self.wastedCount : Self.count)).map {
          #"{"id": \#(number * Self.step + $0)}"#
        }
        let text = "[\(objects.joined(separator: ","))]" + (isBad ? "x" : "")
        try File.write(Array(text.utf8), to: scratch.path + "/\(number).json")
      }
    }

    mutating func play() {
      let children = newcomers.enumerated().map { number, newcomer in
        let type = newcomer.deed == .importsOtherLayout ? "string" : "integer"
        return Child.start { descriptor in
          torture_limit_time(20)
          dup2(descriptor, STDERR_FILENO)
          dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO)
          let words = [
            tool, "import", "--store", scratch.store, "--mappings", "\(scratch.path)/\(type).json", "--as",
            "A",
            "--quiet", "\(scratch.path)/\(number).json",
          ]
          var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
          execv(tool, &arguments)
          _exit(127)
        }
      }
      if newcomers.contains(where: { $0.deed == .isKilled }) { usleep(killsAfter) }
      for (newcomer, child) in zip(newcomers, children) where newcomer.deed == .isKilled {
        kill(child.process, SIGKILL)
      }
      for (number, child) in children.enumerated() {
        var answer: [UInt8] = []
        Child.read(child.output) { answer += $0 }
        take(Child.wait(for: child.process), of: number, String(decoding: answer, as: UTF8.self))
      }
      let (answer, ending) = Child.run(seconds: 20) { try Array(look().joined(separator: "; ").utf8) }
      if ending != .returned || !answer.isEmpty {
        faults.append("\(ending) \(String(decoding: answer, as: UTF8.self))")
      }
    }

    private mutating func take(_ ending: Termination, of number: Int, _ words: String) {
      switch (newcomers[number].deed, ending) {
      case (.isKilled, .killed(signal: SIGKILL)): newcomers[number].result = .killed
      case (.meetsBadJSON, .returned): faults.append("\(number): bad JSON was taken")
      case (_, .returned): newcomers[number].result = .acknowledged
      // A layout error has a path in the mapping; a syntax error has a line.
      case (.meetsBadJSON, .exited(1)): break
      case (_, .exited(1)) where words.contains("\"x\""): break
      default: faults.append("\(number), \(newcomers[number].deed): \(ending) \(words)")
      }
    }

    private func look() throws -> [String] {
      guard access(scratch.dataFile, F_OK) == 0 else {
        var faults: [String] = []
        if newcomers.contains(where: { $0.result == .acknowledged }) { faults.append("no store") }
        if !hadDirectory, !newcomers.contains(where: { $0.result == .killed }),
          access(scratch.store, F_OK) == 0
        {
          let names = try FileManager.default.contentsOfDirectory(atPath: scratch.store)
          faults.append("the directory was left, with \(names)")
        }
        return faults
      }
      guard newcomers.contains(where: { $0.result != .refused }) else {
        return ["a store that stayed empty"]
      }
      let store = try LMDBStore(at: scratch.store)
      let check = try store.check()
      guard check.isSound else { return ["check: \(check.problems.prefix(3).map(\.description))"] }
      var found = [Int](repeating: 0, count: newcomers.count)
      try store.read(Self.mapping.plan().schema) { reader in
        try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, _, key in
          guard case .integer(let id) = key else { throw OddStore(description: "an object without a key") }
          found[Int(id) / Self.step] += 1
          return true
        }
      }
      return newcomers.enumerated().compactMap { number, newcomer in
        switch (newcomer.result, found[number]) {
        case (.acknowledged, Self.count), (.killed, Self.count), (.killed, 0), (.refused, 0): nil
        case (let result, let count):
          "\(number): \(newcomer.deed), \(result), \(count) of \(Self.count) objects"
        }
      }
    }
  }
}
