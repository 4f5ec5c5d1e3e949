import FastMapCore

extension Description {
  /// A diagram for Mermaid: entities and their relationships.
  ///
  /// An entity has a number as its identifier, and its name as the label. Mermaid has no escape for some characters, so they
  /// are replaced.
  var mermaid: String {
    var lines = ["erDiagram"]
    for (number, entity) in entities.enumerated() {
      lines.append("  e\(number)[\"\(Self.label(entity.name))\"]" + (entity.attributes.isEmpty ? "" : " {"))
      if entity.attributes.isEmpty { continue }
      let keys = Set(entity.key.map { ByteName($0) })
      for attribute in entity.attributes {
        let word = Self.word(attribute.name)
        lines.append(
          "    \(attribute.kind.rawValue) \(word)" + (keys.contains(ByteName(attribute.name)) ? " PK" : "")
            + (word == attribute.name ? "" : " \"\(Self.label(attribute.name))\""))
      }
      lines.append("  }")
    }
    for (number, entity) in entities.enumerated() {
      for link in entity.links where link.inverseOf == nil {
        let line = (link.isOwned ? "|o--" : "}o--") + (link.isToMany ? "o{" : "o|")
        lines.append("  e\(number) \(line) e\(link.target) : \"\(Self.label(link.name))\"")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Text between quotes.
  private static func label(_ text: String) -> String {
    let plain = escaped(text).unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"": result += "'"
      case "<", ">", "%", "#", ";", "`", "[", "]", "{", "}", "&": result += "_"
      case "\\": result += "/"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return plain.isEmpty ? " " : plain
  }

  /// A name of letters, digits and underscores.
  private static func word(_ text: String) -> String {
    let word = String(
      text.prefix(60).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return word.first?.isLetter ?? false ? word : "_" + word
  }
}
