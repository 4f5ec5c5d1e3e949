/// Writes filters as text.
struct FilterPrinter {
  private(set) var text = ""
  private let name: (AnyKeyPath) -> String?

  /// Where a filter stands, and so whether it needs parentheses.
  enum Context {
    case anywhere
    case alternative
    case conjunct
    case negated
  }

  init(_ name: @escaping (AnyKeyPath) -> String?) { self.name = name }

  mutating func append(_ filter: Filter, in context: Context) {
    switch filter.tree {
    case .all(let filters) where filters.isEmpty: comparison(in: context) { $0.text += "true == true" }
    case .any(let filters) where filters.isEmpty: never(in: context)
    case .all(let filters):
      join(filters, " && ", in: context, isBare: context == .anywhere || context == .alternative) {
        $0.append($1, in: filters.count == 1 ? context : .conjunct)
      }
    case .any(let filters):
      join(filters, " || ", in: context, isBare: context == .anywhere) {
        $0.append($1, in: filters.count == 1 ? context : .alternative)
      }
    case .not(let filter):
      text += "!"
      append(filter, in: .negated)
    case .exists(let path): append(path)
    case .compare(let left, let comparison, let right):
      self.comparison(in: context) { $0.append(left, comparison, right) }
    case .isOne(let term, let literals) where literals.count > 1:
      join(literals, " || ", in: context, isBare: context == .anywhere) {
        $0.append(term, .equal, .literal($1))
      }
    case .isOne(let term, let literals):
      guard let literal = literals.first else { return never(in: context) }
      comparison(in: context) { $0.append(term, .equal, .literal(literal)) }
    case .text(let term, let test, let pattern): append(term, test, pattern)
    case .tooDeep, .refused: text += "…"
    }
  }

  private mutating func never(in context: Context) {
    comparison(in: context) { $0.text += "true == false" }
  }

  /// Writes a comparison, which "!" cannot stand before.
  private mutating func comparison(in context: Context, _ body: (inout FilterPrinter) -> Void) {
    if context == .negated { text += "(" }
    body(&self)
    if context == .negated { text += ")" }
  }

  private mutating func join<Part>(
    _ parts: [Part], _ separator: String, in context: Context, isBare: Bool,
    _ body: (inout FilterPrinter, Part) -> Void
  ) {
    let hasParentheses = !isBare && parts.count > 1
    if hasParentheses { text += "(" }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += separator }
      body(&self, part)
    }
    if hasParentheses { text += ")" }
  }

  private mutating func append(_ left: FilterTerm, _ comparison: BoundFilter.Comparison, _ right: FilterTerm)
  {
    append(left)
    text += " \(comparison.rawValue) "
    append(right)
  }

  private mutating func append(_ term: FilterTerm, _ test: BoundFilter.TextTest, _ pattern: FilterTerm) {
    var function = test.rawValue
    var pattern = pattern
    if case .literal(.string(let string), _) = pattern {
      switch test {
      case .match, .search: break
      case .hasPrefix:
        function = "match"
        // "." stands for no line breaks.
        pattern = .literal(.string(TextPattern.escaped(string) + "(.|\n|\r)*"))
      case .contains:
        function = "search"
        pattern = .literal(.string(TextPattern.escaped(string)))
      }
    }
    call(function) {
      $0.append(term)
      $0.text += ", "
      $0.append(pattern)
    }
  }

  private mutating func append(_ term: FilterTerm) {
    switch term {
    case .literal(let literal, _): append(literal)
    case .path(let path): append(path)
    case .length(let term): call("length") { $0.append(term) }
    case .lowercased(let term): call("lower") { $0.append(term) }
    case .count(let path): call("count") { $0.append(path) }
    case .value(let path): call("value") { $0.append(path) }
    }
  }

  private mutating func call(_ function: String, _ body: (inout FilterPrinter) -> Void) {
    text += function + "("
    body(&self)
    text += ")"
  }
}

extension FilterPrinter {
  mutating func append(_ path: FilterPath) {
    text += "@"
    for step in path.steps {
      if step.selectors.count == 1, case .member(let name) = step.selectors[0],
        Self.isPlain(self.name(of: name))
      {
        text += "." + self.name(of: name)
      } else {
        text += "["
        for (index, selector) in step.selectors.enumerated() {
          if index > 0 { text += ", " }
          append(selector)
        }
        text += "]"
      }
    }
  }

  private mutating func append(_ selector: FilterSelector) {
    switch selector {
    case .member(let name): text += jsonString(self.name(of: name))
    case .all: text += "*"
    case .index(let index): text += "\(index)"
    case .slice(let start, let end, let step):
      text += (start.map { "\($0)" } ?? "") + ":" + (end.map { "\($0)" } ?? "")
      if step != 1 { text += ":\(step)" }
    case .filtered(let filter):
      text += "?"
      append(filter, in: .anywhere)
    }
  }

  private func name(of name: FilterName) -> String {
    switch name {
    case .name(let name): name
    case .property(let path): self.name(path) ?? Self.name(of: path)
    }
  }

  /// `name` of `\Person.name`. A property that the runtime cannot name has the whole description.
  private static func name(of path: AnyKeyPath) -> String {
    let description = String(reflecting: path)
    let name = description.utf8.split(separator: UInt8(ascii: ".")).last.map { String(Substring($0)) } ?? ""
    return name.utf8.allSatisfy { $0.isWord } ? name : description
  }

  /// Whether it can follow a dot.
  private static func isPlain(_ name: String) -> Bool {
    name.utf8.first?.isNameStart == true && name.utf8.allSatisfy { $0.isWord }
      && !name.unicodeScalars.contains(where: isUnfitForTerminals)
  }

  private mutating func append(_ literal: FilterLiteral) {
    switch literal {
    case .null: text += "null"
    case .boolean(let value): text += "\(value)"
    case .integer(let value): text += "\(value)"
    case .unsigned(let value): text += "\(value)"
    case .number(let value): text += Self.text(of: value)
    case .decimal(let value): text += value.text
    case .string(let value): text += jsonString(value)
    case .date(let value): append(encoded: .date(value))
    case .data(let value): append(encoded: .data(value))
    }
  }

  /// A number as a filter has it.
  static func text(of number: Double) -> String {
    if number.isInfinite { return number < 0 ? "-1e999" : "1e999" }  // which is read as infinity again
    if number.magnitude >= 0x1p53, number >= -0x1p63, number < 0x1p64, let integer = Int128(exactly: number) {
      // With fewer digits it would be another number beside an integer.
      return "\(integer).0"
    }
    return "\(number)"
  }

  /// A date as ISO 8601, outside its years as seconds; data as base64.
  private mutating func append(encoded value: Value) {
    var writer = JSONWriter()
    do {
      try writer.value(value)
      text += writer.withBytes { String(decoding: $0, as: UTF8.self) }
    } catch {
      if case .date(let date) = value { text += jsonString("\(date.seconds)") }
    }
  }
}
