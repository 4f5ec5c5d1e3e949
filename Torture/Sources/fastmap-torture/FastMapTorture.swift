import CProcess
import Foundation

@main
enum FastMapTorture {
  static let campaigns: [Campaign] = [
    ModelCampaign.campaign, SequenceCampaign.campaign, SystemCallCampaign.killing, SystemCallCampaign.failing,
    KillCampaign.campaign, CrashStateCampaign.campaign, DamageCampaign.campaign, TextCampaign.campaign,
    DiskFullCampaign.campaign,
    SharingCampaign.threads, SharingCampaign.processes, GroupCampaign.campaign, LimitCampaign.campaign,
    LargeCampaign.campaign, MemoryCampaign.campaign,
  ]

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
    try Shim.load()
    var results = Results(machine: .current(), note: options.note, campaigns: [])
    for campaign in campaigns where names.contains(campaign.name) {
      let seed = options.seed ?? UInt64.random(in: 1...UInt64(Int64.max))
      Console.say("\(campaign.name): --seed \(seed)")
      let run = Run(campaign, seed: seed, size: options.size)
      try campaign.body(run)
      Console.endProgress()
      let result = run.result
      Console.say("  " + result.words)
      results.campaigns.append(result)
    }
    results.machine.loadAtEnd = Machine.load()
    if options.keepsResults {
      var kept = (try? Results(contentsOf: options.results)) ?? results
      kept.replace(with: results)
      try kept.write(to: options.results)
      Console.note("written: \(options.results)")
    }
    return results.campaigns.allSatisfy { $0.violationCount == 0 }
  }
}
