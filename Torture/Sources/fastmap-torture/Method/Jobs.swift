import CProcess
import Foundation

/// Runs campaigns in parallel, each in a process of its own, so that a crash affects only one.
struct Jobs {
  let options: Options
  private let scratch: Scratch
  private let program: String
  private var running: [Job] = []

  private struct Job {
    let campaign: Campaign
    let seed: UInt64
    let process: pid_t
    let start: ContinuousClock.Instant
    var seconds: Double { start.duration(to: .now) / .seconds(1) }
  }

  init(_ options: Options) throws {
    self.options = options
    scratch = try Scratch()
    program = try Shim.program()
  }

  /// Runs all campaigns. Those that measure rates come last, one at a time.
  ///
  /// - Parameter take: Receives each outcome when its campaign ends.
  mutating func run(_ campaigns: [Campaign], _ take: (Results.Outcome) throws -> Void) throws {
    var shared = campaigns.filter { !$0.runsAlone }[...]
    var alone = campaigns.filter(\.runsAlone)[...]
    while true {
      while running.count < options.jobs, let campaign = shared.popFirst() { start(campaign) }
      if running.isEmpty, let campaign = alone.popFirst() { start(campaign) }
      if running.isEmpty { return }
      let now = running.map { "\($0.campaign.name) \(Int($0.seconds)) s" }.joined(separator: ", ")
      Console.progress("\(now); \(shared.count + alone.count) more")
      usleep(200_000)
      for (index, job) in running.enumerated().reversed() {
        // Only a campaign that hangs exceeds its limit by this much.
        if job.seconds > Double(options.size.seconds) + 1800 { kill(job.process, SIGKILL) }
        var status: Int32 = 0
        guard waitpid(job.process, &status, WNOHANG) == job.process else { continue }
        running.remove(at: index)
        try take(outcome(of: job, Termination(status: status)))
      }
    }
  }

  private func results(of campaign: Campaign) -> String { "\(scratch.path)/\(campaign.name).json" }

  private mutating func start(_ campaign: Campaign) {
    let seed = options.seed ?? UInt64.random(in: 1...UInt64(Int64.max))
    var words = options.checker?.command ?? []
    words += [
      program, campaign.name, "--quiet", "--seed", "\(seed)", "--limit", "\(options.size.seconds)",
      "--results", results(of: campaign),
    ]
    if options.size.isShort { words.append("--short") }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let process = torture_fork()
    precondition(process >= 0, "no child")
    if process == 0 {
      execvp(words[0], &arguments)
      _exit(127)
    }
    running.append(Job(campaign: campaign, seed: seed, process: process, start: .now))
  }

  /// The outcome that it wrote, or a failure.
  private func outcome(of job: Job, _ ending: Termination) -> Results.Outcome {
    let written = try? Results(contentsOf: results(of: job.campaign)).campaigns.first
    var outcome = written ?? Run(job.campaign, seed: job.seed, size: options.size).result
    // Status 1 is a campaign that found violations.
    let isWhole = ending == .returned || ending == .exited(1) && outcome.violationCount > 0
    if written == nil || !isWhole {
      outcome.seconds = job.seconds.rounded()
      outcome.violationCount += 1
      outcome.violations.append("the campaign itself: \(ending)")
      Console.endProgress()
      Console.note("\(job.campaign.name): VIOLATION: \(outcome.violations.last ?? "")")
    }
    if let checker = options.checker {
      outcome.name += "-" + checker.rawValue
    }
    return outcome
  }
}

/// A tool that checks every memory access of a campaign's process, and ends it or changes its status on an error.
enum Checker: String {
  case address, thread, valgrind

  var words: String {
    switch self {
    case .address: "address and undefined-behaviour sanitizers"
    case .thread: "thread sanitizer"
    case .valgrind: "valgrind"
    }
  }

  /// The command that starts the process.
  var command: [String] {
    guard self == .valgrind else { return [] }
    return [
      "valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite",
      "--errors-for-leak-kinds=definite",
    ]
  }

  /// Whether this program was built for it.
  var isHere: Bool {
    switch self {
    case .address: torture_has_symbol("__asan_init") != 0
    case .thread: torture_has_symbol("__tsan_init") != 0
    case .valgrind: true
    }
  }
}
