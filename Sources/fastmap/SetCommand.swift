import FastMapCore
import FastMapInference
import FastMapLMDB

/// `fastmap set`: the import of an object with a few of its members.
struct SetCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    if arguments.operands.count == 1 { throw UsageError("expected FIELD=VALUE…") }
  }

  func run(_ output: Output) throws -> ExitStatus {
    let plan = try CommandMappings(arguments).plan(arguments)
    let key = try Inputs.key(arguments.operands[0], "KEY", of: plan)
    let object = try PartialObject(plan.root, key, arguments.operands.dropFirst())
    var options = ImportOptions()
    options.rootPath = .wholeValue
    options.retries = try Inputs.retries(arguments) ?? options.retries
    func change(_ store: some Store) throws -> ImportReport {
      try store.requireObject(key, of: plan)
      return try Mapper(store).importJSON(object.json, as: plan, options: options)
    }
    let report: ImportReport
    do {
      switch try StoreAddress(arguments) {
      case .directory(let path):
        // Fails if there is none.
        _ = try Inputs.directoryStore(path)
        report = try change(LMDBStore(at: path))
      case .server(let url): report = try change(ServerStore.existing(url, arguments))
      }
    } catch let error as MappingError {
      throw Failure(error.description)
    }
    if report[plan.root.entity]?.stale ?? 0 > 0, let age = plan.root.newerBy {
      throw Failure("nothing was changed: the stored object is newer by \(quoted(age))")
    }
    output.write(report.table)
    output.flushReport(of: "the object is changed")
    return .done
  }
}

extension Store {
  /// - Throws: `Failure` if no object of the plan's root mapping has the key.
  fileprivate func requireObject(_ key: PrimaryKey, of plan: Plan) throws {
    let isFound = try read(plan.schema) { reader in
      guard let id = try reader.find([key], as: plan)[0] else { return false }
      return try Serializer(plan).export([id], from: &reader) { _ in }.objects > 0
    }
    guard isFound else { throw Failure("\(NoSuchObjectError(entity: plan.root.entity, key: key))") }
  }
}

/// The representation of an object with its key and some values.
private struct PartialObject {
  private let mapping: MappingDefinition
  private var root = JSONTree.object([])
  /// The name of the member that has the object.
  private var name: String?

  /// - Parameter words: Each `FIELD=VALUE`.
  init(_ mapping: MappingDefinition, _ key: PrimaryKey, _ words: ArraySlice<String>) throws {
    self.mapping = mapping
    let parts = mapping.keyFields?.names ?? []
    for (field, part) in zip(parts, parts.count == 1 ? [key] : key.parts ?? []) {
      if field == mapping.keyedBy {
        if case .string(let text) = part { name = text } else { name = part.description }
      } else {
        var writer = JSONWriter()
        writer.key(part)
        try root.set(Self.tree(writer.bytes), at: path(of: field)[...])
      }
    }
    var given = Set(parts)
    for word in words {
      guard let split = word.firstIndex(of: "="), split > word.startIndex else {
        throw UsageError("expected FIELD=VALUE, found \(quoted(word))")
      }
      let field = String(word[..<split])
      if parts.contains(field) { throw UsageError("\(field): the key of an object cannot change") }
      guard given.insert(field).inserted else { throw UsageError("\(field): expected one value, found two") }
      let path = try path(of: field)
      root.set(try value(String(word[word.index(after: split)...]), of: field), at: path[...])
    }
  }

  var json: String {
    (name.map { .object([.init(name: $0, value: root)]) } ?? root).fileText
  }

  private static func tree(_ json: [UInt8]) throws -> JSONTree {
    try json.withUnsafeBytes { try JSONTree(parsing: $0) }
  }

  private func value(_ text: String, of field: String) throws -> JSONTree {
    let tree = try? Self.tree(Array(text.utf8))
    let isText = mapping.attributes.contains { $0.name == field && $0.type == .string }
    if isText, text != "null", !text.hasPrefix("\"") || tree == nil { return .string(text) }
    guard let tree else {
      throw UsageError("\(field): expected JSON, found \(quoted(text)); a text is written '\"…\"'")
    }
    return tree
  }

  /// The names of the members that lead to a field.
  private func path(of field: String) throws -> [String] {
    let places =
      mapping.attributes.filter { !$0.isRest }.map { ($0.name, $0.place) }
      + mapping.relationships.map { ($0.name, $0.outerPath ?? $0.keyPath) }
    guard let (_, path) = places.first(where: { $0.0 == field }) else {
      let near = suggestion(for: field, among: places.map(\.0)).map { "; did you mean \(quoted($0))?" } ?? ""
      throw UsageError("no field of \(escaped(mapping.name)) named \(quoted(field))\(near)")
    }
    let names = path.steps.compactMap { if case .member(let name) = $0 { name } else { nil } }
    guard path.origin == .object, names.count == path.steps.count, !names.isEmpty else {
      throw UsageError("\(field): its value stands at \(path), where set cannot write it; import the object")
    }
    return names
  }
}

extension JSONTree {
  fileprivate mutating func set(_ value: JSONTree, at path: ArraySlice<String>) {
    guard let name = path.first else { return self = value }
    var inner = self[name] ?? .object([])
    inner.set(value, at: path.dropFirst())
    self[name] = inner
  }
}
