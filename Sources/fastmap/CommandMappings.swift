import FastMapCore

/// The mappings of a command, from the file of `--mappings` or from the file that the store keeps.
struct CommandMappings {
  let set: MappingSet
  /// The text of the file.
  let file: [UInt8]
  /// The names of the mappings that were imported at the root; empty for a given file.
  var roots: [String] = []
  /// The file's name in messages.
  private let place: String
  /// The store, if it was opened for its file.
  private(set) var store: (any Store)?

  /// In bytes. Without a limit, a device that never ends would be read forever.
  private static let longestFile = 16_000_000

  /// Reads the file that a path leads to.
  init(at path: String) throws {
    let text = try InputFile(path, limit: Self.longestFile)
    place = path
    file = Array(text.bytes)
    set = try Self.set(file, place)
  }

  /// The mappings that a store keeps.
  ///
  /// - Parameter name: The store's name in messages.
  init(_ kept: KeptMappings, of name: String) throws {
    place = "the mapping file of \(name)"
    file = kept.file
    roots = kept.roots
    set = try Self.set(file, place)
  }

  init(inferred file: [UInt8]) throws {
    place = "the inferred mapping file"
    self.file = file
    set = try Self.set(file, place)
  }

  /// - Throws: `UsageError` if none is given, and the store keeps none.
  init(_ arguments: Arguments) throws {
    if let path = arguments["mappings"] {
      try self.init(at: path)
    } else {
      let store = try Inputs.store(arguments)
      let name = try StoreAddress(arguments).name
      guard let kept = try store.keptMappings() else { throw Self.missing(in: name) }
      try self.init(kept, of: name)
      self.store = store
    }
  }

  static func missing(in name: String) -> UsageError {
    var error = UsageError("\(escaped(name)) keeps no mapping file; give one with --mappings FILE")
    error.lines = [
      "make one with fastmap infer JSON > FILE, and keep it with fastmap mappings \(escaped(name)) FILE"
    ]
    return error
  }

  /// The plan of a mapping.
  func plan(for name: String) throws -> Plan {
    do throws(MappingDefinitionError) {
      return try set.plan(for: name)
    } catch {
      if set[name] == nil, let fault = error.faults.first {
        var mistake = UsageError("--as: \(fault.reason)")
        if !fault.reason.contains("?") { mistake.lines = [names] }
        throw mistake
      }
      throw failure(error)
    }
  }

  /// The plan of `--as`.
  func plan(_ arguments: Arguments) throws -> Plan { try plan(for: arguments.required("as")) }

  /// The entities of all mappings.
  func schema() throws -> Schema {
    do throws(MappingDefinitionError) { return try set.schema() } catch { throw failure(error) }
  }

  /// Whether no mapping has a name like this one.
  func isNew(_ name: String) -> Bool {
    set[name] == nil && suggestion(for: name, among: set.mappings.map(\.name)) == nil
  }

  /// A line with the names of the mappings.
  var names: String {
    let names = set.mappings.map { quoted($0.name) }
    return "\(escaped(place)) has \(names.count == 1 ? "the mapping" : "the mappings") \(list(names))"
  }

  private static func set(_ file: [UInt8], _ place: String) throws -> MappingSet {
    do { return try MappingSet(file: file) } catch let error as JSONSyntaxError {
      throw Failure("\(place): \(error)")
    } catch let error as MappingDefinitionError {
      throw failure(error, place)
    }
  }

  func failure(_ error: MappingDefinitionError) -> Failure { Self.failure(error, place) }

  private static func failure(_ error: MappingDefinitionError, _ place: String) -> Failure {
    Failure(lines: messageLines(error.faults.count) { "\(error.faults[$0]) (\(place))" })
  }
}

/// The plan of a command that reads, and its store.
struct PlannedStore {
  let plan: Plan
  private let arguments: Arguments
  private let opened: (any Store)?

  init(_ arguments: Arguments) throws {
    let mappings = try CommandMappings(arguments)
    plan = try mappings.plan(arguments)
    opened = mappings.store
    self.arguments = arguments
  }

  /// The existing store.
  func store() throws -> any Store { try opened ?? Inputs.store(arguments) }
}
