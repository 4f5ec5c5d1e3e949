import FastMapCore

/// `fastmap swift`
struct SwiftCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let path = try arguments.required("mappings")
    let namespace = try arguments["namespace"].map(Self.namespace)
    let set = try Inputs.mappings(path)
    do throws(MappingDefinitionError) {
      output.write(SwiftWriter.text(of: try GeneratedFile(set), namespace: namespace))
    } catch {
      throw Inputs.failure(error, in: path)
    }
    return .done
  }

  /// The name of an enum, as it stands in the call.
  private static func namespace(_ name: String) throws -> String {
    let identifier = SwiftName.type(name)
    guard !name.isEmpty, identifier == name, SwiftScope.isFreeType(name) else {
      var scope = SwiftScope(reserved: SwiftScope.reservedTypes)
      let free = scope.claim(identifier, or: "Namespace")
      let near = identifier.isEmpty ? "" : ", such as \(free)"
      throw UsageError("--namespace: expected the name of a type in Swift\(near), found \(quoted(name))")
    }
    return name
  }
}
