import FastMapCore
import FastMapLMDB

/// `fastmap describe`
struct DescribeCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    let forms = ["json", "mermaid"].filter { arguments.has($0) } + (arguments["html"] == nil ? [] : ["html"])
    guard forms.count < 2 else {
      throw UsageError("expected one of \(list(forms.map { "--" + $0 })), found both")
    }
    guard arguments["store"] != nil || arguments["mappings"] != nil else {
      throw UsageError("expected --store DIR or --mappings FILE")
    }
  }

  func run(_ output: Output) throws -> ExitStatus {
    let description = try description()
    if let path = arguments["html"] {
      guard !path.isEmpty else { throw UsageError("--html needs a value: --html OUT") }
      var file = try OutputFile(path)
      var text = DescriptionPage.html(of: description)
      try text.withUTF8 { try file.write(UnsafeRawBufferPointer($0)) }
      try file.replaceTarget()
    } else if arguments.has("json") {
      output.writeLine(description.write)
    } else if arguments.has("mermaid") {
      output.write(description.mermaid)
    } else {
      output.write(DescriptionText.text(of: description, for: TextStyle.ofOutput))
    }
    return .done
  }

  private func description() throws -> Description {
    var description = Description(title: try title())
    var stored: (store: LMDBStore, mappings: MappingSet)?
    if arguments["store"] != nil {
      switch try StoreAddress(arguments) {
      case .directory(let path):
        let store = try Inputs.directoryStore(path)
        let mappings = try store.storedMappings()
        description.add(mappings, isOfFile: false)
        description.add(try store.statistics())
        stored = (store, mappings)
        if arguments["mappings"] == nil, let kept = try store.mappings() {
          description.add(kept, isOfFile: true)
        }
      case .server:
        let store = try Inputs.persistentStore(arguments)
        description.add(try store.statistics())
        if arguments["mappings"] == nil {
          guard let kept = try store.mappings() else { throw CommandMappings.missing(in: try title()) }
          description.add(kept, isOfFile: true)
        }
      }
    }
    if let path = arguments["mappings"] {
      description.add(try CommandMappings(at: path).set, isOfFile: true)
    }
    // A page alone has room for values and samples.
    if arguments["html"] != nil, let stored { try description.addObjects(of: stored.store, stored.mappings) }
    return description
  }

  private func title() throws -> String {
    if arguments["store"] != nil { return try StoreAddress(arguments).name }
    return arguments["mappings"] ?? ""
  }
}
