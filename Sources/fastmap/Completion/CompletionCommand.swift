import FastMapCore

/// `fastmap completion`
struct CompletionCommand {
  private let shell: String

  init(_ arguments: Arguments) throws {
    shell = arguments.operand ?? ""
    let known = ["bash", "zsh", "fish"]
    guard known.contains(shell) else {
      throw UsageError("expected bash, zsh or fish, found \(quoted(shell))")
    }
  }

  func run(_ output: Output) -> ExitStatus {
    switch shell {
    case "zsh": output.write(ZshCompletion.script)
    case "fish": output.write(FishCompletion.script)
    default: output.write(BashCompletion.script)
    }
    return .done
  }
}

/// `fastmap man`
struct ManCommand {
  func run(_ output: Output) -> ExitStatus {
    output.write(ManualPage.text)
    return .done
  }
}
