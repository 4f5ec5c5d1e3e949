// Names, values, lists and faults in messages. Any of them may be long, and a person reads a message, line by line in
// a log. So a message has the beginning of each, and counts or marks the rest.

/// A quoted string for a message, cut at 40 characters, without characters that could disturb a terminal.
package func quoted(_ text: String) -> String {
  let start = text.prefix(40)
  return "\"" + escaped(start, hasQuotes: true) + (start.endIndex == text.endIndex ? "\"" : "…\"")
}

/// A string in JSON, without characters that could disturb a terminal.
package func jsonString(_ text: String) -> String { "\"" + escaped(text[...], hasQuotes: true) + "\"" }

/// A name for a table or a list, cut at 100 characters, without characters that could disturb a terminal.
package func escaped(_ name: String) -> String { escaped(name, most: 100) }

/// Text for a message without quotes, cut at 40 characters, without characters that could disturb a terminal.
package func shortened(_ text: String) -> String { escaped(text, most: 40) }

private func escaped(_ text: String, most: Int) -> String {
  escaped(beginning(of: text, most: most)[...], hasQuotes: false)
}

/// The first characters of a text, and an ellipsis if there are more.
package func beginning(of text: String, most: Int) -> String {
  let start = text.prefix(most)
  return start.endIndex == text.endIndex ? text : start + "…"
}

/// A line without characters that could disturb a terminal. If there are none, the text is unchanged.
package func printable(_ line: String) -> String {
  guard line.unicodeScalars.contains(where: isUnfitForTerminals) else { return line }
  return line.unicodeScalars.reduce(into: "") { text, scalar in
    if isUnfitForTerminals(scalar) {
      text += scalar == "\t" ? " " : "\\u" + hexadecimal(scalar.value)
    } else {
      text.unicodeScalars.append(scalar)
    }
  }
}

private func escaped(_ text: Substring, hasQuotes: Bool) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"" where hasQuotes: result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where isUnfitForTerminals(scalar):
      result += "\\u" + hexadecimal(scalar.value)
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Control characters, line breaks, and marks that change the direction of text.
package func isUnfitForTerminals(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
  default: false
  }
}

private func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}

/// Names for a message: `a, b and c`. Above `most` names, the text has the first ones and the number of the others:
/// `a, b and 38 more`.
package func list(_ names: [String], conjunction: String = "and", most: Int = 12) -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  let shown = names.count > most ? most - 1 : names.count - 1
  let end = names.count > most ? "\(names.count - shown) more" : last
  return names.prefix(shown).joined(separator: ", ") + " \(conjunction) " + end
}

/// The lines of a message about several faults: the first 100 faults, and the number of the others.
///
/// - Parameters:
///   - count: The number of faults.
///   - line: The text of a fault by its number.
package func messageLines(_ count: Int, _ line: (Int) -> String) -> [String] {
  let most = 100
  return (0..<min(count, most)).map(line) + (count > most ? ["and \(count - most) more"] : [])
}

/// The text of a message about several faults, one a line; see ``messageLines(_:_:)``.
package func messageText<Fault: CustomStringConvertible>(_ faults: [Fault]) -> String {
  messageLines(faults.count) { faults[$0].description }.joined(separator: "\n")
}

/// The message for a name that is not known: `no mapping named "Car"; did you mean "Cars"?`
///
/// - Parameters:
///   - kind: The named thing: `mapping`.
///   - names: The known names.
///   - place: The beginning: `no mapping named`.
package func unknownName(_ kind: String, named name: String, among names: [String], verb place: String)
  -> String
{
  var reason = "\(place) \(quoted(name))"
  if let near = suggestion(for: name, among: names) {
    reason += "; did you mean \(quoted(near))?"
  } else if names.isEmpty {
    reason += "; there is no \(kind)"
  } else if names.count <= 16 {
    reason += "; there \(names.count == 1 ? "is" : "are") \(list(names.map(quoted), most: .max))"
  }
  return reason
}

/// The candidate closest to a misspelt name, if its edit distance is at most a third of the name's length. Any character is
/// one edit away from any other, so a name of one character has no misspelling but its case.
package func suggestion(for name: String, among candidates: [String]) -> String? {
  let limit = name.count == 1 ? 0 : max(1, min(name.count, 40) / 3)
  let ranked = candidates.map { (edits(name.lowercased(), $0.lowercased(), limit: limit), $0) }
  guard let best = ranked.min(by: { $0.0 < $1.0 }), best.0 <= limit else { return nil }
  return best.1
}

/// The edit distance with swaps of neighbours (optimal string alignment), or more than `limit`.
private func edits(_ a: String, _ b: String, limit: Int) -> Int {
  let a = Array(a.unicodeScalars.prefix(64))
  let b = Array(b.unicodeScalars.prefix(64))
  guard abs(a.count - b.count) <= limit else { return limit + 1 }
  var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
  for i in 0...a.count { rows[i][0] = i }
  for j in 0...b.count { rows[0][j] = j }
  for i in 0..<a.count {
    for j in 0..<b.count {
      let cost = a[i] == b[j] ? 0 : 1
      var best = min(rows[i][j + 1] + 1, rows[i + 1][j] + 1, rows[i][j] + cost)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
      rows[i + 1][j + 1] = best
    }
  }
  return rows[a.count][b.count]
}
