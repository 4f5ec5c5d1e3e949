/// A filter as it was written: names or properties, not yet checked.
///
/// The tree follows the grammar of RFC 9535, so every tree can be written as text. Text, key paths and names all make it.
package indirect enum FilterTree: Hashable, Sendable {
  /// True if all are true, also if there is none.
  case all([Filter])
  /// True if one is true.
  case any([Filter])
  case not(Filter)
  /// Whether a path leads to a value or to an object.
  case exists(FilterPath)
  case compare(FilterTerm, BoundFilter.Comparison, FilterTerm)
  case isOne(FilterTerm, of: [FilterLiteral])
  case text(FilterTerm, BoundFilter.TextTest, FilterTerm)
  /// Nested too deep. The filters inside are gone, and binding reports it.
  case tooDeep
  /// Something that Swift can write and a filter cannot say. Binding reports the sentence.
  case refused(String)
}

/// One side of a comparison.
package indirect enum FilterTerm: Hashable, Sendable {
  case literal(FilterLiteral, at: FilterPlace = .unknown)
  case path(FilterPath)
  /// The characters of a string, or the elements of a list.
  case length(FilterTerm)
  /// The text of a path in lower case.
  case lowercased(FilterTerm)
  /// The number of values or objects that a path leads to.
  case count(FilterPath)
  /// The value of a path that happens to lead to exactly one.
  case value(FilterPath)
}

/// A value in a filter.
package enum FilterLiteral: Hashable, Sendable {
  /// No value.
  case null
  case boolean(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case number(Double)
  /// A number that its `Double` would misplace among the integers. Boxed, as few filters have one.
  indirect case decimal(BoundFilter.Decimal)
  case string(String)
  case date(Timestamp)
  case data([UInt8])

  /// Strings are equal if their bytes are. `String` takes "é" and "e" with an accent for one.
  package static func == (a: FilterLiteral, b: FilterLiteral) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    default: false
    }
  }
}

/// A way from an object to its values and related objects, from `@`, the object that the filter is about.
package struct FilterPath: Hashable, Sendable {
  package var steps: [FilterStep]
  /// Where it stands in the text that it came from.
  package var place: FilterPlace
  /// The closure that is about the object, while it runs. Nil in every finished filter.
  package var scope: FilterScope?

  package init(_ steps: [FilterStep] = [], place: FilterPlace = .unknown) {
    self.steps = steps
    self.place = place
  }
}

/// A step of a path. Each selector may choose something; a plain member is one selector.
package struct FilterStep: Hashable, Sendable {
  package var selectors: [FilterSelector]

  package init(_ selectors: [FilterSelector]) { self.selectors = selectors }

  package init(_ name: FilterName) { selectors = [.member(name)] }
}

/// A choice of members or elements in a step.
package indirect enum FilterSelector: Hashable, Sendable {
  /// An attribute or a relationship, or a member of a JSON object.
  case member(FilterName)
  /// All elements.
  case all
  /// An element by its position; a negative one counts from the end.
  case index(Int64)
  /// Elements from `start` to before `end`, as Python slices.
  case slice(start: Int64?, end: Int64?, step: Int64)
  case filtered(Filter)
}

/// The name of a field, or the property of a class that the field is mapped to.
package enum FilterName: Hashable, Sendable {
  case name(String)
  case property(AnyKeyPath & Sendable)

  package static func == (a: FilterName, b: FilterName) -> Bool {
    switch (a, b) {
    case (.name(let a), .name(let b)): a.utf8.elementsEqual(b.utf8)
    case (.property(let a), .property(let b)): a as AnyKeyPath == b as AnyKeyPath
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .name(let name): hasher.combine(name)
    case .property(let path): hasher.combine(path as AnyKeyPath)
    }
  }
}

/// A place in the text of a filter, for messages. All places are equal, so that equal filters are.
package struct FilterPlace: Hashable, Sendable {
  /// UTF-8 offset; nil for a filter that did not come from text.
  package let offset: Int?
  /// Counted from 1, in Unicode scalars.
  package let column: Int?

  package init(offset: Int, column: Int) {
    self.offset = offset
    self.column = column
  }

  private init() {
    offset = nil
    column = nil
  }

  package static let unknown = FilterPlace()

  package static func == (a: FilterPlace, b: FilterPlace) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}
