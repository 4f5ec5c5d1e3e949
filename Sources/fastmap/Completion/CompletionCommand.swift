import FastMapCore

extension Tool {
  /// `fastmap completion`
  static func completion(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let shell = arguments.operand ?? ""
    switch shell {
    case "bash": output.write(BashCompletion.script)
    case "zsh": output.write(ZshCompletion.script)
    case "fish": output.write(FishCompletion.script)
    default: throw UsageError("expected bash, zsh or fish, found \(quoted(shell))")
    }
    return .done
  }

  /// `fastmap man`
  static func man(_ output: Output) -> ExitStatus {
    output.write(ManualPage.text)
    return .done
  }
}
