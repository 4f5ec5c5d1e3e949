/// The manual page of the tool, for `man`.
enum ManualPage {
  static var text: String {
    var lines = [
      ".\\\" Made by: fastmap man",
      ".TH FASTMAP 1 \"\" \"fastmap \(escape(fastMapVersion))\" \"User Commands\"",
      ".nh",
      ".ad l",
      ".SH NAME",
      "fastmap \\- import JSON into a store of related objects, and export it again",
      ".SH SYNOPSIS",
      "\\fBfastmap\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]",
      ".br",
      "\\fBfastmap help\\fR [\\fICOMMAND\\fR]",
      ".br",
      "\\fBfastmap \\-\\-version\\fR",
      ".SH DESCRIPTION",
      line(
        "fastmap imports JSON into a store of related objects, one for each primary key, and exports it again."
      ),
      line("A mapping file says how the objects look in JSON."),
      ".SH COMMANDS",
    ]
    for command in Command.allCases { lines += section(of: command) }
    lines += [
      ".SH EXIT STATUS",
      ".TP", "\\fB0\\fR", "Done.",
      ".TP", "\\fB1\\fR", "The data, the mapping file or the store is at fault.",
      ".TP", "\\fB2\\fR", "The call is at fault.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(of command: Command) -> [String] {
    var lines = [".SS \(escape(command.rawValue))", line(command.summary + "."), ".PP"]
    lines.append(line(Help.usage(of: command)))
    lines.append(".PP")
    lines += body(Help.about(command))
    for option in command.options {
      let value = option.value.map { " \\fI\(escape($0))\\fR" } ?? ""
      lines += [".TP", "\\fB\\-\\-\(escape(option.name))\\fR\(value)", line(option.summary + ".")]
    }
    lines +=
      [".PP", "Examples:", ".PP", ".nf"] + Help.examples(of: command).map { "  " + line($0) } + [".fi"]
    return lines
  }

  /// Running text. Lines that begin with spaces stay as they are.
  private static func body(_ text: String) -> [String] {
    var lines: [String] = []
    var isFixed = false
    for part in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if part.isEmpty {
        if !isFixed { lines.append(".PP") }
        continue
      }
      if part.hasPrefix(" ") != isFixed {
        isFixed.toggle()
        lines.append(isFixed ? ".nf" : ".fi")
      }
      lines.append(line(part))
    }
    return lines + (isFixed ? [".fi"] : [])
  }

  /// A line of text that does not begin with a request.
  private static func line(_ text: String) -> String {
    (text.first == "." || text.first == "'" ? "\\&" : "") + escape(text)
  }

  private static func escape(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
  }
}
