public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Part of a predicate that no filter can say.
///
///     do { _ = try Person.mapping.where(predicate) } catch { print(error) }
public struct PredicateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The part, and a remedy if there is one: `a filter has no localizedStandardContains(_:)`.
  public let description: String

  package init(_ description: String) { self.description = description }
}

extension Filter {
  /// Makes a filter from a predicate of Foundation.
  ///
  ///     let predicate = #Predicate<Person> { $0.age >= 18 && $0.author?.name == "Ada" }
  ///     let adults = try store.read { try $0.objects(Person.mapping.where(predicate)) }
  ///
  /// Prefer a closure where there is a choice: the compiler takes seconds for a predicate of six terms, and refuses properties
  /// of the main actor.
  ///
  /// A filter can say these parts, also for optional properties:
  /// - `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, and Boolean properties
  /// - `?.` and `!` through to-one relationships; both mean no value if there is no target
  /// - `contains` of strings, arrays and ranges, `starts(with:)`, and `isEmpty`
  /// - `contains(where:)`, `allSatisfy`, `isEmpty`, `count`, `first` and `filter {}.count` of to-many relationships
  /// - values from outside the closure
  ///
  /// It cannot say arithmetic, `? :`, casts, the count of a string, and tests that depend on the locale. Strings are compared by
  /// their bytes, as everywhere in filters. An object is compared by nothing but its properties.
  ///
  /// - Parameter predicate: About the objects of a class.
  /// - Throws: ``PredicateError`` for the first part that a filter cannot say.
  public init<Object: AnyObject>(_ predicate: Predicate<Object>) throws(PredicateError) {
    var translation = PredicateTranslation()
    translation.variables[predicate.variable.key] = FilterPath()
    self = try translation.condition(predicate.expression)
  }
}

extension ClassMapping {
  /// A query for the objects for which a predicate is true.
  ///
  /// - Parameter predicate: `Filter.init(_:)` lists the parts that it may contain.
  /// - Throws: ``PredicateError`` for the first part that a filter cannot say.
  public func `where`(_ predicate: Predicate<Object>) throws(PredicateError) -> Query<Self> {
    self.where(try Filter(predicate))
  }
}

extension Query where Source: ClassMapping {
  /// Narrows the query to objects that also fulfil a predicate.
  ///
  /// - Parameter predicate: `Filter.init(_:)` lists the parts that it may contain.
  /// - Throws: ``PredicateError`` for the first part that a filter cannot say.
  public func `where`(_ predicate: Predicate<Source.Object>) throws(PredicateError) -> Query {
    self.where(try Filter(predicate))
  }
}
