import FastMapCore

extension Tool {
  /// `fastmap check`
  static func check(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let report = try Inputs.persistentStore(arguments).check()
    guard report.isSound else {
      let address = try StoreAddress(arguments)
      var lines = report.problems.map { address.isServer ? "\($0)" : "\(address.name): \($0)" }
      let others = report.problemCount - report.problems.count
      if others > 0 { lines.append("\(address.name): \(counted(others, "problem")) more") }
      throw Failure(lines: lines + report.notes)
    }
    output.write(
      "no problems: \(counted(report.objectCount, "object")), \(counted(report.keyCount, "key")), "
        + "\(counted(report.linkCount, "link"))\n")
    for note in report.notes { output.write(note + "\n") }
    if report.leftoverCount > 0 {
      output.write(
        "an import did not end: the next import or deletion will delete the "
          + "\(counted(report.leftoverCount, "object")) that it removed, unless something refers to them\n")
    }
    return .done
  }
}
