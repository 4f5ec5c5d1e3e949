package import FastMapStoreKit

/// Asks for the objects of an entity page by page, in the order that the store protocol promises.
///
///     var pages = SQLPages(keys: keys, isDescending: false, size: 1_000)
///     while let question = pages.question {
///       let page = try answer(question)
///       pages.received(page)
///       guard try page.count == 0 || body(&self, page) else { return }
///     }
///
/// Each page continues after the last object of the one before, by its key or its number. So no statement stays open
/// while the caller looks at a page, and a page costs the same at the end of a table as at its beginning.
///
/// Ascending, objects with a key come first, by their keys, and then objects without, by their numbers. Descending is
/// the exact reverse. A range of keys has no objects without a key.
package struct SQLPages: Sendable {
  /// The selection of the next statement: number and key of at most `limit` objects.
  ///
  ///     WHERE key IS NOT NULL AND key > ? AND key <= ? ORDER BY key LIMIT ?
  ///     WHERE key IS NULL AND id > ? ORDER BY id LIMIT ?
  package enum Question: Hashable, Sendable {
    /// Objects whose keys are within both bounds, by key.
    case keyed(lower: Bound?, upper: Bound?, isDescending: Bool, limit: Int)
    /// Objects without a key after the number `after`, by number; nil for the first page.
    case keyless(after: ObjectID?, isDescending: Bool, limit: Int)
  }

  /// A bound of keys.
  ///
  ///     let sign = bound.isIncluded ? ">=" : ">"
  package struct Bound: Hashable, Sendable {
    package let key: PrimaryKey
    /// Whether the key itself is wanted.
    package let isIncluded: Bool

    /// Makes a bound.
    package init(key: PrimaryKey, isIncluded: Bool) {
      self.key = key
      self.isIncluded = isIncluded
    }
  }

  package static func bounds(of keys: KeyRange) -> (lower: Bound?, upper: Bound?) {
    (
      keys.lower.map { Bound(key: $0, isIncluded: true) },
      keys.upper.map { Bound(key: $0, isIncluded: keys.includesUpper) }
    )
  }

  private enum Phase { case keyed, keyless }

  /// The next question; nil if all objects were received.
  package private(set) var question: Question?

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
  package init(keys: KeyRange?, isDescending: Bool, size: Int) {
    precondition(size > 0, "a page has at least one object")
    self.isDescending = isDescending
    self.size = size
    (lower, upper) = keys.map(Self.bounds) ?? (nil, nil)
    phases = keys == nil ? (isDescending ? [.keyed, .keyless] : [.keyless, .keyed]) : [.keyed]
    if keys?.isEmpty ?? false { phases = [] }
    ask()
  }

  /// Continues after the answer to ``question``. A page with fewer objects than its limit ends its kind of objects.
  package mutating func received(_ page: ObjectPage) {
    if page.count < size {
      _ = phases.popLast()
    } else if let key = page.keys.last ?? nil {
      let bound = Bound(key: key, isIncluded: false)
      if isDescending { upper = bound } else { lower = bound }
    } else {
      last = page.ids.last
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
