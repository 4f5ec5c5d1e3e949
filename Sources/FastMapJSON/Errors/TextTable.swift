/// Aligns to the right.
package func pad(_ text: String, to width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// Aligns rows. The first column is aligned to the left, and the others to the right unless they hold words.
package func textTable(_ rows: [[String]], ofWords: Bool = false) -> String {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], cell.count)
    }
  }
  return rows.map { row in
    let cells = row.enumerated().map { column, cell in
      if column > 0, !ofWords { return pad(cell, to: widths[column]) }
      let isLast = column == row.count - 1
      return cell + String(repeating: " ", count: isLast ? 0 : widths[column] - cell.count)
    }
    return cells.joined(separator: "  ") + "\n"
  }.joined()
}

/// A number with this many digits after the decimal point.
package func fixed(_ value: Double, digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int64((abs(value) * scale).rounded())
  let text = String(scaled)
  let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
  let sign = value < 0 && scaled != 0 ? "-" : ""
  return digits == 0 ? sign + padded : "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits))"
}

/// `417 bytes`, `32.1 kB`, `1.2 GB`
package func byteSize(_ bytes: Int) -> String {
  var value = Double(bytes)
  if value < 1000 { return counted(bytes, "byte") }
  for unit in ["kB", "MB", "GB"] {
    value /= 1000
    if value < 999.95 { return "\(fixed(value, digits: 1)) \(unit)" }
  }
  return "\(fixed(value / 1000, digits: 1)) TB"
}

/// `1 object`, `2 objects`
package func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
