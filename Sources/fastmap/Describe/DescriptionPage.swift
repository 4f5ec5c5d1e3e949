import FastMapCore

/// A page about a description: one file, without scripts and without anything from elsewhere.
struct DescriptionPage {
  private let description: Description
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

  private init(description: Description) { self.description = description }

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
    guard let diagram = Diagram(description) else {
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
    for attribute in entity.attributes {
      let isKey = keys.contains(ByteName(attribute.name))
      text +=
        "<tr><td><code>\(name(attribute.name))</code><td>\(attribute.kind.rawValue)"
        + "<td class=\"note\">\(isKey ? "key" : "")</tr>\n"
    }
    for link in entity.links {
      text +=
        "<tr><td><code>\(name(link.name))</code><td>→ <a href=\"#e\(link.target)\">"
        + "\(name(description.entities[link.target].name))</a><td class=\"note\">\(Self.escape(link.note))</tr>\n"
    }
    for index in entity.indexes {
      var note = index.isUnique ? "unique" : ""
      if let count = index.entryCount {
        note += (note.isEmpty ? "" : ", ") + counted(count, "entry", "entries")
      }
      text += "<tr><td><code>\(name(index.name))</code><td>index<td class=\"note\">\(note)</tr>\n"
    }
    text += "</table></div>\n"
  }

  /// The longest text of a sample, in characters.
  private static let longestSample = 2000

  private mutating func writeSamples(of entity: Description.Entity) {
    if entity.samples.isEmpty { return }
    text += "<details><summary>\(counted(entity.samples.count, "object"))</summary>\n"
    for sample in entity.samples {
      text += "<pre>\(Self.escape(beginning(of: sample, most: Self.longestSample)))</pre>\n"
    }
    text += "</details>\n"
  }
}
