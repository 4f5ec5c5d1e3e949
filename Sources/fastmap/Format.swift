/// Right-aligned.
func pad(_ text: String, to width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// Aligns rows: the first column to the left, the others to the right unless they hold words.
func table(_ rows: [[String]], ofWords: Bool = false) -> String {
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

/// A number with so many digits after the point.
func fixed(_ value: Double, digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int64((abs(value) * scale).rounded())
  let text = String(scaled)
  let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
  let sign = value < 0 && scaled != 0 ? "-" : ""
  return digits == 0 ? sign + padded : sign + padded.dropLast(digits) + "." + padded.suffix(digits)
}

func megabytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1e6, digits: 1) }

/// `417 bytes`, `32.1 kB`, `1.2 GB`
func size(_ bytes: Int) -> String {
  var value = Double(bytes)
  if value < 1000 { return counted(bytes, "byte") }
  for unit in ["kB", "MB", "GB"] {
    value /= 1000
    if value < 999.95 { return "\(fixed(value, digits: 1)) \(unit)" }
  }
  return "\(fixed(value / 1000, digits: 1)) TB"
}

/// `1 object`, `2 objects`
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// A string in JSON.
func jsonString(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where scalar.value < 0x20:
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
