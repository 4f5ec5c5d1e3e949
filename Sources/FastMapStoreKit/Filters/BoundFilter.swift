/// A filter that was checked against a plan: fields have numbers, and literals have the kind of their field.
///
///     let filter = try Filter("@.age >= 18 && @.author.name == \"Ada\"").bound(to: plan)
///     if case .all(let terms) = filter.condition { print(terms.count) }      // 2
///
/// A store receives filters in this form. All numbers refer to the plan's schema.
///
/// A store tests stored values. A property that is not optional shows its default where the store has no value; its
/// tests are written to cover such objects.
///
/// *No value* is one thing: a missing value and null. For values inside a JSON attribute RFC 9535 holds: null is a value
/// there.
public struct BoundFilter: Sendable {
  /// The number of the entity whose objects it is about.
  public let entity: Int
  /// The condition that an object fulfils if the filter finds it.
  public let condition: Condition

  package init(entity: Int, condition: Condition) {
    self.entity = entity
    self.condition = condition
  }

  /// A condition on an object.
  ///
  ///     if case .compare(.path(let path), .equal, .literal(let value)) = filter.condition { print(path, value) }
  public indirect enum Condition: Sendable {
    /// The same for every object.
    case constant(Bool)
    /// True if all are true; at least two.
    case all([Condition])
    /// True if one is true; at least two.
    case any([Condition])
    case not(Condition)
    /// Whether a path leads to a value or an object.
    case exists(Path)
    /// A comparison. `==`, `<=` and `>=` are true between two terms without a value. Other orderings without a value
    /// are false, and `!=` is the negation of `==`.
    case compare(Term, Comparison, Term)
    /// Whether a term equals one of some literals.
    case isOne(Term, of: [Value])
    /// Whether a string matches another term. False if one of them has no value.
    case text(Term, TextTest, Term)
  }

  /// An operator between two terms.
  ///
  ///     BoundFilter.Comparison.lessOrEqual.rawValue     // "<="
  public enum Comparison: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// A test of a string.
  ///
  ///     BoundFilter.TextTest.hasPrefix.rawValue     // "hasPrefix"
  public enum TextTest: String, Sendable, CaseIterable {
    /// The whole string matches an I-Regexp (RFC 9485).
    case match
    /// A part of the string matches an I-Regexp.
    case search
    case hasPrefix
    case contains
  }

  /// One side of a comparison.
  ///
  ///     if case .count(let path) = term { print(path.steps.count) }
  ///
  /// Integers and numbers compare by exact value, strings and data by their bytes. `false` and `true` have no order.
  /// An object is equal to itself and to its primary key.
  public indirect enum Term: Sendable {
    /// A value of the other term's kind. `null` is no value, beside a term of JSON it is JSON's `null`. A whole number is
    /// an integer, however it was written. A literal beside an object is the object's primary key.
    case literal(Value)
    /// A number beside a term of JSON that no `Double` holds exactly.
    case decimal(Decimal)
    /// The value or the object at the end of a path that leads to at most one.
    case path(Path)
    /// The number of Unicode scalars of a string, or of elements of a JSON array or object. No value for others.
    case length(Term)
    /// A string in lower case, as Unicode maps it by default. No value for others.
    case lowercased(Term)
    /// The number of values or objects that a path leads to.
    case count(Path)
    /// The value or the object of a path that leads to exactly one.
    case value(Path)

    /// Whether it is a value inside JSON.
    package var isJSON: Bool {
      switch self {
      case .literal, .decimal, .count: false
      case .length(let term), .lowercased(let term): term.isJSON
      case .path(let path), .value(let path):
        if case .json(_, let isWhole, _) = path.end { !isWhole } else { false }
      }
    }
  }

  /// A way from an object through relationships.
  ///
  ///     if path.steps.isEmpty, case .attribute(let field) = path.end { print(entity.fields[field].name) }
  public struct Path: Sendable {
    /// The relationships, in order.
    public let steps: [Step]
    /// The part of the last object at the end of the path.
    public let end: End

    package init(_ steps: [Step], _ end: End) {
      self.steps = steps
      self.end = end
    }
  }

  /// A relationship or an inverse of a path.
  ///
  ///     if case .toOne(let field) = step { print(entity.fields[field].name) }
  public enum Step: Sendable {
    case toOne(field: Int)
    /// The targets that the selectors choose, one selector after the other.
    case toMany(field: Int, [Selector])
    /// The first object of an inverse, by the number of ``Schema/Entity/inverses``.
    case inverseToOne(Int)
    /// The objects of an inverse that the selectors choose, ascending by key.
    case inverseToMany(Int, [Selector])

    /// The selectors of a step to several objects; nil for a step to one.
    public var selectors: [Selector]? {
      switch self {
      case .toOne, .inverseToOne: nil
      case .toMany(_, let selectors), .inverseToMany(_, let selectors): selectors
      }
    }
  }

  /// A choice from a list of targets.
  ///
  ///     if case .filtered(let filter) = selector { print(filter.entity) }
  public enum Selector: Sendable {
    case all
    /// A negative position counts from the end.
    case index(Int64)
    /// As in RFC 9535. Nil is the bound that the direction of `step` implies.
    case slice(start: Int64?, end: Int64?, step: Int64)
    /// The targets for which a filter is true.
    case filtered(BoundFilter)
  }

  /// The part of the last object at the end of a path.
  ///
  ///     if case .attribute(let field) = path.end { print(entity.fields[field].name) }
  public enum End: Sendable {
    /// The object itself.
    case object
    /// An attribute of another kind than `json`.
    case attribute(field: Int)
    /// A `json` attribute, or values inside it. The query is a path as RFC 9535 means it, which FastMap follows itself.
    case json(field: Int, isWhole: Bool, query: any Sendable)
  }
}

extension [BoundFilter.Selector] {
  /// Whether they choose at most one.
  package var isSingular: Bool {
    guard count == 1, case .index = self[0] else { return false }
    return true
  }
}
