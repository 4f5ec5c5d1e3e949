import FastMapCore

/// The parsed arguments of a command.
///
///     --name value   --name=value   --flag   operand   -- operand
///
/// Where no option names the store, the first argument does, and the next one names the mapping.
struct Arguments {
  let command: Command
  private let options: [Option]
  private var values: [String: String] = [:]
  private var lists: [String: [String]] = [:]
  private var flags: Set<String> = []
  private(set) var operands: [String] = []
  /// Whether the first argument names the store.
  private(set) var isStoreFirst = false

  /// The first operand.
  var operand: String? { operands.first }

  /// Parses the words. Nil if they ask for help.
  init?(_ words: ArraySlice<String>, for command: Command) throws {
    self.command = command
    options = command.options
    var rest = words
    var areOptionsOver = false
    while let word = rest.popFirst() {
      if areOptionsOver || !word.hasPrefix("-") || word == "-" {
        operands.append(word)
      } else if word == "--" {
        areOptionsOver = true
      } else if word == "--help" || word == "-h" {
        return nil
      } else {
        try parse(option: word, &rest)
      }
    }
    for name in command.words where values[name] == nil && !operands.isEmpty {
      if name == "store" { isStoreFirst = true }
      values[name] = operands.removeFirst()
    }
    if command.operand == nil, let surplus = operands.first { throw unexpected(surplus) }
    try checkRequired()
    if let surplus = operands.dropFirst(command.operand?.most ?? 0).first { throw unexpected(surplus) }
  }

  subscript(name: String) -> String? { values[name] }

  /// The values of an option that may be repeated.
  func all(_ name: String) -> [String] { lists[name] ?? [] }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func required(_ name: String) throws -> String {
    guard let value = values[name] else { throw UsageError("expected --\(name)") }
    return value
  }

  /// The value of an option that takes a whole number.
  func count(_ name: String, atLeast minimum: Int) throws -> Int? {
    guard let text = values[name] else { return nil }
    guard let count = Int(text), count >= minimum else {
      if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        Int(text) == nil
      {
        throw UsageError("--\(name): expected at most \(Int.max), found \(quoted(text))")
      }
      throw UsageError("--\(name): expected a whole number from \(minimum) on, found \(quoted(text))")
    }
    return count
  }

  /// The value of an option that takes whole seconds. A day is a long time already.
  func seconds(_ name: String) throws -> Duration? {
    guard let seconds = try count(name, atLeast: 1) else { return nil }
    return .seconds(min(seconds, 2_000_000))
  }

  /// The value of an option that takes one of these words.
  func choice(_ name: String, of words: [String]) throws -> String? {
    guard let text = values[name], !words.contains(text) else { return values[name] }
    let near = suggestion(for: text, among: words).map { "; did you mean \(quoted($0))?" }
    throw UsageError(
      "--\(name): expected \(list(words, conjunction: "or")), found \(quoted(text))\(near ?? "")")
  }

  // MARK: Parsing

  private func unexpected(_ word: String) -> UsageError {
    let takesFile =
      operands.count == 1 && values["mappings"] == nil && options.contains { $0.name == "mappings" }
    return UsageError(
      "unexpected argument \(quoted(word))" + (takesFile ? "; write --mappings \(escaped(word))" : ""))
  }

  private mutating func parse(option word: String, _ rest: inout ArraySlice<String>) throws {
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard word.hasPrefix("--"), let option = options.first(where: { $0.name == name }) else {
      throw UsageError(unknown(word.hasPrefix("--") ? "--" + name : word))
    }
    guard values[name] == nil, !flags.contains(name) else { throw UsageError("--\(name) is given twice") }
    guard option.value != nil else {
      if parts.count == 2 { throw UsageError("--\(name) takes no value") }
      flags.insert(name)
      return
    }
    let value: String
    if parts.count == 2 {
      value = String(parts[1])
    } else if let next = rest.first, !next.hasPrefix("--") {
      value = rest.removeFirst()
    } else {
      throw UsageError("--\(name) needs a value: \(option.usage)")
    }
    if option.isRepeated { return lists[name, default: []].append(value) }
    values[name] = value
    if option.isRequired, value == "" { throw UsageError("--\(name) needs a value: \(option.usage)") }
  }

  private func unknown(_ word: String) -> String {
    let names = options.map { "--" + $0.name } + ["--help"]
    let message = "no option named \(quoted(word))"
    if let near = suggestion(for: word, among: names) { return message + "; did you mean \(quoted(near))?" }
    guard let operand = command.operand, !word.hasPrefix("--") else { return message }
    return message + "; write -- before \(operand.name) if it begins with -"
  }

  private func checkRequired() throws {
    var missing = options.filter { $0.isRequired && (values[$0.name] ?? "").isEmpty }.map(\.usage)
    if let wanted = command.operand, wanted.isRequired, operands.isEmpty { missing.append(wanted.usage) }
    guard missing.isEmpty else {
      var error = UsageError("expected \(list(missing))")
      if options.contains(where: { $0.name == "mappings" }) { error.lines += nextStep }
      throw error
    }
  }

  /// The names in the mapping file, if there is one.
  private var nextStep: [String] {
    guard values["as"] == nil, values["store"] != nil || values["mappings"] != nil else { return [] }
    return (try? CommandMappings(self)).map { [$0.names] } ?? []
  }
}
