/// What a text means that other languages write, and how a filter writes it.
enum FilterHint {
  private static let patterns =
    "use search(@.name, \"part\") for a part of a text, or match(@.name, \"A.*\") for all of it"

  private static let operators: [String: String] = [
    "and": "write &&", "&": "write &&", "or": "write ||", "|": "write ||",
    "not": "write !(…) around the condition", "<>": "write !=",
    "is": "write !@.name for no value, and @.name for any", "isnull": "write !@.name for no value",
    "in": "write a comparison for each value: @.name == \"a\" || @.name == \"b\"",
    "between": "write two comparisons: @.age >= 1 && @.age <= 5",
    "like": patterns, "ilike": patterns, "rlike": patterns, "regexp": patterns, "contains": patterns,
    "matches": patterns, "startswith": patterns, "endswith": patterns,
  ]

  private static let functions: [String: String] = [
    "not": "write !(…) around the condition", "exists": "write @.name for any value",
    "isnull": "write !@.name for no value", "contains": patterns, "like": patterns, "regexp_like": patterns,
    "regexp": patterns, "starts_with": patterns, "startswith": patterns, "ends_with": patterns,
    "endswith": patterns, "len": "write length(@.name)", "lcase": "write lower(@.name)",
  ]

  /// The hint for a word or an operator after a condition or a value.
  static func after(_ token: String?) -> String {
    guard let token else { return "" }
    // What is left of a date, an identifier or words without quotes.
    if token == "-" { return "; a string or a date stands in quotes" }
    return operators[token.lowercased()].map { ": " + $0 } ?? ""
  }

  /// The hint for a function that there is not.
  static func function(_ name: String) -> String? { functions[name.lowercased()] }

  /// The hint for a word that is neither a literal nor a function.
  ///
  /// - Parameter isCompared: Whether it is the right side of a comparison, or a pattern.
  static func word(_ name: String, isCompared: Bool) -> String {
    let small = name.lowercased()
    let literals = ["true", "false", "null"]
    if literals.contains(small) { return "; did you mean \(small)?" }
    if FilterFunction(rawValue: name) != nil { return "; \"(\" must follow the function at once" }
    let shown = printable(String(name.prefix(40)))
    if isCompared {
      return
        "; a string is written \"\(shown)\", a field @.\(shown); in a shell, the whole filter stands in single quotes"
    }
    return small == "not" ? "; write !@.name for no value, or !(…)" : "; a field is written @.\(shown)"
  }
}
