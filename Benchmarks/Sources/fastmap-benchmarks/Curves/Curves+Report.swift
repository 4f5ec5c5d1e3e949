import Foundation

extension Curves {
  private var sizes: [Int] { Set(keys.flatMap(\.seconds.keys)).sorted() }
  private var lengths: [Int] { Set(lists.flatMap(\.seconds.keys)).sorted() }

  private func keyTable(
    _ figures: (KeyFigure) -> [Int: Spread], isWanted: (KeyFigure) -> Bool = { _ in true }
  ) -> Table {
    let sizes = sizes
    let ratio = "\(Figures.grouped(sizes.last ?? 0)) to \(Figures.grouped(sizes.first ?? 0))"
    var table = Table(header: ["keys", "work", "choice"] + sizes.map(Figures.grouped) + [ratio])
    for figure in keys where isWanted(figure) {
      let seconds = figures(figure)
      var row = [figure.keys, figure.work, figure.choice]
      row += sizes.map { seconds[$0].map { String(format: "%.2f µs", $0.median * 1e6) } ?? "" }
      let ends = [sizes.first, sizes.last].compactMap { $0.flatMap { seconds[$0]?.median } }
      row.append(ends.count == 2 ? Figures.times(ends[1] / ends[0]) : "")
      table.rows.append(row)
    }
    return table
  }

  private func listTable(_ figures: (ListFigure) -> [Int: Spread]) -> Table {
    var table = Table(header: ["import"] + lengths.map { "n = \(Figures.grouped($0))" })
    for figure in lists {
      table.rows.append(
        [figure.work] + lengths.map { figures(figure)[$0].map { Figures.milliseconds($0.median) } ?? "" })
    }
    return table
  }

  private static let keyWords =
    "The cost of one key in an entity of so many objects, commit included: median of \(Curves.rounds) rounds. A key is alone, or one of "
    + "a batch of \(Curves.batch) sorted keys, which are random or adjacent. A look-up lends one attribute. An update or insert is an import of "
    + "JSON with a durable commit. Random keys share few pages in a large entity, so a batch writes about one page for each key."

  private static let listWords =
    "The cost of one import that changes a list of *n* objects, commit included: median of \(Curves.rounds) rounds (2 of the reversal). "
    + "An assignment has all *n* in its JSON; a merge has only those that it adds. A replacement deletes what it removes. In the last "
    + "two rows, *n* owners refer to one object with relationships that replace."

  var text: String {
    [
      Self.keyWords, keyTable(\.seconds).text, "Processor time:",
      keyTable(\.processorSeconds).text,
      Self.listWords, listTable(\.seconds).text, "Processor time:",
      listTable(\.processorSeconds).text,
    ].joined(separator: "\n\n") + "\n"
  }

  /// - Parameter results: The results on the same page. Machine and versions are shown if they differ.
  func markdown(beside results: Results) -> String {
    var opening =
      "From `Benchmarks/curves.json`: \(machine.date), load average \(Figures.load(machine.loadAtStart)) at the start, "
      + "\(Figures.load(machine.loadAtEnd)) at the end. That file has string keys, other batches and processor times, too."
    if machine.words != results.machine.words { opening += " Machine: \(machine.words)." }
    if versions.words != results.versions.words { opening += " Versions: \(versions.words)." }
    return [
      "## Keys and lists as they grow", opening, "![\(picture.title)](images/\(picture.file))", Self.keyWords,
      keyTable(\.seconds) { $0.keys == "int64" && !$0.choice.contains("at once") }.markdown, Self.listWords,
      listTable(\.seconds).markdown,
    ].joined(separator: "\n\n")
  }
}
