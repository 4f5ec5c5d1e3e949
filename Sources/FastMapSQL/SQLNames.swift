internal import FastMapStoreKit

/// The names that are taken among the tables of a database, or among the columns of a table.
///
///     var names = SQLNames(maximumBytes: 63)
///     names.insert(existing)
///     let column = names.makeName(for: "user name")     // "user name", or "user name_2" if that is taken
///
/// Names in mappings may be anything. A SQL name has a limited length and no NUL. Some databases ignore its case.
/// ``makeName(for:)`` changes a name as little as possible. The store saves the result, and never derives it again.
package struct SQLNames: Sendable {
  /// Names that begin so belong to the store: its own tables, columns and indexes.
  package static let reservedPrefix = "fastmap_"

  private let maximumBytes: Int
  private let ignoresCase: Bool
  private let prefixes: [String]
  private var taken: Set<ByteName> = []
  /// By a name that was taken, the number to try next, so that many equal names take linear time.
  private var next: [ByteName: Int] = [:]

  /// Makes an empty set of names.
  ///
  /// - Parameters:
  ///   - maximumBytes: The longest name in UTF-8, at least 32: 63 for PostgreSQL.
  ///   - ignoresCase: Whether the database takes `Name` and `name` for one, as SQLite does for ASCII letters.
  ///   - reservedPrefixes: More beginnings that no name may have, such as `sqlite_`.
  ///   - reserved: Names that no name may be, such as a database's system columns.
  package init(
    maximumBytes: Int, ignoresCase: Bool = false, reservedPrefixes: [String] = [], reserved: [String] = []
  ) {
    precondition(maximumBytes >= 32, "names have at least 32 bytes")
    self.maximumBytes = maximumBytes
    self.ignoresCase = ignoresCase
    prefixes = [Self.reservedPrefix] + reservedPrefixes
    for name in reserved { insert(name) }
  }

  /// Marks a name as taken that exists already.
  package mutating func insert(_ name: String) { taken.insert(folded(name)) }

  /// Whether a name was marked as taken, or chosen.
  package func isTaken(_ name: String) -> Bool { taken.contains(folded(name)) }

  /// Chooses a free name near `wanted`, and takes it.
  ///
  /// The result is `wanted` where the database accepts it and it is free. Otherwise control characters become `_`, it is cut to the
  /// length, a reserved beginning gets `_` in front, and a number is appended.
  ///
  /// - Complexity: O(length), independent of the number of names.
  package mutating func makeName(for wanted: String) -> String {
    let base = accepted(wanted)
    if taken.insert(folded(base)).inserted { return base }
    var number = next[folded(base)] ?? 2
    while true {
      let suffix = "_\(number)"
      let name = cut(base, to: maximumBytes - suffix.utf8.count) + suffix
      number += 1
      if taken.insert(folded(name)).inserted {
        next[folded(base)] = number
        return name
      }
    }
  }

  /// The name with control characters replaced, in front of a reserved prefix an underscore, and cut to the maximum.
  private func accepted(_ wanted: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in wanted.unicodeScalars {
      scalars.append(scalar.properties.generalCategory == .control ? "_" : scalar)
    }
    var name = scalars.isEmpty ? "_" : String(scalars)
    if prefixes.contains(where: { lowercased(name).utf8.starts(with: $0.utf8) }) { name = "_" + name }
    return cut(name, to: maximumBytes)
  }

  /// The longest beginning of whole characters of UTF-8.
  private func cut(_ name: String, to count: Int) -> String {
    guard name.utf8.count > count else { return name }
    var end = name.utf8.index(name.startIndex, offsetBy: count)
    while !isBoundary(end, of: name) { end = name.utf8.index(before: end) }
    return String(name.unicodeScalars[..<end])
  }

  private func isBoundary(_ index: String.Index, of name: String) -> Bool {
    index.samePosition(in: name.unicodeScalars) != nil
  }

  private func folded(_ name: String) -> ByteName { ByteName(ignoresCase ? lowercased(name) : name) }

  /// Folds ASCII letters only, as a database does.
  private func lowercased(_ name: String) -> String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
