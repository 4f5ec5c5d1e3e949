import FastMapCore
import FastMapLMDB

/// `fastmap check`
struct CheckCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let report = try Inputs.store(arguments).check()
    guard report.problems.isEmpty else { throw Failure(lines: report.problems.map(\.description)) }
    output.write("no problems in \(counted(report.objectCount, "object"))\n")
    return .done
  }
}
