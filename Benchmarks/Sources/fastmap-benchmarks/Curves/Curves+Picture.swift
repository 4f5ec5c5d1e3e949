import Foundation

extension Curves {
  /// The cost of keys and lists, by size.
  var picture: Pictures {
    let title = "What a key costs, and a change of a long list"
    let day = "\(machine.processor), \(machine.cores) cores, \(machine.date.prefix(10))"
    let chart = CurveChart(
      title: title, remark: "\(day); median of \(Self.rounds) rounds. Both scales grow tenfold.",
      panels: [
        .init(
          title: "µs a key (int64, \(Self.batch) at once), by objects",
          lines: [
            ("look up", "clustered"), ("look up", "random"), ("insert", "clustered"), ("update", "clustered"),
            ("update", "random"),
          ].map(keyLine), unit: { String(format: "%g", $0) }),
        .init(
          title: "ms an import, by the objects of a list",
          lines: [
            "merge 10 into n", "merge \(Figures.grouped(1000)) into n", "assign n, nothing different",
            "assign n, one in the middle is another", "one of n owners lets go",
          ].map(listLine), unit: { String(format: "%g", $0) }),
      ])
    return Pictures(file: "benchmark-curves.svg", title: title, svg: chart.svg)
  }

  private func keyLine(_ work: String, _ choice: String) -> CurveChart.Line {
    let figure = keys.first { $0.keys == "int64" && $0.work == work && $0.choice == choice }
    return .init(
      words: "\(work), \(choice)", values: (figure?.seconds ?? [:]).mapValues { $0.median * 1e6 })
  }

  private func listLine(_ work: String) -> CurveChart.Line {
    let figure = lists.first { $0.work == work }
    return .init(words: work, values: (figure?.seconds ?? [:]).mapValues { $0.median * 1e3 })
  }
}
