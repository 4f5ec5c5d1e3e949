/// Texts that are not JSON, recognised for messages with advice.
package enum ForeignText {
  /// The most bytes of a first line that is recognised as CSV.
  package static let longestLine = 4096

  package static let adviceForCSV = "this looks like CSV; convert it to JSON first, each row to an object"

  /// Whether a text that begins with a byte may be CSV. Objects, arrays, markup and blanks begin no row.
  package static func mayBeCSV(_ first: UInt8) -> Bool { !" \t\r\n{[<".utf8.contains(first) }

  /// Whether a line has several cells, and nothing of JSON or of prose.
  package static func looksLikeCSV(_ line: UnsafeRawBufferPointer) -> Bool {
    var isQuoted = false
    var hasDelimiter = false
    for (index, byte) in line.enumerated() {
      let next = index + 1 < line.count ? line[index + 1] : 0
      switch byte {
      case UInt8(ascii: "\""):
        if isQuoted, next == UInt8(ascii: ":") { return false }
        isQuoted.toggle()
      case _ where isQuoted: break
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"):
        if next == UInt8(ascii: " ") { return false }
        hasDelimiter = true
      case _ where "{}[]<>".utf8.contains(byte): return false
      default: break
      }
    }
    return hasDelimiter && !isQuoted
  }

  /// The advice for a character in place of a value or of a name in quotes.
  package static func advice(for scalar: Unicode.Scalar?) -> String? {
    switch scalar {
    case "<": "this looks like HTML or XML"
    case "'", "`": "JSON has double quotes"
    default: nil
    }
  }
}
