import FastMapCore

/// A page about a description: one file, without scripts and without anything from elsewhere.
struct DescriptionPage {
  private let description: Description
  private let diagram: Diagram?
  private var text = ""

  static func html(of description: Description) -> String {
    var page = DescriptionPage(description: description)
    page.writeHead()
    page.writePicture()
    page.writeSizes()
    for number in description.entities.indices { page.write(number) }
    page.text += "</main>\n</body>\n</html>\n"
    return page.text
  }

  private init(description: Description) {
    self.description = description
    diagram = Diagram(description)
  }

  /// Text for HTML, also between quotes. Characters that would disturb are shown as escapes.
  static func escape(_ text: String) -> String {
    var result = ""
    for scalar in printable(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private func name(_ text: String) -> String { Self.escape(escaped(text)) }

  /// A name that may be broken after its words: `created_` and `at`, `created` and `At`.
  private func breakable(_ text: String) -> String {
    var parts = [""]
    for character in text {
      let last = parts[parts.count - 1].last ?? " "
      if "_-./:".contains(last) || last.isLowercase && character.isUppercase { parts.append("") }
      parts[parts.count - 1].append(character)
    }
    return parts.map(Self.escape).joined(separator: "<wbr>")
  }

  // MARK: Parts

  private mutating func writeHead() {
    // The name without its directories.
    let title = name(description.title.split(separator: "/").last.map(String.init) ?? description.title)
    var facts = [counted(description.entities.count, "entity", "entities")]
    if description.isOfStore {
      facts.append(counted(description.objectCount, "object"))
      facts.append("\(byteSize(description.byteCount)) of entities")
    }
    if let size = description.size {
      facts.append("\(byteSize(max(0, size.live - description.byteCount))) of layouts and headers")
      facts.append("\(byteSize(max(0, size.file - size.live))) free")
      facts.append("file \(byteSize(size.file))")
    }
    text += """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>
      \(PageStyle.css)
      \(diagram.map { PageStyle.css(ofPicture: $0.width) } ?? "")
      </style>
      </head>
      <body>
      <main>
      <header>
      <h1>\(title)</h1>
      <p class="facts">\(facts.joined(separator: " · "))</p>
      </header>

      """
  }

  private mutating func writePicture() {
    guard let diagram else {
      if !description.entities.isEmpty {
        text += "<p class=\"facts\">There are too many entities or relationships for a picture.</p>\n"
      }
      return
    }
    text += """
      <figure>
      <div class="wide">
      \(DiagramSVG.svg(of: diagram, description))
      </div>
      <p class="scrolls">The picture is wider than the screen: it scrolls sideways.</p>
      <figcaption>A line leads to the entity that it refers to. ∗ any number; dashed: owned, without a key of its own.</figcaption>
      </figure>

      """
  }

  private mutating func writeSizes() {
    guard description.isOfStore, !description.entities.isEmpty else { return }
    let most = max(1, description.entities.map { $0.counts?.bytes ?? 0 }.max() ?? 1)
    text +=
      "<h2>Sizes</h2>\n<div class=\"wide\"><table class=\"sizes\">\n"
      + "<tr><th>entity<th>objects<th>size<th class=\"bar\"></tr>\n"
    for (number, entity) in description.entities.enumerated() {
      let bytes = entity.counts?.bytes ?? 0
      let part = fixed(Double(bytes) / Double(most) * 100, digits: 1)
      text +=
        "<tr><td><a href=\"#e\(number)\">\(name(entity.name))</a><td>\(entity.counts?.objectCount ?? 0)"
        + "<td>\(byteSize(bytes))<td class=\"bar\"><span style=\"width:\(part)%\"></span></tr>\n"
    }
    text += "</table></div>\n"
  }

  private mutating func write(_ number: Int) {
    let entity = description.entities[number]
    text += "<section id=\"e\(number)\">\n<h2>\(name(entity.name))</h2>\n"
    var facts: [String] = []
    if let counts = entity.counts {
      facts.append(counted(counts.objectCount, "object"))
      if counts.keyedCount != counts.objectCount, counts.keyedCount > 0 {
        facts.append("\(counts.keyedCount) with a key")
      }
      facts.append(byteSize(counts.bytes))
    }
    if !entity.key.isEmpty {
      facts.append("key " + entity.key.map { "<code>\(name($0))</code>" }.joined(separator: ", "))
    }
    if entity.isScoped { facts.append("unique within its owner") }
    if !entity.mappings.isEmpty {
      facts.append("mappings " + name(list(entity.mappings.map(escaped), most: 20)))
    }
    if !facts.isEmpty { text += "<p class=\"facts\">\(facts.joined(separator: " · "))</p>\n" }
    writeFields(of: entity)
    writeSamples(of: entity)
    text += "</section>\n"
  }

  private mutating func writeFields(of entity: Description.Entity) {
    if entity.attributes.isEmpty, entity.links.isEmpty, entity.indexes.isEmpty { return }
    let keys = Set(entity.key.map { ByteName($0) })
    text += "<div class=\"wide\"><table>\n"
    if let counts = entity.counts, entity.readCount > 0 {
      let isWhole = entity.readCount == counts.objectCount
      text +=
        "<tr><th>field<th>type<th>\(isWhole ? "" : "in the first \(entity.readCount) ")of \(counted(counts.objectCount, "object"))</tr>\n"
    }
    for attribute in entity.attributes {
      let isKey = keys.contains(ByteName(attribute.name))
      row(entity, attribute.name, attribute.kind.rawValue, isKey ? "key" : "")
    }
    for link in entity.links {
      let target = breakable(description.entities[link.target].name)
      row(entity, link.name, "→ <a href=\"#e\(link.target)\">\(target)</a>", link.note)
    }
    text += "</table></div>\n"
    if entity.indexes.isEmpty { return }
    text += "<h3>Indexes</h3>\n<div class=\"wide\"><table>\n"
    for index in entity.indexes {
      let count = index.entryCount.map { counted($0, "entry", "entries") } ?? ""
      text +=
        "<tr><td><code>\(breakable(index.name))</code><td>\(index.isUnique ? "unique" : "")<td class=\"note\">\(count)</tr>\n"
    }
    text += "</table></div>\n"
  }

  private mutating func row(_ entity: Description.Entity, _ field: String, _ type: String, _ note: String) {
    let notes = ((note.isEmpty ? [] : [note]) + entity.notes[ByteName(field), default: []]).map(breakable)
    let values = entity.values[field]
    var found = entity.readCount > 0 ? "\(values?.count ?? 0)" : ""
    if let shown = values?.shown, !shown.isEmpty { found += " · " + Self.escape(shown) }
    text +=
      "<tr><td><code>\(breakable(field))</code>"
      + (notes.isEmpty ? "" : "<div class=\"note\">\(notes.joined(separator: ", "))</div>")
      + "<td>\(type)<td class=\"values\">\(found)</tr>\n"
  }

  /// The longest text of a sample, in characters.
  private static let longestSample = 2000

  private mutating func writeSamples(of entity: Description.Entity) {
    if entity.samples.isEmpty { return }
    let count = entity.counts?.objectCount ?? entity.samples.count
    text += "<details><summary>\(entity.samples.count) of \(counted(count, "object"))</summary>\n"
    for sample in entity.samples {
      let lines = sample.prefix(Self.longestSample).split(separator: "\n").map { Self.escape(String($0)) }
      text += "<pre>\(lines.joined(separator: "\n"))\(sample.count > Self.longestSample ? "…" : "")</pre>\n"
    }
    text += "</details>\n"
  }
}
