/// Where a value stands inside of a JSON object: member names from the outside in.
///
///     let city: JSONKeyPath = "address.city"
///     let dotted = JSONKeyPath("version\\.major")   // one member, named "version.major"
///
/// In the dotted form a dot inside a name is written `\.`, a backslash before a dot or a backslash `\\`; any
/// other backslash is itself.
public struct JSONKeyPath: Hashable, Sendable {
  /// The member names, at least one.
  public let components: [String]

  /// Reads the dotted form. An empty text is the member with the empty name.
  public init(_ text: String) {
    var components: [String] = []
    var name = ""
    var characters = text.unicodeScalars.makeIterator()
    var pending = characters.next()
    while let scalar = pending {
      pending = characters.next()
      if scalar == "\\", let next = pending, next == "." || next == "\\" {
        name.unicodeScalars.append(next)
        pending = characters.next()
      } else if scalar == "." {
        components.append(name)
        name = ""
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    components.append(name)
    self.components = components
  }

  /// Takes member names as they are.
  public init(components: [String]) {
    precondition(!components.isEmpty, "a key path has at least one component")
    self.components = components
  }
}

extension JSONKeyPath: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral value: String) { self.init(value) }

  /// The dotted form.
  public var description: String {
    components.map { name in
      String(name.flatMap { $0 == "." || $0 == "\\" ? ["\\", $0] : [$0] })
    }.joined(separator: ".")
  }
}
