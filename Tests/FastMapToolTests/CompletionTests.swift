import TestSupport
import Testing

/// `fastmap completion` and `fastmap man`, whose text follows from the table of commands.
@Suite struct CompletionTests {
  /// The options that the help pages list, by command.
  private static func table() throws -> [(command: String, options: [String])] {
    let workspace = try Workspace()
    let overview = try workspace.fastmap("help").lines
    let commands = overview.drop { !$0.hasPrefix("  import") }.prefix { $0.hasPrefix("  ") }.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    return try commands.map { command in
      let lines = try workspace.fastmap("help", command).lines
      let options = lines.drop { $0 != "Options:" }.compactMap { line in
        line.hasPrefix("  --") ? line.dropFirst(4).split(separator: " ").first.map(String.init) : nil
      }
      return (command, options)
    }
  }

  private func text(_ words: String...) throws -> String {
    let run = try Workspace().run([FastMapTool.path] + words)
    run.expect(0, complaints: [])
    return run.output
  }

  @Test func eachOptionIsInEachCompletionAndInTheManual() throws {
    let table = try Self.table()
    #expect(table.count > 14)
    let bash = try text("completion", "bash")
    let zsh = try text("completion", "zsh")
    let fish = try text("completion", "fish")
    let manual = try text("man")
    for (command, options) in table {
      let inBash = bash.components("    \(command))\n", before: "      esac ;;")
      let inZsh = zsh.components("    \(command))\n", before: "      ;;")
      let page = manual.components(".SS \(command.replacing("-", with: "\\-"))\n", before: ".fi\n.SS")
      #expect(!inBash.isEmpty && !inZsh.isEmpty && !page.isEmpty, "\(command)")
      #expect(fish.contains("-a \(command) -d "))
      for option in options {
        #expect(inBash.contains("--\(option)"), "\(command) \(option)")
        #expect(inZsh.contains("'--\(option)[") || inZsh.contains("'--\(option)=["), "\(command) \(option)")
        #expect(
          fish.contains("__fish_seen_subcommand_from \(command)' -l \(option) "), "\(command) \(option)")
        #expect(page.contains("\\fB\\-\\-\(option.replacing("-", with: "\\-"))\\fR"), "\(command) \(option)")
      }
    }
  }

  /// Whether a program is installed.
  private static func has(_ program: String) -> Bool {
    (try? Workspace().shell("command -v \(program)").status) == 0
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func theShellAcceptsItsCompletion(shell: String) throws {
    guard Self.has(shell) else { return }
    let workspace = try Workspace()
    let check = shell == "fish" ? "--no-execute" : "-n"
    let run = try workspace.shell("fastmap completion \(shell) > completion && \(shell) \(check) completion")
    run.expect(0, complaints: [])
  }

  @Test(arguments: [
    ("fastmap comp", "compact\ncompletion"),
    ("fastmap import --repl", "--replace-all\n--replace-where"),
    ("fastmap import --store pe", "people"),
    ("fastmap import --store = pe", "people"),
    ("fastmap import --format nd", "ndjson"),
    ("fastmap import ma", "mappings.json"),
    ("fastmap completion z", "zsh"),
    ("fastmap help ex", "export"),
    ("fastmap compact -", "--store\n--help"),
    ("fastmap get --as x", ""),
  ])
  func bashCompletesWords(call: String, words: String) throws {
    guard Self.has("bash") else { return }
    let workspace = try Workspace()
    workspace.makeDirectory("people")
    try workspace.write("", to: "pears")
    let run = try workspace.shell(
      """
      fastmap completion bash > completion && bash -c '. ./completion
      COMP_WORDS=(\(call)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fastmap
      printf "%s\\n" "${COMPREPLY[@]}"'
      """)
    #expect(run.lines.joined(separator: "\n") == words)
  }

  @Test(arguments: [
    ("fastmap query people.db Per", "Person\nPersonRef"),
    ("fastmap query --store people.db Ca", "Car"),
    ("fastmap get --store people.db --as No", "Note"),
    ("fastmap query people.db --as = No", "Note"),
    ("fastmap export none.db --mappings mappings.json Ph", "Phone"),
    ("fastmap query people.db Person --sort na", "name"),
    ("fastmap query people.db Person --fields id,pr", "id\\,price"),
    ("fastmap query people.db Person --sort -p", "-price\n-phones"),
    ("fastmap query none.db Per", ""),
    ("fastmap import --store people.db --as P", "Person\nPersonRef\nPhone"),
  ])
  func bashCompletesTheNamesOfTheKeptFile(call: String, words: String) throws {
    guard Self.has("bash") else { return }
    let workspace = try Workspace(holding: "[]")
    let run = try workspace.shell(
      """
      fastmap completion bash > completion && bash -c '. ./completion
      COMP_WORDS=(\(call)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fastmap
      printf "%s\n" "${COMPREPLY[@]}"'
      """)
    #expect(run.lines.joined(separator: "\n") == words)
  }

  @Test func theManualIsSoundRoff() throws {
    let manual = try text("man")
    #expect(manual.hasPrefix(#".\" Made by: fastmap man"# + "\n.TH FASTMAP 1 "))
    #expect(manual.utf8.allSatisfy { $0 < 128 })
    guard Self.has("mandoc") else { return }
    let run = try Workspace().shell("fastmap man > fastmap.1 && mandoc -T lint -W error fastmap.1")
    #expect((run.output, run.status) == ("", 0))
  }

  @Test(arguments: [
    (["completion"], "expected bash|zsh|fish"),
    (["completion", "csh"], #"expected bash, zsh or fish, found "csh""#),
    (["man", "x"], #"unexpected argument "x""#),
  ])
  func wrongCallsAreUsageErrors(arguments: [String], message: String) throws {
    let run = try Workspace().run([FastMapTool.path] + arguments)
    #expect(run.status == 2)
    #expect(run.complaints.first == "fastmap: " + message)
  }
}

extension String {
  /// The text between two others; empty without them.
  fileprivate func components(_ start: String, before end: String) -> String {
    guard let first = firstRange(of: start) else { return "" }
    let rest = self[first.upperBound...]
    return String(rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)])
  }
}
