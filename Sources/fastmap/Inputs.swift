import FastMapCore
import FastMapLMDB

/// What a call names, opened and checked.
enum Inputs {
  /// The plan for `--as`, from the file of `--mappings`.
  static func plan(_ arguments: Arguments) throws -> Plan {
    let path = try arguments.required("mappings")
    let name = try arguments.required("as")
    let set = try mappings(path)
    do throws(MappingDefinitionError) {
      return try set.plan(for: name)
    } catch {
      if set[name] == nil, let fault = error.faults.first { throw UsageError("--as: \(fault.reason)") }
      throw failure(error, in: path)
    }
  }

  /// Bytes of a mapping file; a device may be named that never ends.
  private static let longestMappingFile = 16_000_000

  private static func mappings(_ path: String) throws -> MappingSet {
    let file = try InputFile(path, limit: longestMappingFile)
    do {
      return try MappingSet(file: file.bytes)
    } catch let error as JSONSyntaxError {
      throw Failure("\(path): \(error)")
    } catch let error as MappingDefinitionError {
      throw failure(error, in: path)
    }
  }

  private static func failure(_ error: MappingDefinitionError, in path: String) -> Failure {
    Failure(lines: error.faults.map { "\($0) (\(path))" })
  }

  /// A key of the plan's root objects, as a call writes it.
  static func key(_ text: String, _ word: String, of plan: Plan) throws -> PrimaryKey {
    let root = plan.root
    guard let key = root.attributes.first(where: { $0.name == root.primaryKey }) else {
      throw UsageError("\(word): the mapping \(quoted(root.name)) has no primary key")
    }
    guard case .integer = key.type else { return .string(text) }
    guard let value = Int64(text) else {
      throw UsageError(
        "\(word): expected an integer, the primary key of \(escaped(root.entity)), found \(quoted(text))")
    }
    return .integer(value)
  }

  /// A store that is there, to read from it. None is made.
  /// - Parameter isVerified: Whether a damaged store is refused, as far as opening can tell.
  static func store(_ arguments: Arguments, isVerified: Bool = true) throws -> LMDBStore {
    var configuration = LMDBStore.Configuration()
    if !isVerified { configuration.verifiedSize = 0 }
    configuration.isReadOnly = true
    configuration.createsIfMissing = false
    return try LMDBStore(at: try arguments.required("store"), configuration: configuration)
  }
}
