/// The completion of the tool in bash, from version 3.2 on.
enum BashCompletion {
  static var script: String {
    var lines = [
      "# Completion of fastmap in bash. Made by: fastmap completion bash",
      "_fastmap_names() {",
      "  local name tool=${COMP_WORDS[0]}",
      "  command -v \"$tool\" >/dev/null || tool=\(shellWord(CommandLine.arguments.first ?? "fastmap"))",
      "  while read -r name; do",
      "    [[ $name == \"$word\"* ]] && COMPREPLY+=(\"$(printf %q \"$name\")\")",
      "  done < <(\"$tool\" completion names \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)",
      "}",
      "_fastmap() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} IFS=$'\\n'",
      "  COMPREPLY=()",
      "  # --store=DIR is three words.",
      "  if [ \"$word\" = = ]; then word=; elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi",
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
      "    " + reply(words: Command.allCases.map(\.rawValue) + CompletionWord.others),
      "    return",
      "  fi",
      "  case ${COMP_WORDS[1]}:$before in",
    ]
    for command in Command.allCases {
      for option in command.options {
        guard let value = option.value else { continue }
        lines.append("    \(command.rawValue):--\(option.name)) \(reply(CompletionWord(value))); return ;;")
      }
    }
    lines += ["  esac", "  case ${COMP_WORDS[1]} in"]
    lines.append("    help) \(reply(words: Command.allCases.map(\.rawValue))) ;;")
    for command in Command.allCases {
      let options = command.options.map { "--" + $0.name } + ["--help"]
      lines += [
        "    \(command.rawValue))",
        "      case $word in",
        "        -*) \(reply(words: options)) ;;",
        "        *) \(replyToOperand(of: command, options)) ;;",
        "      esac ;;",
      ]
    }
    lines += ["  esac", "}", "complete -F _fastmap fastmap"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func replyToOperand(of command: Command, _ options: [String]) -> String {
    let last = command.operand.map { CompletionWord($0.name) }
    var reply = last.map(reply) ?? reply(words: options)
    if command.words.contains("as") { reply = "_fastmap_names; [ ${#COMPREPLY[@]} -gt 0 ] || { \(reply); }" }
    guard command.words.contains("store") else { return reply }
    let isFile = if case .file? = last { true } else { false }
    return "if [ \"$COMP_CWORD\" -eq 2 ]; then \(self.reply(isFile ? .file : .directory)); else \(reply); fi"
  }

  private static func reply(_ value: CompletionWord) -> String {
    switch value {
    case .mapping, .field: "_fastmap_names"
    case .directory: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$word\"))"
    case .file: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))"
    case .words(let words): reply(words: words)
    case .other: ":"
    }
  }

  /// Words are letters, digits and hyphens, so they need no quotes of their own.
  private static func reply(words: [String]) -> String {
    "COMPREPLY=($(compgen -W $'\(words.joined(separator: "\\n"))' -- \"$word\"))"
  }
}
