import FastMapCore
import FastMapLMDB

/// The inputs that the arguments name, opened and checked.
enum Inputs {
  /// A key of the plan's root objects, from the command line.
  ///
  /// - Parameter bound: Whether it bounds a range; the last parts of a key may be missing then.
  static func key(_ text: String, _ word: String, of plan: Plan, as bound: KeyBound? = nil) throws
    -> PrimaryKey
  {
    try keyType(word, of: plan)
    if let parts = plan.root.keyFields?.parts, !parts.isEmpty {
      return try key(text, word, of: plan, parts, as: bound)
    }
    guard case .integer = try keyType(word, of: plan) else { return .string(unquoted(text)) }
    guard let value = Int64(text) else {
      throw UsageError(
        "\(word): expected an integer, the primary key of \(escaped(plan.root.entity)), found \(quoted(text))"
      )
    }
    return .integer(value)
  }

  /// The string that a text in JSON quotes is; any other text as it is.
  private static func unquoted(_ text: String) -> String {
    let tree = text.hasPrefix("\"") ? try? JSONTree(parsing: Array(text.utf8)) : nil
    return tree?.text ?? text
  }

  /// A bound of a range of keys.
  enum KeyBound {
    case lower, upper
  }

  /// A key of several parts: a JSON array.
  private static func key(
    _ text: String, _ word: String, of plan: Plan, _ names: [String], as bound: KeyBound?
  ) throws -> PrimaryKey {
    guard let parts = plan.keyParts(json: text, isPrefix: bound != nil) else {
      let example = plan.exampleOfKey
      throw UsageError(
        "\(word): expected a JSON array of \(list(names.map(quoted))), the primary key of "
          + "\(escaped(plan.root.entity)), such as \(example), found \(quoted(text))")
    }
    if parts.count == names.count { return PrimaryKey(parts: parts) }
    let range = PrimaryKey.beginning(with: parts)
    return bound == .upper ? range.upper : range.lower
  }

  /// The type of the key of a plan's root objects.
  ///
  /// - Parameter word: The option or command that needs the key.
  @discardableResult
  static func keyType(_ word: String, of plan: Plan) throws -> AttributeType {
    let root = plan.root
    if root.isScoped, word != "--keys", word != "--positions" {
      throw UsageError(
        "\(word): the key of \(escaped(root.entity)) is unique within its owner only, so it names no object")
    }
    guard let key = root.key else {
      throw UsageError("\(word): the mapping \(quoted(root.name)) has no primary key")
    }
    return key.type
  }

  /// How often to try a commit; nil for the default.
  static func retries(_ arguments: Arguments) throws -> RetryPolicy? {
    let attempts = try arguments.count("attempts", atLeast: 1)
    let time = try arguments.seconds("retry-for")
    return attempts == nil && time == nil ? nil : RetryPolicy(attempts: attempts ?? .max, patience: time)
  }

  /// Opens an existing store of any kind for reading.
  static func store(_ arguments: Arguments) throws -> any Store {
    switch try StoreAddress(arguments) {
    case .directory(let path): return try directoryStore(path)
    case .server(let url): return try ServerStore.existing(url, arguments)
    }
  }

  /// Opens a store of any kind for reading; nil if there is none.
  static func storeIfAny(_ arguments: Arguments) throws -> (any Store)? {
    switch try StoreAddress(arguments) {
    case .directory(let path):
      do { return try directoryStore(path) } catch let error as LMDBError where error.reason == .notFound {
        return nil
      }
    case .server(let url): return try ServerStore.open(url, arguments)
    }
  }

  /// Opens an existing store of any kind for a check or its numbers.
  static func persistentStore(_ arguments: Arguments) throws -> any PersistentStore {
    switch try StoreAddress(arguments) {
    case .directory(let path): return try directoryStore(path)
    case .server(let url): return try ServerStore.open(url, arguments)
    }
  }

  /// Opens an existing store in a directory for reading.
  static func directoryStore(_ path: String) throws -> LMDBStore {
    var configuration = LMDBStore.Configuration()
    configuration.isReadOnly = true
    configuration.createsIfMissing = false
    return try LMDBStore(at: path, configuration: configuration)
  }
}
