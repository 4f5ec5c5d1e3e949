import FastMapCore

extension Tool {
  /// `fastmap swift`
  static func swift(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let namespace = try arguments["namespace"].map(namespace)
    let mappings = try CommandMappings(at: arguments.required("mappings"))
    do throws(MappingDefinitionError) {
      output.write(SwiftWriter.text(of: try GeneratedFile(mappings.set), namespace: namespace))
    } catch {
      throw mappings.failure(error)
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
