import Foundation

extension Curves {
  private var sizes: [Int] { Set(keys.flatMap(\.seconds.keys)).sorted() }
  private var lengths: [Int] { Set(lists.flatMap(\.seconds.keys)).sorted() }

  private func keyTable(_ figures: (KeyFigure) -> [Int: Spread]) -> Table {
    let sizes = sizes
    let ratio = "\(Figures.grouped(sizes.last ?? 0)) to \(Figures.grouped(sizes.first ?? 0))"
    var table = Table(header: ["keys", "work", "choice"] + sizes.map(Figures.grouped) + [ratio])
    for figure in keys {
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
    "What one key costs in an entity of so many objects: median of \(Curves.rounds) rounds. A key alone, or one of a "
    + "batch of sorted keys (\(Curves.batch), unless it says how many), which are random or stand together. A look-up finds the object and "
    + "lends one attribute, in a read of its own for each key or batch, after a read of all (the first look at a page of a "
    + "file costs a process more than a look-up); an update and an insert are imports of JSON, "
    + "with a durable commit. A random batch has many keys to a page in a small entity, and writes a page for each "
    + "key in a large one."

  private static let listWords =
    "What one import costs that changes a list of *n* objects, commit included: median of \(Curves.rounds) "
    + "rounds (2 of the reversal). An assignment has all *n* in its JSON, which are parsed, looked up and "
    + "compared; a merge has those that it adds. What a replacement lets go is deleted, as nothing else has it. The owners all refer to one object, through a to-one and a to-many relationship that replace; "
    + "whoever lets it go has to know whether somebody else still has it."

  var text: String {
    [
      Self.keyWords, keyTable(\.seconds).text, "As far as a processor was in use:",
      keyTable(\.processorSeconds).text,
      Self.listWords, listTable(\.seconds).text, "As far as a processor was in use:",
      listTable(\.processorSeconds).text,
    ].joined(separator: "\n\n") + "\n"
  }

  /// - Parameter results: Those of the same document: machine and versions are told where they differ.
  func markdown(beside results: Results) -> String {
    var opening =
      "Written by `fastmap-benchmarks curves`: \(machine.date), load average "
      + "\(Figures.load(machine.loadAtStart)) at the start, \(Figures.load(machine.loadAtEnd)) at the end."
    if machine.words != results.machine.words { opening += " Machine: \(machine.words)." }
    if versions.words != results.versions.words { opening += " Versions: \(versions.words)." }
    return [
      "## curves", opening, "![\(picture.title)](images/\(picture.file))", Self.keyWords,
      keyTable(\.seconds).markdown,
      "The same, as far as a processor was in use:", keyTable(\.processorSeconds).markdown, Self.listWords,
      listTable(\.seconds).markdown, "The same, as far as a processor was in use:",
      listTable(\.processorSeconds).markdown,
    ].joined(separator: "\n\n") + "\n"
  }
}
