import FastMapModels
import FastMapStoreTesting

/// Imports random payloads of every form, and pages in several orders, by turns on LMDB and in memory.
enum FormCampaign {
  static let campaign = Campaign(
    name: "forms", title: "random payloads with joined and scoped keys, kinds, ages and waiting links",
    cases: .count("stores"), rule: "report and store as in the model, one export for all orders"
  ) { run in
    try RandomChecks.repeated(
      run, "stores", total: run.count(short: 200, long: 100_000), each: 6,
      onLMDB: { try $0.runForms(6, seed: $1) }, inMemory: { try $0.runForms(6, seed: $1) })
  }
}
