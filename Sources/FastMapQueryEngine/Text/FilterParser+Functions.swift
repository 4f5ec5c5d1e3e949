/// The functions of RFC 9535, and `lower`.
enum FilterFunction: String, CaseIterable {
  case length
  case lower
  case count
  case match
  case search
  case value

  var argumentCount: Int {
    switch self {
    case .length, .lower, .count, .value: 1
    case .match, .search: 2
    }
  }
}

extension FilterParser {
  /// Reads the arguments of a function, from the parenthesis on.
  mutating func function(named name: String, at place: FilterPlace) throws(FilterError) -> Operand {
    guard let function = FilterFunction(rawValue: name) else {
      if let hint = FilterHint.function(name) {
        throw FilterError(.init(place, "no function named \(quoted(String(name.prefix(40)))): \(hint)"))
      }
      let names = FilterFunction.allCases.map(\.rawValue)
      throw FilterError(
        .init(
          place,
          unknownName("function", named: name, among: names, verb: "no function named")))
    }
    try open()
    var arguments: [(operand: Operand, place: FilterPlace)] = []
    text.skipBlanks()
    while text.next != UInt8(ascii: ")"), arguments.count < function.argumentCount {
      if !arguments.isEmpty {
        guard text.consume(",") else { throw text.expected("\",\"") }
        text.skipBlanks()
      }
      let place = text.place()
      arguments.append((try operand(isCompared: !arguments.isEmpty), place))
      text.skipBlanks()
    }
    guard arguments.count == function.argumentCount, text.next == UInt8(ascii: ")") else {
      let count = function.argumentCount == 1 ? "one argument" : "two arguments"
      throw text.fault(
        "\(function) takes \(count): expected \(arguments.count < function.argumentCount ? "one more" : "\")\""), found \(text.found)"
      )
    }
    text.skip()
    close()
    return try checked(function, arguments)
  }

  private mutating func checked(
    _ function: FilterFunction, _ arguments: [(operand: Operand, place: FilterPlace)]
  ) throws(FilterError) -> Operand {
    switch function {
    case .length: return .term(.length(try value(arguments[0].operand, at: arguments[0].place)))
    case .lower:
      _ = try nodes(arguments[0], function)
      return .term(.lowercased(try value(arguments[0].operand, at: arguments[0].place)))
    case .count: return .term(.count(try nodes(arguments[0], function)))
    case .value: return .term(.value(try nodes(arguments[0], function)))
    case .match, .search:
      let string = try value(arguments[0].operand, at: arguments[0].place)
      let pattern = try value(arguments[1].operand, at: arguments[1].place)
      return .condition(try checked(Filter(.text(string, function == .match ? .match : .search, pattern))))
    }
  }

  private func nodes(
    _ argument: (operand: Operand, place: FilterPlace), _ function: FilterFunction
  ) throws(FilterError) -> FilterPath {
    if case .path(let path) = argument.operand { return path }
    throw FilterError(.init(argument.place, "\(function) takes a path"))
  }
}
