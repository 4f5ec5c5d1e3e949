/// All faults of some mappings, found before any data is read.
///
///     do { _ = try mappings.plan(for: "Person") } catch { for fault in error.faults { print(fault) } }
///
/// A fault reads like `$.mappings.Person.relationships.car.mapping: no mapping named "Car"; did you mean "Cars"?`.
public struct MappingDefinitionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One fault.
  ///
  ///     print(fault.place, fault.reason)
  public struct Fault: Equatable, Sendable, CustomStringConvertible {
    /// The place of the fault, as a path in a mapping file.
    public let place: JSONPath

    /// The fault, and the correct form.
    public let reason: String

    package init(place: JSONPath, reason: String) { (self.place, self.reason) = (place, reason) }

    public var description: String { "\(place): \(reason)" }
  }

  /// The faults, at least one.
  public let faults: [Fault]

  package init(_ faults: [Fault]) { self.faults = faults }

  /// One line for each of the first 100 faults, and the number of the others.
  public var description: String { messageText(faults) }
}

/// Suggests names. Comparing all unknown names with all known ones is quadratic, so the number of comparisons is
/// limited.
struct Suggestions {
  private let set: MappingSet
  private var names: [String]?
  private var comparisonsLeft = 50_000

  init(_ set: MappingSet) { self.set = set }

  mutating func unknown(_ what: String, named name: String, verb: String) -> String {
    guard comparisonsLeft > 0 else { return "\(verb) \(quoted(name))" }
    let known = names ?? set.mappings.map(\.name)
    names = known
    comparisonsLeft -= known.count
    return unknownName(what, named: name, among: known, verb: verb)
  }
}

extension MappingDefinitionError: FastMapError {
  public var code: String { "mapping" }
  public var place: String? { faults.first.map { "\($0.place)" } }
}
