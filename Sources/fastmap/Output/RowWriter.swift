import FastMapCore

/// Writes rows of columns to standard output.
struct RowWriter {
  /// The forms of a list of objects.
  enum Form: String, CaseIterable { case ndjson, json, csv, table }

  private let form: Form
  private let names: [String]
  private let output: Output
  /// The first rows of a table, which decide about its widths.
  private var rows: [[String]] = []
  private var widths: [Int]?
  private var count = 0

  private static let rowsForWidths = 1000

  init(_ form: Form, _ names: [String], to output: Output) {
    (self.form, self.names, self.output) = (form, names, output)
    if form == .csv { output.write(names.map { Self.csv(text: $0) }.joined(separator: ",") + "\r\n") }
    if form == .table { rows = [names.map(Self.printable)] }
  }

  mutating func write(_ row: [Columns.Cell]) throws {
    switch form {
    case .ndjson, .json:
      if form == .json { output.write(count == 0 ? "[\n" : ",\n") }
      var writer = JSONWriter()
      writer.beginObject()
      for (name, cell) in zip(names, row) {
        writer.name(name)
        try writer.cell(cell)
      }
      writer.endObject()
      if form == .ndjson { writer.endLine() }
      writer.withBytes(output.write)
    case .csv: output.write(try row.map(Self.csv).joined(separator: ",") + "\r\n")
    case .table:
      let texts = try row.map { Self.printable(try Self.text($0) ?? "") }
      if let widths { write(texts, widths) } else { rows.append(texts) }
      if rows.count > Self.rowsForWidths { writeRows() }
    }
    count += 1
    try output.flushIfFull()
  }

  mutating func end() {
    if form == .json { output.write(count == 0 ? "[]\n" : "\n]\n") }
    if form == .table, widths == nil { writeRows() }
  }

  // MARK: CSV

  /// As RFC 4180 has it: no value is nothing, and the empty string is `""`.
  private static func csv(_ cell: Columns.Cell) throws -> String {
    try text(cell).map { csv(text: $0) } ?? ""
  }

  private static func csv(text: String) -> String {
    let needsQuotes = text.isEmpty || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
  }

  /// A value without the quotes of a string; nil for none.
  private static func text(_ cell: Columns.Cell) throws -> String? {
    switch cell {
    case .none: return nil
    case .value(.string(let text)): return text
    default: break
    }
    var writer = JSONWriter()
    try writer.cell(cell)
    let json = writer.bytes
    guard json.first == UInt8(ascii: "\"") else { return String(decoding: json, as: UTF8.self) }
    return try JSONDocument(parsing: json).withRoot(\.string)
  }

  // MARK: Tables

  private static func printable(_ text: String) -> String {
    FastMapCore.printable(text.replacing("\n", with: "\\n").replacing("\r", with: "\\r"))
  }

  /// Writes the kept rows, in widths that fit the terminal.
  private mutating func writeRows() {
    var widths = names.indices.map { column in rows.map { $0[column].columnCount }.max() ?? 0 }
    if let most = System.terminalWidth {
      let gaps = 2 * (widths.count - 1)
      let least = max(1, min(8, (most - gaps) / max(1, widths.count)))
      func excess() -> Int { widths.reduce(gaps, +) - most }
      while excess() > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > least
      {
        let second = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
        widths[widest] = max(least, min(widths[widest] - 1, max(widths[widest] - excess(), second)))
      }
    }
    self.widths = widths
    for row in rows { write(row, widths) }
    rows.removeAll()
  }

  private func write(_ row: [String], _ widths: [Int]) {
    var line = ""
    for (text, width) in zip(row, widths) {
      if !line.isEmpty { line += "  " }
      let cut = text.cut(toColumns: width)
      line += cut + String(repeating: " ", count: width - min(width, cut.columnCount))
    }
    while line.last == " " { line.removeLast() }
    output.write(line + "\n")
  }
}

extension String {
  /// The columns of a terminal that the text takes.
  fileprivate var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

  /// The text, or as much of it as `width` columns hold, and `…`.
  fileprivate func cut(toColumns width: Int) -> String {
    if columnCount <= width { return self }
    var (text, count) = ("", 1)
    for character in self {
      count += character.columnCount
      if count > width { break }
      text.append(character)
    }
    return text + "…"
  }
}

extension Character {
  /// Two for East Asian wide characters and emoji, as terminals show them.
  fileprivate var columnCount: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    let isWide =
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
        true
      default: scalar.properties.isEmojiPresentation
      }
    return isWide ? 2 : 1
  }
}

extension JSONWriter {
  fileprivate mutating func cell(_ cell: Columns.Cell) throws {
    switch cell {
    case .none: null()
    case .value(let value): try self.value(value)
    case .key(let key): self.key(key)
    case .json(let bytes): bytes.withUnsafeBufferPointer { raw($0) }
    }
  }
}

extension RowWriter.Form {
  /// The value of `--format`.
  init?(_ arguments: Arguments) throws {
    guard let name = try arguments.choice("format", of: Self.allCases.map(\.rawValue)) else { return nil }
    self.init(rawValue: name)
  }
}

extension ExportOptions {
  /// Whole objects: a line each, or with `--format json` an array.
  static func wholeObjects(_ arguments: Arguments) -> ExportOptions {
    ExportOptions(format: arguments["format"] == RowWriter.Form.json.rawValue ? .json : .ndjson)
  }
}

/// The form and the columns that the arguments ask for.
struct RowForm {
  private let form: RowWriter.Form
  private let columns: Columns

  /// Nil where they ask for whole objects.
  ///
  /// - Parameter isTable: Whether the default is a table.
  init?(_ arguments: Arguments, of plan: Plan, isTable: Bool = false) throws {
    let hasShape =
      ["depth", "max-object-bytes"].contains { arguments[$0] != nil }
      || ["nulls", "once"].contains(where: arguments.has)
    let form = try RowWriter.Form(arguments) ?? (isTable && !hasShape ? .table : .ndjson)
    if form == .ndjson || form == .json, arguments["fields"] == nil { return nil }
    self.form = form
    columns = try Columns(arguments["fields"], of: plan)
  }

  func write(_ ids: [ObjectID], from snapshot: inout Snapshot, _ output: Output) throws {
    var writer = RowWriter(form, columns.names, to: output)
    for start in stride(from: 0, to: ids.count, by: 1000) {
      let some = Array(ids[start..<min(start + 1000, ids.count)])
      for row in try snapshot.withReader(of: columns.plan, { try columns.rows(of: some, in: &$0) }) {
        try writer.write(row)
      }
    }
    writer.end()
  }
}
