import CProcess
import Foundation

@main
enum FastMapTorture {
  static let campaigns: [Campaign] = files + servers

  private static let files = [
    ModelCampaign.campaign, SequenceCampaign.campaign, QueryCampaign.campaign, ContextCampaign.campaign,
    FormCampaign.campaign, MeetingCampaign.campaign,
    SystemCallCampaign.killing, SystemCallCampaign.failing,
    KillCampaign.campaign, CrashStateCampaign.campaign, DamageCampaign.campaign, TextCampaign.campaign,
    DiskFullCampaign.campaign,
    NameCampaign.campaign, NewStoreCampaign.campaign,
    SharingCampaign.threads, SharingCampaign.processes, GroupCampaign.campaign, LimitCampaign.campaign,
    LargeCampaign.campaign, MemoryCampaign.campaign, SoakCampaign.campaign,
  ]

  #if Postgres
    private static let servers = [
      ServerRandomCampaign.contexts, ServerRandomCampaign.queries, ServerRandomCampaign.forms,
      ServerRandomCampaign.meetings,
      ServerKillCampaign.campaign, WriterCampaign.server, WriterCampaign.citus,
    ]
  #else
    private static let servers: [Campaign] = []
  #endif

  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      switch options.command {
      case .help: print(Options.help)
      case .list: for campaign in campaigns { print("\(campaign.name): \(campaign.title)") }
      case .report: try Report.write(Results(contentsOf: options.results), into: options.document)
      case .run(let names): exit(try run(names, options) ? 0 : 1)
      }
    } catch {
      Console.note("fastmap-torture: \(error)")
      exit(2)
    }
  }

  /// - Returns: Whether there was no violation.
  private static func run(_ names: [String], _ options: Options) throws -> Bool {
    let chosen = campaigns.filter { names.contains($0.name) }
    var results = Results(
      machine: .current(), versions: .current(), note: options.note, campaigns: [])
    /// Saves each result at once, so that an interrupted run loses nothing.
    func take(_ outcome: Results.Outcome) throws {
      var outcome = outcome
      outcome.commit = results.versions?.commit
      Console.endProgress()
      if !options.isQuiet { Console.say("\(outcome.name): \(outcome.words)") }
      results.campaigns.append(outcome)
      results.machine.loadAtEnd = Machine.load()
      guard options.keepsResults else { return }
      var kept = (try? Results(contentsOf: options.results)) ?? results
      kept.replace(with: results)
      if chosen.count == campaigns.count, options.checker == nil { kept.note = options.note }
      try kept.write(to: options.results)
    }
    if chosen.count == 1, options.checker == nil {
      try take(run(chosen[0], options))
    } else {
      var jobs = try Jobs(options)
      try jobs.run(chosen, take)
    }
    if options.keepsResults, !options.isQuiet { Console.note("written: \(options.results)") }
    let failed = results.campaigns.filter { $0.violationCount > 0 }
    // Once more at the end, where a cut log still has it.
    for outcome in failed {
      Console.say("\(outcome.name) --seed \(outcome.seed): VIOLATION: \(outcome.violations.first ?? "")")
    }
    return failed.isEmpty
  }

  /// Runs a campaign in this process.
  private static func run(_ campaign: Campaign, _ options: Options) throws -> Results.Outcome {
    if campaign.needsShim { try Shim.load() }
    let seed = options.seed ?? UInt64.random(in: 1...UInt64(Int64.max))
    Console.say("\(campaign.name): --seed \(seed)")
    let run = Run(campaign, seed: seed, size: options.size)
    try campaign.body(run)
    return run.result
  }
}
