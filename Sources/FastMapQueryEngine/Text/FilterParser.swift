/// Reads the logical expression of RFC 9535 in one pass.
///
///     @.age >= 18 && (@.name || !match(@.email, ".*\\.org"))
///     or ─ and ─ condition ─ operand        comparison, test, "(" or ")", "!"
///
/// Every function stops after its last token. Blanks after a path are skipped, because every next token allows them.
struct FilterParser {
  var text: FilterText
  /// How many parentheses, functions and inner filters are open.
  private var nesting = 0

  init(_ text: String) { self.text = FilterText(text) }

  /// Reads the whole text.
  mutating func filter() throws(FilterError) -> Filter {
    let filter = try or()
    guard text.next == nil else { throw misplaced("the end of the text") }
    return filter
  }

  /// Reads alternatives, and the blanks around them.
  mutating func or() throws(FilterError) -> Filter {
    var terms = [try and()]
    while text.consume("|", "|") { terms.append(try and()) }
    return try checked(.any(terms))
  }

  private mutating func and() throws(FilterError) -> Filter {
    var terms: [Filter] = []
    repeat {
      text.skipBlanks()
      terms.append(try condition())
      text.skipBlanks()
    } while text.consume("&", "&")
    return try checked(.all(terms))
  }

  private mutating func condition() throws(FilterError) -> Filter {
    if text.next == UInt8(ascii: "(") { return try parentheses() }
    guard text.consume("!") else { return try comparisonOrTest() }
    text.skipBlanks()
    if text.next == UInt8(ascii: "(") { return try checked(parentheses().negated) }
    if text.next == UInt8(ascii: "!") { throw text.fault("\"!\" stands twice: leave out both") }
    let place = text.place()
    let test = try test(operand(), at: place)
    text.skipBlanks()
    if try comparison() != nil {
      throw FilterError(.init(place, "\"!\" negates no comparison without parentheses: write !(…)"))
    }
    return try checked(test.negated)
  }

  private mutating func parentheses() throws(FilterError) -> Filter {
    try open()
    let filter = try or()
    guard text.consume(")") else { throw misplaced("\")\"") }
    close()
    text.skipBlanks()
    let place = text.place()
    if try comparison() != nil {
      throw FilterError(.init(place, "a condition in parentheses cannot be compared"))
    }
    return filter
  }

  private mutating func comparisonOrTest() throws(FilterError) -> Filter {
    let place = text.place()
    let left = try operand()
    text.skipBlanks()
    guard let comparison = try comparison() else { return try test(left, at: place) }
    let leftTerm = try value(left, at: place)
    text.skipBlanks()
    let rightPlace = text.place()
    let rightTerm = try value(try operand(isCompared: true), at: rightPlace)
    if case .literal(.boolean(true), _) = leftTerm, comparison == .equal,
      case .literal(.boolean(let right), _) = rightTerm
    {
      return right ? .all([]) : .any([])  // as the printer writes them
    }
    var filter = Filter(.compare(leftTerm, comparison, rightTerm))
    filter.place = place
    return try checked(filter)
  }

  private mutating func comparison() throws(FilterError) -> BoundFilter.Comparison? {
    if text.consume("=", "=") { return .equal }
    if text.consume("!", "=") { return .notEqual }
    if text.consume("<", "=") { return .lessOrEqual }
    if text.consume(">", "=") { return .greaterOrEqual }
    if text.next == UInt8(ascii: "<"), text.token == "<>" {
      throw text.expected("a comparison", FilterHint.after("<>"))
    }
    if text.consume("<") { return .less }
    if text.consume(">") { return .greater }
    if text.next == UInt8(ascii: "=") { throw text.expected("\"==\"") }
    return nil
  }

  /// A condition that is no comparison.
  private mutating func test(_ operand: Operand, at place: FilterPlace) throws(FilterError) -> Filter {
    switch operand {
    case .path(let path): return try checked(Filter(.exists(path)))
    case .condition(let filter): return filter
    case .term(.literal):
      throw FilterError(.init(place, "a literal is no condition: compare it with a path"))
    case .term:
      throw FilterError(.init(place, "the value of a function is no condition: compare it"))
    }
  }

  /// Opens a parenthesis, a function or an inner filter: skips its bracket or its question mark.
  mutating func open() throws(FilterError) {
    guard nesting < Filter.deepest else { throw text.fault(Filter.tooDeep) }
    nesting += 1
    text.skip()
  }

  mutating func close() { nesting -= 1 }

  /// A filter, unless it is nested too deep or too large.
  mutating func checked(_ filter: Filter) throws(FilterError) -> Filter {
    switch filter.tree {
    case .tooDeep: throw text.fault(Filter.tooDeep)
    case .refused(let reason): throw text.fault(reason)
    default: return filter
    }
  }

  /// The fault of a text that goes on in a way that it cannot.
  mutating func misplaced(_ end: String) -> FilterError {
    text.expected("\"&&\", \"||\" or \(end)", FilterHint.after(text.token))
  }
}

extension FilterParser {
  /// A side of a comparison, or a condition without one.
  enum Operand {
    case path(FilterPath)
    case term(FilterTerm)
    case condition(Filter)
  }

  /// - Parameter isCompared: Whether it is the right side of a comparison, or a pattern: for messages.
  mutating func operand(isCompared: Bool = false) throws(FilterError) -> Operand {
    let place = text.place()
    switch text.next {
    case UInt8(ascii: "@"): return .path(try path())
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .term(.literal(.string(try string()), at: place))
    case UInt8(ascii: "-"): return .term(.literal(try number(), at: place))
    case UInt8(ascii: "$"):
      throw text.fault("\"$\" is not supported: a filter is about one object, and that is \"@\"")
    case let byte? where byte.isDigit: return .term(.literal(try number(), at: place))
    case let byte? where byte.isNameStart: return try word(isCompared)
    default: throw text.expected("a path from @, a literal or a function")
    }
  }

  private mutating func word(_ isCompared: Bool) throws(FilterError) -> Operand {
    let found = text.found
    let place = text.place()
    let name = String(decoding: text.run { $0.isWord }, as: UTF8.self)
    if text.next == UInt8(ascii: "(") { return try function(named: name, at: place) }
    switch name {
    case "true": return .term(.literal(.boolean(true), at: place))
    case "false": return .term(.literal(.boolean(false), at: place))
    case "null": return .term(.literal(.null, at: place))
    default:
      let hint = FilterHint.word(name, isCompared: isCompared)
      throw FilterError(
        .init(place, "expected a path from @, a literal or a function, found \(found)\(hint)"))
    }
  }

  func value(_ operand: Operand, at place: FilterPlace) throws(FilterError) -> FilterTerm {
    switch operand {
    case .term(let term): return term
    case .path(let path) where path.isSingular: return .path(path)
    case .path(let path):
      throw FilterError(.init(place, path: path.description, FilterPath.notSingular))
    case .condition:
      throw FilterError(.init(place, "match and search are conditions, not values"))
    }
  }
}

extension FilterPath {
  /// Whether it leads to one value at most, so that it can be compared.
  package var isSingular: Bool {
    steps.allSatisfy { step in
      guard step.selectors.count == 1 else { return false }
      switch step.selectors[0] {
      case .member, .index: return true
      case .all, .slice, .filtered: return false
      }
    }
  }

  /// The fault of a comparison with a path that is not singular.
  package static let notSingular =
    "may lead to several values, which cannot be compared; use [?…] to test each, count(…) for their number, or [0] for one"
}
