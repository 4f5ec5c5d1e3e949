/// The place of a value inside a JSON object: steps from the outside in.
///
///     let city: JSONKeyPath = "address.city"
///     let latitude: JSONKeyPath = "position[0]"       // an element of an array
///     let names: JSONKeyPath = "tags[].name"          // of all elements: a list
///     let call: JSONKeyPath = "[1]"                   // of an object that is an array: a row
///     let dotted = JSONKeyPath("version\\.major")     // one member, named "version.major"
///     let whole = JSONKeyPath.wholeValue             // the value that stands for the object
///     let match: JSONKeyPath = "@parent.id"           // of the object that owns the object
///     let page: JSONKeyPath = "@root.page"            // of the document, or of the line
///     let day = JSONKeyPath.context("day")           // given to the import: see ``ImportOptions/context``
///
/// In the written form, a dot inside a name is escaped as `\.`, and brackets as `\[` and `\]`. So a member named `[0]` is
/// written `\[0]`. A backslash before one of these or before another backslash is written `\\`. Any other backslash is
/// itself. A member named `@parent` or `@root` at the beginning is written `\@parent`. A mapping takes paths of at
/// most 64 steps. A mapping refuses a path with a bracket that encloses something other than digits.
///
/// A path with `[]` gives a list with one value for each element, and null for an element that lacks the value. Use it for
/// an attribute whose property is an array or a set, or for a to-many relationship. Both are exported as arrays, with
/// null in the places that have no known value. An index is at most 65 535.
///
/// A value from outside of the object is written under the field's own name. It is read there too, if the object has no such owner,
/// or if the owner lacks the value.
///
/// The key paths of a mapping begin with an index, all of them, if its objects are arrays. Such an object is written as an
/// array, which ends with its last value.
public struct JSONKeyPath: Sendable {
  /// One step inwards.
  package enum Step: Hashable, Sendable {
    /// Into a member of an object, by its name.
    case member(String)
    /// Into an element of an array, counted from 0.
    case index(Int)
    /// Into each element of an array.
    case each

    /// Whether both are the same step: names are compared by their bytes.
    package static func == (a: Step, b: Step) -> Bool {
      switch (a, b) {
      case (.member(let a), .member(let b)): NameIndex.isSame(a, b)
      case (.index(let a), .index(let b)): a == b
      case (.each, .each): true
      default: false
      }
    }

    package func hash(into hasher: inout Hasher) {
      switch self {
      case .member(let name): hasher.combine(ByteName(name))
      case .index(let index): hasher.combine(index)
      case .each: hasher.combine(true)
      }
    }
  }

  /// Where a path begins.
  package enum Origin: Hashable, Sendable {
    /// The representation of the object.
    case object
    /// The representation of the object that owns it, so many levels up.
    case parent(Int)
    /// The root of the document; in NDJSON, the line.
    case root
    /// The values that were given to the import.
    case context
  }

  /// Where it begins.
  package let origin: Origin

  /// The steps; none for ``wholeValue``.
  package let steps: [Step]

  /// Whether it is the name of a field without a path of its own. A ``KeyStrategy`` may change it.
  let isName: Bool

  /// The text from the first bracket that is no step, a part of the name.
  package let strayBracket: String?

  /// Reads the written form. An empty text is the member with the empty name.
  public init(_ text: String) {
    var reader = KeyPathReader(text)
    let (origin, steps) = reader.path()
    self.init(steps, origin: origin, strayBracket: reader.strayBracket)
  }

  /// Takes member names as they are.
  package init(components: [String]) { self.init(components.map { .member($0) }) }

  /// Makes a path from its steps.
  package init(_ steps: [Step]) { self.init(steps, isName: false) }

  init(
    _ steps: [Step], isName: Bool = false, origin: Origin = .object, strayBracket: String? = nil
  ) {
    self.origin = origin
    self.steps = steps
    self.isName = isName
    self.strayBracket = strayBracket
  }

  /// The member with the field's own name, or with the name that a ``KeyStrategy`` makes of it. The default of every
  /// field.
  public static let ownName = JSONKeyPath([], isName: true)

  /// The whole value that stands for the object, such as `7` for an object that is referred to by its key. As a root
  /// path, the whole payload.
  public static let wholeValue = JSONKeyPath([])

  /// A value that is given to the import, the same for all objects: see ``ImportOptions/context``.
  public static func context(_ name: String) -> JSONKeyPath {
    JSONKeyPath([.member(name)], origin: .context)
  }

  /// Whether it leads nowhere: the value is the whole one.
  package var isWhole: Bool { steps.isEmpty && origin == .object }

  /// The path if it begins outside of the object; nil otherwise.
  package var ifOuter: JSONKeyPath? { origin == .object ? nil : self }

  /// The path of a field with a name.
  package func resolved(for name: String) -> JSONKeyPath {
    isName && steps.isEmpty ? JSONKeyPath([.member(name)], isName: true) : self
  }

  /// The path with the strategy's name, if it is the field's own name.
  package func following(_ keys: KeyStrategy, _ name: String) -> JSONKeyPath {
    isName ? JSONKeyPath([.member(keys.key(for: name))], isName: true) : self
  }

  /// The names of the members that it leads through; nil if it leads through an array.
  package var components: [String]? {
    var names: [String] = []
    for step in steps {
      guard case .member(let name) = step else { return nil }
      names.append(name)
    }
    return names
  }

  /// Whether it gives a list.
  package var isEach: Bool { steps.contains(.each) }
}

extension JSONKeyPath: Hashable {
  public static func == (a: JSONKeyPath, b: JSONKeyPath) -> Bool {
    a.origin == b.origin && a.steps == b.steps && (!a.steps.isEmpty || a.isName == b.isName)
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

extension JSONKeyPath: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral value: String) { self.init(value) }

  /// The written form.
  public var description: String {
    let text = Self.text(of: origin == .context ? steps.prefix(1) : steps[...])
    let origin =
      switch origin {
      case .object: ""
      case .parent(let levels): Array(repeating: "@parent", count: levels).joined(separator: ".")
      case .root: "@root"
      case .context: "context"
      }
    if origin.isEmpty {
      guard case .member(let name)? = steps.first, name == "@parent" || name == "@root" else { return text }
      return "\\" + text
    }
    return text.isEmpty || text.first == "[" ? origin + text : "\(origin).\(text)"
  }

  package static func text(of steps: ArraySlice<Step>) -> String {
    var text = ""
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .each: text += "[]"
      case .member(let name):
        if !text.isEmpty { text += "." }
        for scalar in name.unicodeScalars {
          if scalar == "." || scalar == "\\" || scalar == "[" { text += "\\" }
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }
}

/// Reads the written form of a key path.
private struct KeyPathReader {
  private let text: [Unicode.Scalar]
  private var place = 0
  private(set) var strayBracket: String?

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  mutating func path() -> (JSONKeyPath.Origin, [JSONKeyPath.Step]) {
    var parents = 0
    while takes("@parent") { parents += 1 }
    let origin: JSONKeyPath.Origin = parents > 0 ? .parent(parents) : takes("@root") ? .root : .object
    if origin != .object, place == text.count { return (origin, []) }
    if text.starts(with: "\\@".unicodeScalars) { place = 1 }
    return (origin, steps())
  }

  /// Goes over a word at the beginning of a path, and the dot after it.
  private mutating func takes(_ word: String) -> Bool {
    let end = place + word.unicodeScalars.count
    guard text[place...].starts(with: word.unicodeScalars), isEnd(end) else { return false }
    place = end < text.count && text[end] == "." ? end + 1 : end
    return true
  }

  private mutating func steps() -> [JSONKeyPath.Step] {
    let start = place
    var steps: [JSONKeyPath.Step] = []
    var name = ""
    var isInName = true
    while place < text.count {
      let scalar = text[place]
      let isFirst = place == start
      if scalar == "[", let step = bracket() {
        if isInName, !isFirst { steps.append(.member(name)) }
        steps.append(step)
        isInName = false
        continue
      }
      if scalar == "[", strayBracket == nil {
        strayBracket = String(String.UnicodeScalarView(text[place...]))
      }
      place += 1
      if scalar == "." {
        if isInName { steps.append(.member(name)) }
        name = ""
        isInName = true
        continue
      }
      if !isInName {
        name = ""
        isInName = true
      }
      name.unicodeScalars.append(scalar == "\\" ? escaped() ?? scalar : scalar)
    }
    if isInName { steps.append(.member(name)) }
    return steps
  }

  /// The character that a backslash escapes; nil for a backslash that stands for itself.
  private mutating func escaped() -> Unicode.Scalar? {
    guard place < text.count else { return nil }
    let next = text[place]
    guard next == "." || next == "\\" || next == "[" || next == "]" else { return nil }
    place += 1
    return next
  }

  /// `[3]` or `[]`, followed by another step or the end.
  private mutating func bracket() -> JSONKeyPath.Step? {
    // No further than the digits go, or for each of many brackets the text would be searched to its end.
    var end = place + 1
    while end < text.count, ("0"..."9").contains(text[end]) { end += 1 }
    guard end < text.count, text[end] == "]", isEnd(end + 1) else { return nil }
    let inner = String(String.UnicodeScalarView(text[(place + 1)..<end]))
    guard let index = inner.isEmpty ? 0 : Int(inner) else { return nil }
    place = end + 1
    return inner.isEmpty ? .each : .index(index)
  }

  private func isEnd(_ place: Int) -> Bool {
    place == text.count || text[place] == "." || text[place] == "["
  }
}

extension JSONKeyPath {
  /// The path of a value that the caller gives, in one of its forms.
  package func inForm(_ form: String) -> JSONKeyPath {
    if origin != .context { return self }
    return JSONKeyPath(Array(steps.prefix(1)) + [.member(form)], origin: .context)
  }
}
