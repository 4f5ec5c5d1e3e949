/// Rows of text, for a terminal or for Markdown. The first column is aligned to the left, the others to the right.
struct Table {
  let header: [String]
  var rows: [[String]] = []

  var text: String {
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
    return ([header] + rows).map { row in
      row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + space : space + cell
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  var markdown: String {
    let rule = header.indices.map { $0 == 0 ? "---" : "--:" }
    return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
