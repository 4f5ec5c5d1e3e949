/// Distinct identifiers in one place of a Swift file.
struct SwiftScope {
  private var taken: Set<String>

  /// - Parameter reserved: Names that it does not give out.
  init(reserved: Set<String> = []) { taken = reserved }

  /// An identifier that no other name has, in backticks where it is a keyword.
  ///
  /// - Parameters:
  ///   - name: The wanted identifier; empty for none.
  ///   - other: The identifier in place of an empty name, and after a name that is reserved.
  mutating func claim(_ name: String, or other: String) -> String {
    var free = name.isEmpty ? other : name
    let isReserved = taken.contains(free) && !given.contains(free)
    if isReserved || Self.refused.contains(free) { free += other.prefix(1).uppercased() + other.dropFirst() }
    let base = free
    var number = counts[base] ?? 2
    while taken.contains(free) {
      // A digit of the name and the number must not run together.
      free = base + (base.last?.isNumber == true ? "_\(number)" : "\(number)")
      number += 1
    }
    counts[base] = number
    taken.insert(free)
    given.insert(free)
    return Self.keywords.contains(free) ? "`\(free)`" : free
  }

  private var given: Set<String> = []
  /// The next number for each name, so that many equal names take linear time.
  private var counts: [String: Int] = [:]

  /// Names that mean something else even in backticks.
  private static let refused: Set<String> = ["init", "self", "Self", "Type", "Protocol", "_"]

  private static let keywords = words(
    """
    Any actor any as associatedtype async await borrowing break case catch class consuming continue
    convenience default defer deinit didSet do dynamic each else enum extension fallthrough false
    fileprivate final for func get guard if import in indirect infix inout internal is isolated lazy let
    macro mutating nil nonisolated nonmutating open operator optional override package postfix
    precedencegroup prefix private protocol public repeat required rethrows return sending set some static
    struct subscript super switch then throw throws true try typealias unowned var weak where while willSet
    yield
    """)

  /// Names that a class cannot have, because it would hide another type.
  static let reservedTypes = typesInUse.union(StandardNames.types)

  /// Whether a type may have a name, as it is.
  static func isFreeType(_ name: String) -> Bool {
    !reservedTypes.contains(name) && !refused.contains(name) && !keywords.contains(name)
  }

  /// Types that the generated code names.
  private static let typesInUse = words(
    """
    Any AnyObject Array Attribute AttributeType AttributeValue Bool DecimalNumber DeletedBy Double Field
    FieldWriter FastMapCore Hashable Index Int JSONKeyPath JSONText KeyFields Kinds Mapping MappingSet
    Optional Sendable String Swift Timestamp ToMany ToOne UInt32 UInt8 UTF8 UnsafeRawBufferPointer
    """)

  private static func words(_ text: String) -> Set<String> {
    Set(text.split { $0.isWhitespace }.map(String.init))
  }
}
