import FastMapCore

/// A description for a terminal, or for another program.
struct DescriptionText {
  private let description: Description
  private let style: TextStyle
  private var lines: [String] = []

  static func text(of description: Description, for style: TextStyle) -> String {
    var text = DescriptionText(description: description, style: style)
    text.writeHead()
    text.writeTable()
    for entity in description.entities { text.write(entity) }
    return text.lines.joined(separator: "\n") + "\n"
  }

  private init(description: Description, style: TextStyle) {
    (self.description, self.style) = (description, style)
  }

  private mutating func writeHead() {
    var facts = [counted(description.entities.count, "entity", "entities")]
    if description.isOfStore { facts.append(counted(description.objectCount, "object")) }
    if let size = description.size {
      facts.append("file \(byteSize(size.file))")
      facts.append("\(byteSize(max(0, size.live - description.byteCount))) of it layouts and headers")
      facts.append("\(byteSize(max(0, size.file - size.live))) free")
    }
    lines.append(
      style.strong(printable(beginning(of: description.title, most: 200))) + "  "
        + facts.joined(separator: ", "))
  }

  private static let barWidth = 20

  private mutating func writeTable() {
    guard description.isOfStore else { return }
    let most = description.entities.map { $0.counts?.bytes ?? 0 }.max() ?? 0
    let hasParts = description.size != nil
    // An entity of a mapping file alone has no numbers.
    let rows = description.entities.map { entity in
      (entity.counts ?? .init(name: entity.name, objectCount: 0, keyedCount: 0, bytes: 0, indexes: []))
        .row(hasParts)
    }
    lines.append("")
    let table = textTable([StoreStatistics.Entity.columns(hasParts)] + rows).split(separator: "\n").map(
      String.init)
    lines.append(style.faint(style.cut(table.first ?? "")))
    let room = min(Self.barWidth, style.width.map { $0 - (table.first?.count ?? 0) - 2 } ?? Self.barWidth)
    for (row, entity) in zip(table.dropFirst(), description.entities) {
      let width =
        most > 0
        ? Int((Double(entity.counts?.bytes ?? 0) / Double(most) * Double(max(0, room))).rounded()) : 0
      lines.append(style.cut(row) + style.bar(width))
    }
  }

  private mutating func write(_ entity: Description.Entity) {
    lines.append("")
    var head = style.strong(escaped(entity.name))
    if !entity.key.isEmpty {
      head += "  key " + list(entity.key.map(escaped)) + (entity.isScoped ? ", unique within its owner" : "")
    }
    lines.append(head)
    if !entity.mappings.isEmpty {
      lines.append(style.faint(style.cut("  mappings " + list(entity.mappings.map(escaped)))))
    }
    let keys = Set(entity.key.map { ByteName($0) })
    let rows = entity.attributes.map { attribute in
      [
        "  " + escaped(attribute.name), attribute.kind.rawValue,
        keys.contains(ByteName(attribute.name)) ? "key" : "",
      ]
    }
    let links = entity.links.map { link in
      ["  " + escaped(link.name), "→ " + escaped(description.entities[link.target].name), link.note]
    }
    let table = textTable(rows + links, ofWords: true).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (number, row) in table.prefix(rows.count + links.count).enumerated() {
      let line = style.cut(String(row.reversed().drop { $0 == " " }.reversed()))
      lines.append(number < rows.count ? line : style.link(line))
    }
    for index in entity.indexes {
      var line = "  index \(escaped(index.name))" + (index.isUnique ? ", unique" : "")
      if let count = index.entryCount { line += ", " + counted(count, "entry", "entries") }
      lines.append(style.faint(style.cut(line)))
    }
  }
}

extension Description.Link {
  /// `any number, owned`
  var note: String {
    var words: [String] = []
    if isToMany { words.append("any number") }
    if isOwned { words.append("owned") }
    if let inverseOf { words.append("inverse of " + escaped(inverseOf)) }
    return words.joined(separator: ", ")
  }
}

/// `1 entry`, `2 entries`
func counted(_ count: Int, _ noun: String, _ plural: String) -> String {
  "\(count) \(count == 1 ? noun : plural)"
}

/// Colours and the width of a terminal. Without one, text is as long as it is.
struct TextStyle {
  let hasColour: Bool
  /// Nil for no limit.
  let width: Int?

  static var ofOutput: TextStyle {
    guard System.isTerminal(System.standardOutput) else { return TextStyle(hasColour: false, width: nil) }
    return TextStyle(hasColour: System.takesColour, width: System.terminalWidth)
  }

  func strong(_ text: String) -> String { coloured(text, "1") }
  func faint(_ text: String) -> String { coloured(text, "2") }
  func link(_ text: String) -> String { coloured(text, "36") }

  private func coloured(_ text: String, _ code: String) -> String {
    hasColour && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// The beginning of a line that is wider than the terminal.
  func cut(_ line: String) -> String {
    guard let width, width > 1, line.count > width else { return line }
    return line.prefix(width - 1) + "…"
  }

  /// A bar after a line.
  func bar(_ length: Int) -> String {
    length > 0 ? "  " + coloured(String(repeating: "█", count: length), "34") : ""
  }
}
