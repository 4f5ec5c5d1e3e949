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
    "The median cost of one key in an entity of the given size, in \(Curves.rounds) rounds. Keys are "
    + "read alone or in a batch of sorted keys (\(Curves.batch), unless given), random or neighbouring. "
    + "A look-up finds the object and lends one attribute. It has a read of its own for each key or "
    + "batch, after a first read of all. The first access to a page of a file costs more than a "
    + "look-up. An update and an insert are imports of JSON with a durable commit. In a small entity, a "
    + "random batch has many keys on each page. In a large one, it writes a page for each key."

  private static let listWords =
    "The median time of one import that changes a list of *n* objects, commit included, in "
    + "\(Curves.rounds) rounds (2 of the reversal). An assignment has all *n* in its JSON and parses, "
    + "looks up and compares them. A merge has only the new ones. A replacement deletes the objects "
    + "that it removes, because nothing else refers to them. The owners all refer to one object, "
    + "through a to-one and a to-many relationship that replace. FastMap must find out whether anything "
    + "else still refers to it."

  var text: String {
    [
      Self.keyWords, keyTable(\.seconds).text, "Processor time of the same:",
      keyTable(\.processorSeconds).text,
      Self.listWords, listTable(\.seconds).text, "Processor time of the same:",
      listTable(\.processorSeconds).text,
    ].joined(separator: "\n\n") + "\n"
  }

  /// - Parameter results: The results in the same document. Machine and versions are shown if they differ.
  func markdown(beside results: Results) -> String {
    var opening =
      "Written by `fastmap-benchmarks curves`: \(machine.date), load average "
      + "\(Figures.load(machine.loadAtStart)) at the start, \(Figures.load(machine.loadAtEnd)) at the end."
    if machine.words != results.machine.words { opening += " Machine: \(machine.words)." }
    if versions.words != results.versions.words { opening += " Versions: \(versions.words)." }
    return [
      "## curves", opening, "![\(picture.title)](images/\(picture.file))", Self.keyWords,
      keyTable(\.seconds).markdown,
      "Processor time of the same:", keyTable(\.processorSeconds).markdown, Self.listWords,
      listTable(\.seconds).markdown, "Processor time of the same:",
      listTable(\.processorSeconds).markdown,
    ].joined(separator: "\n\n") + "\n"
  }
}
