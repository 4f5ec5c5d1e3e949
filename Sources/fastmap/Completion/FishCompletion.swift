/// The completion of the tool in fish.
enum FishCompletion {
  static var script: String {
    var lines = [
      "# Completion of fastmap in fish. Made by: fastmap completion fish",
      "complete -c fastmap -f",
      "complete -c fastmap -n __fish_use_subcommand -l version -d 'Print the version'",
      "complete -c fastmap -l help -d 'Describe a command'",
      "complete -c fastmap -n __fish_use_subcommand -a help -d 'Describe a command'",
      "complete -c fastmap -n '__fish_seen_subcommand_from help' -a '\(Command.allCases.map(\.rawValue).joined(separator: " "))'",
    ]
    for command in Command.allCases {
      lines.append(
        "complete -c fastmap -n __fish_use_subcommand -a \(command.rawValue) -d \(quote(command.summary))")
      let start = "complete -c fastmap -n '__fish_seen_subcommand_from \(command.rawValue)'"
      for option in command.options {
        let value = option.value.map { " " + argument(CompletionWord($0)) } ?? ""
        lines.append("\(start) -l \(option.name)\(value) -d \(quote(option.summary))")
      }
      if command.words.contains("as") { lines.append("\(start) -a '\(names)'") }
      switch command.operand.map({ CompletionWord($0.name) }) {
      case .file?, .directory?: lines.append("\(start) -F")
      case .words(let words)?: lines.append("\(start) -a '\(words.joined(separator: " "))'")
      case .mapping?, .field?, .other?, nil: break
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let names =
    "(fastmap completion names (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)"

  private static func argument(_ value: CompletionWord) -> String {
    switch value {
    case .mapping, .field: "-x -a '\(names)'"
    case .directory: "-x -a '(__fish_complete_directories)'"
    case .file: "-r -F"
    case .words(let words): "-x -a '\(words.joined(separator: " "))'"
    case .other: "-x"
    }
  }

  private static func quote(_ text: String) -> String {
    "'" + text.reduce(into: "") { $0 += ($1 == "'" || $1 == "\\" ? "\\" : "") + String($1) } + "'"
  }
}
