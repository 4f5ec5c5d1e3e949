import FastMapCore
import FastMapLMDB

/// `fastmap check`
struct CheckCommand {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let path: String
    switch try StoreAddress(arguments) {
    case .directory(let directory): path = directory
    case .server(let url): return try runOnServer(url, output)
    }
    let store = try Inputs.directoryStore(path)
    let report = try store.check()
    guard report.isSound else {
      var lines = report.problems.map { "\(store.path): \($0)" }
      let others = report.problemCount - report.problems.count
      if others > 0 { lines.append("\(store.path): \(counted(others, "problem")) more") }
      throw Failure(lines: lines)
    }
    output.write(
      "no problems: \(counted(report.objectCount, "object")), \(counted(report.keyCount, "key")), "
        + "\(counted(report.linkCount, "link"))\n")
    if report.leftoverCount > 0 {
      output.write(
        "an import did not end: the next import or deletion will delete the "
          + "\(counted(report.leftoverCount, "object")) that it removed, unless something refers to them\n")
    }
    return .done
  }
}
