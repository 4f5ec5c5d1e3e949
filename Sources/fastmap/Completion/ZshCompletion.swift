/// The completion of the tool in zsh: a file `_fastmap` in `fpath`, or a text to evaluate.
enum ZshCompletion {
  static var script: String {
    let commands = Command.allCases.map { ($0.rawValue, $0.summary) } + [("help", "Describe a command")]
    var lines = [
      "#compdef fastmap",
      "# Completion of fastmap in zsh. Made by: fastmap completion zsh",
      "_fastmap_names() {",
      "  local -a names",
      "  names=(\"${(@f)$(fastmap completion names \"${(@Q)words[1,CURRENT]}\" 2>/dev/null)}\")",
      "  compadd -a names",
      "}",
      "_fastmap() {",
      "  local -a commands",
      "  commands=(",
    ]
    lines += commands.map { "    " + quote("\($0):\(escape($1, ":"))") }
    lines += [
      "  )",
      "  if (( CURRENT == 2 )); then",
      "    _describe -t commands command commands",
      "    _arguments '--help[Describe the commands]' '--version[Print the version]'",
      "    return",
      "  fi",
      "  local command=$words[2]",
      "  shift words",
      "  (( CURRENT-- ))",
      "  case $command in",
      "    help) _describe -t commands command commands ;;",
    ]
    for command in Command.allCases {
      var specs = command.options.map(spec) + [quote("--help[Describe the command]")]
      for (index, word) in command.words.enumerated() {
        let (name, action) =
          word == "as"
          ? ("MAPPING", "_fastmap_names") : ("STORE", command == .import ? "_files" : "_files -/")
        specs.append(quote("\(index + 1):\(name):\(action)"))
      }
      if let operand = command.operand {
        let place = operand.isRepeated ? "*" : "\(command.words.count + 1)"
        specs.append(quote("\(place):\(escape(operand.name, ":")):\(action(CompletionWord(operand.name)))"))
      }
      lines += ["    \(command.rawValue))", "      _arguments -S \\"]
      lines += specs.dropLast().map { "        \($0) \\" } + ["        \(specs.last ?? "")", "      ;;"]
    }
    lines += [
      "  esac",
      "}",
      "if [ \"$funcstack[1]\" = _fastmap ]; then _fastmap \"$@\"; else compdef _fastmap fastmap; fi",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func spec(_ option: Option) -> String {
    let summary = escape(option.summary, "[]:")
    guard let value = option.value else { return quote("--\(option.name)[\(summary)]") }
    return quote("--\(option.name)=[\(summary)]:\(escape(value, ":")):\(action(CompletionWord(value)))")
  }

  private static func action(_ value: CompletionWord) -> String {
    switch value {
    case .mapping, .field: "_fastmap_names"
    case .directory: "_files -/"
    case .file: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .other: " "
    }
  }

  private static func escape(_ text: String, _ marks: String) -> String {
    text.reduce(into: "") { $0 += (marks.contains($1) || $1 == "\\" ? "\\" : "") + String($1) }
  }

  private static func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
