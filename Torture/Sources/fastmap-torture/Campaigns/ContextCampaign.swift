import FastMapModels
import FastMapStoreTesting

/// Reads, edits, saves and rolls back at random in a context, while others write, by turns on LMDB and in memory.
enum ContextCampaign {
  static let campaign = Campaign(
    name: "contexts", title: "random reads, edits, saves and rollbacks in a context beside other writers",
    cases: .count("sequences"), rule: "context, conflicts and store as in the model"
  ) { run in
    try RandomChecks.repeated(
      run, "sequences", total: run.count(short: 400, long: 200_000), each: 10,
      onLMDB: { try $0.runContexts(10, seed: $1) }, inMemory: { try $0.runContexts(10, seed: $1) })
  }
}
