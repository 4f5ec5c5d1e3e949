import FastMapCore

/// Filters and orders from the command line.
enum QueryInputs {
  /// A query of a plan's first mapping, checked.
  ///
  /// - Parameters:
  ///   - text: The filter; nil for all objects.
  ///   - word: The name of the filter in the help.
  ///   - order: Fields, as `--sort` takes them.
  /// - Throws: `UsageError` with all faults of the filter, or of the order.
  static func query(_ text: String?, _ word: String, sortedBy order: String? = nil, of plan: Plan) throws
    -> Query<Plan>
  {
    var query = plan.query
    if let text { query = query.where(try filter(text, word, of: plan)) }
    guard let order else { return query }
    var sorted = plan.query
    for (term, isDescending) in try terms(order) {
      if case .path(let path) = term { try checkSign(path, isDescending, plan) }
      query = query.sorted(by: term, descending: isDescending)
      sorted = sorted.sorted(by: term, descending: isDescending)
    }
    do throws(FilterError) { try sorted.check(of: plan) } catch { throw usage(error, "--sort", nil) }
    return query
  }

  /// A filter for a plan's first mapping, checked.
  static func filter(_ text: String, _ word: String, of plan: Plan) throws -> Filter {
    do throws(FilterError) {
      let filter = try Filter(text)
      _ = try filter.bound(to: plan)
      return filter
    } catch { throw usage(error, word, text) }
  }

  /// The terms of `--sort`: `name,-author.born,lower(city),-count(tags)`.
  private static func terms(_ order: String) throws -> [(term: FilterTerm, isDescending: Bool)] {
    let words = parts(order, separatedBy: ",")
    if words.count > SortTerm.mostInAQuery {
      throw UsageError("--sort: expected at most \(SortTerm.mostInAQuery) fields, found \(words.count)")
    }
    return try words.map { word in
      let isDescending = word.hasPrefix("-")
      let field = isDescending ? String(word.dropFirst()) : word
      guard let term = term(field) else {
        throw UsageError("--sort: expected FIELD[,-FIELD…], found \(quoted(order))")
      }
      return (term, isDescending)
    }
  }

  /// A field, a path, or one in `lower(…)` or `count(…)`; nil with an empty name.
  static func term(_ field: String) -> FilterTerm? {
    func inner(_ function: String) -> String? {
      guard field.hasPrefix(function + "("), field.hasSuffix(")") else { return nil }
      return String(field.dropFirst(function.count + 1).dropLast())
    }
    let (lowercased, counted) = (inner("lower"), inner("count"))
    var text = lowercased ?? counted ?? field
    if text.hasPrefix("@.") { text.removeFirst(2) }  // as in a filter
    if counted != nil, text.hasSuffix("[*]") { text.removeLast(3) }
    let names = names(in: text)
    if names.contains("") { return nil }
    let path = FilterPath(names.map { FilterStep(.name($0)) })
    if counted != nil { return .count(path.appending(.all)) }
    return lowercased == nil ? .path(path) : .lowercased(.path(path))
  }

  private static func checkSign(_ path: FilterPath, _ isDescending: Bool, _ plan: Plan) throws {
    guard isDescending, case .member(.name(let name))? = path.steps.first?.selectors.first else { return }
    let fields = plan.schema.entities[plan.mappings[0].entity].fields.map(\.name)
    func has(_ name: String) -> Bool { fields.contains { NameIndex.isSame($0, name) } }
    if has("-" + name), !has(name) {
      throw UsageError(
        "--sort: \(quoted("-" + name)) descends by the unknown field \(quoted(name)); "
          + "write \\-\(name) for the field \(quoted("-" + name))")
    }
  }

  /// Parts of a text. A separator after a backslash is part of a name.
  static func parts(_ text: String, separatedBy separator: Character) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in text {
      if character == separator, !isEscaped {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return parts
  }

  /// The names in a path.
  static func names(in path: String) -> [String] { parts(path, separatedBy: ".").map(unescaped) }

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }

  static func usage(_ error: FilterError, _ word: String, _ text: String?) -> UsageError {
    let faults = error.faults.prefix(20)
    var lines = faults.flatMap { fault in ["\(word): \(fault)"] + marked(text, fault.column) }
    if error.faults.count > faults.count { lines.append("and \(error.faults.count - faults.count) more") }
    var usage = UsageError(lines.removeFirst())
    usage.lines = lines
    return usage
  }

  /// A short filter, and a mark below the place of a fault.
  private static func marked(_ text: String?, _ column: Int?) -> [String] {
    guard let text, let column, text.utf8.count <= 100, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    else {
      return []
    }
    return ["  " + text, String(repeating: " ", count: column + 1) + "^"]
  }
}
