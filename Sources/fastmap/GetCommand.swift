import FastMapCore

/// `fastmap get`
struct GetCommand {
  private let arguments: Arguments
  private let shape: OutputShape

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    shape = try OutputShape(arguments)
  }

  func run(_ output: Output) throws -> ExitStatus {
    let planned = try PlannedStore(arguments)
    let plan = planned.plan
    let key = try Inputs.key(arguments.operand ?? "", "KEY", of: plan)
    let serializer = Serializer(plan, options: shape.options)
    var options = ExportOptions()
    options.format = .ndjson
    func write(from store: some Store) throws -> Bool {
      try store.readWithRests(plan) { snapshot in
        guard let id = try snapshot.reader.find([key], as: plan)[0] else { return false }
        let report = try serializer.export([id], from: &snapshot.reader, options: options) { bytes in
          output.write(bytes)
          try output.flushIfFull()
        }
        return report.objects > 0
      }
    }
    let isFound = try write(from: planned.store())
    guard isFound else { throw Failure("no \(escaped(plan.root.entity)) with the key \(key)") }
    return .done
  }
}

/// How the tool writes an object: each reachable object once, or again without its lists, or nested to a given depth.
struct OutputShape {
  let options: SerializerOptions

  init(_ arguments: Arguments) throws {
    var options = SerializerOptions()
    if let depth = try arguments.count("depth", atLeast: 0) {
      options.depth = depth
      options.cycles = .ancestorAsKey
    }
    if arguments.command != .export, arguments["depth"] == nil, !arguments.has("once") {
      let isSaid = AtomicFlag()
      options.repeats = (
        1 << 20,
        {
          if isSaid.isSet { return }
          isSaid.set()
          Output.complain([
            "a line repeats more than 1 MiB of objects; the others that it repeats are written as their keys (see --once)"
          ])
        }
      )
    }
    options.includesNulls = arguments.has("nulls")
    if let bytes = try arguments.count("max-object-bytes", atLeast: 1) { options.maxObjectBytes = bytes }
    self.options = options
  }
}
