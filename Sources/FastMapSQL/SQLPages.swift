public import FastMapCore

/// Asks for the objects of an entity page by page, in the order that the store protocol promises.
///
///     var pages = SQLPages(keys: keys, isDescending: false, size: 1_000)
///     while let question = pages.question {
///       let page = try answer(question)
///       pages.received(page.ids, page.keys)
///       guard page.ids.isEmpty || try body(&self, page) else { return }
///     }
///
/// Each page continues behind the last object of the one before, by its key or its number. So no statement stays open
/// while the caller looks at a page, and a page costs the same at the end of a table as at its beginning.
///
/// Ascending, objects with a key come first, by their keys, and then objects without, by their numbers. Descending is
/// the exact reverse. A range of keys has no objects without a key.
public struct SQLPages: Sendable {
  /// What the next statement selects: number and key of at most `limit` objects.
  ///
  ///     WHERE key IS NOT NULL AND key > ? AND key <= ? ORDER BY key LIMIT ?
  ///     WHERE key IS NULL AND id > ? ORDER BY id LIMIT ?
  public enum Question: Hashable, Sendable {
    /// Objects whose keys are within both bounds, by key.
    case keyed(lower: Bound?, upper: Bound?, isDescending: Bool, limit: Int)
    /// Objects without a key behind the number `after`, by number; nil for the first page.
    case keyless(after: ObjectID?, isDescending: Bool, limit: Int)
  }

  /// A bound of keys.
  ///
  ///     let sign = bound.isIncluded ? ">=" : ">"
  public struct Bound: Hashable, Sendable {
    /// The key.
    public let key: PrimaryKey
    /// Whether the key itself is wanted.
    public let isIncluded: Bool

    /// Makes a bound.
    public init(key: PrimaryKey, isIncluded: Bool) {
      self.key = key
      self.isIncluded = isIncluded
    }
  }

  private enum Phase { case keyed, keyless }

  /// The next question; nil if all objects were received.
  public private(set) var question: Question?

  private let isDescending: Bool
  private let size: Int
  private var lower: Bound?
  private var upper: Bound?
  private var last: ObjectID?
  private var phases: [Phase]  // the last is the current one

  /// Begins before the first page.
  ///
  /// - Parameters:
  ///   - keys: The keys to visit; nil for all objects, with a key or without.
  ///   - isDescending: Whether the order is reversed.
  ///   - size: The most objects of a page, at least 1.
  public init(keys: KeyRange?, isDescending: Bool, size: Int) {
    precondition(size > 0, "a page has at least one object")
    self.isDescending = isDescending
    self.size = size
    lower = keys?.lower.map { Bound(key: $0, isIncluded: true) }
    upper = keys?.upper.map { Bound(key: $0, isIncluded: keys?.includesUpper ?? true) }
    phases = keys == nil ? (isDescending ? [.keyed, .keyless] : [.keyless, .keyed]) : [.keyed]
    if keys?.isEmpty ?? false { phases = [] }
    ask()
  }

  /// Continues behind the answer of ``question``.
  ///
  /// - Parameters:
  ///   - ids: The numbers of the page. Fewer than its limit end its kind of objects.
  ///   - lastKey: The key of the last object; nil if it has none.
  public mutating func received(_ ids: [ObjectID], lastKey: PrimaryKey?) {
    if ids.count < size {
      _ = phases.popLast()
    } else if let lastKey {
      let bound = Bound(key: lastKey, isIncluded: false)
      if isDescending { upper = bound } else { lower = bound }
    } else {
      last = ids.last
    }
    ask()
  }

  private mutating func ask() {
    question =
      switch phases.last {
      case .keyed: .keyed(lower: lower, upper: upper, isDescending: isDescending, limit: size)
      case .keyless: .keyless(after: last, isDescending: isDescending, limit: size)
      case nil: nil
      }
  }
}

/// The value of a parameter of a statement.
///
///     case .key(let key): try statement.bind(key, at: index)
public enum SQLParameter: Hashable, Sendable {
  /// A primary key.
  case key(PrimaryKey)
  /// The number of an object.
  case id(ObjectID)
}

extension SQLPages.Question {
  /// The statement that answers the question, with two columns: number and key.
  ///
  ///     let (text, parameters) = question.statement(from: "\"Book\"", id: "fastmap_id", key: "fastmap_key") { "$\($0)" }
  ///
  /// The key's column sorts by the bytes of a string: `COLLATE "C"` in PostgreSQL. If it has integers and strings,
  /// the database sorts integers first, as SQLite does.
  ///
  /// - Parameters:
  ///   - table: The table, as it stands in the statement, so quoted.
  ///   - id: The column of the number, quoted if need be.
  ///   - key: The column of the key, quoted if need be.
  ///   - parameter: The text of a parameter, by its number from 1.
  /// - Returns: The text, which depends on the form of the question only, and the values of its parameters, in order.
  public func statement(
    from table: String, id: String, key: String, parameter: (Int) -> String
  ) -> (text: String, parameters: [SQLParameter]) {
    var conditions: [String] = []
    var parameters: [SQLParameter] = []
    func add(_ column: String, _ sign: String, _ value: SQLParameter) {
      parameters.append(value)
      conditions.append("\(column) \(sign) \(parameter(parameters.count))")
    }
    let (order, isReversed, most): (String, Bool, Int)
    switch self {
    case .keyed(let lower, let upper, let isDescending, let limit):
      conditions.append("\(key) IS NOT NULL")
      if let lower { add(key, lower.isIncluded ? ">=" : ">", .key(lower.key)) }
      if let upper { add(key, upper.isIncluded ? "<=" : "<", .key(upper.key)) }
      (order, isReversed, most) = (key, isDescending, limit)
    case .keyless(let after, let isDescending, let limit):
      conditions.append("\(key) IS NULL")
      if let after { add(id, isDescending ? "<" : ">", .id(after)) }
      (order, isReversed, most) = (id, isDescending, limit)
    }
    let text =
      "SELECT \(id), \(key) FROM \(table) WHERE \(conditions.joined(separator: " AND ")) "
      + "ORDER BY \(order)\(isReversed ? " DESC" : "") LIMIT \(most)"
    return (text, parameters)
  }
}
