/// The location of a value in a JSON document: `$.users[3].name`.
///
///     print(error.path)     // $.users[3].name
public struct JSONPath: Hashable, Sendable, CustomStringConvertible {
  /// One step of the path.
  ///
  ///     if case .index(let index)? = error.path.steps.first { print("root object", index) }
  public enum Step: Hashable, Sendable {
    /// A member of an object, by its name.
    case member(String)
    /// An element of an array, counted from 0.
    case index(Int)
  }

  /// The steps from the root. The root itself has none.
  public var steps: [Step]

  /// Makes a path. Without steps it is the root.
  package init(_ steps: [Step] = []) { self.steps = steps }

  package func appending(_ step: Step) -> JSONPath { JSONPath(steps + [step]) }
  package func appending(_ name: String) -> JSONPath { appending(.member(name)) }
  package func appending(_ names: [String]) -> JSONPath {
    var path = self
    for name in names { path.steps.append(.member(name)) }
    return path
  }

  /// `$`, then `.name` or `["odd name"]` for a member and `[3]` for an element. A path with more than 64 steps shows
  /// the first 32 and the last 32: `$.a.b…[3].c`.
  public var description: String {
    let end = 32
    if steps.count <= 2 * end { return Self.text("$", steps[...]) }
    return Self.text("$", steps.prefix(end)) + Self.text("…", steps.suffix(end))
  }

  private static func text(_ start: String, _ steps: ArraySlice<Step>) -> String {
    var text = start
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .member(let name) where JSONPath.isPlain(name): text += "." + name
      case .member(let name): text += "[" + quoted(name) + "]"
      }
    }
    return text
  }

  private static func isPlain(_ name: String) -> Bool {
    guard !name.isEmpty, name.count <= 100 else { return false }
    return name.unicodeScalars.allSatisfy {
      $0 == "_" || $0 == "-" || $0 == "@" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
    }
  }
}
