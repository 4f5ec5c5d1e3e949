import FastMapCore
import FastMapLMDB

/// The commands for whole stores.
extension Tool {
  /// `fastmap dump`
  static func dump(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    try Inputs.store(arguments).dump { bytes in
      output.write(bytes)
      try output.flushIfFull()
    }
    return .done
  }

  /// `fastmap load`
  static func load(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let address = try StoreAddress(arguments)
    let name = arguments.operand ?? ""
    Output.announceTerminal(name == "-", reading: "a dump")
    let lines: JSONLines
    if try PayloadStream.isPlain(name) {
      lines =
        try name == "-"
        ? JSONLines(descriptor: System.standardInput, name: PayloadStream.name(of: name)) : JSONLines(name)
    } else {
      let stream = try PayloadStream(name)
      lines = try JSONLines(name: stream.name) { try stream.read(into: $0, isCancelled: $1) }
    }
    let report =
      switch address {
      case .directory(let path):
        try ImportTarget(path: path, isDryRun: false).withStore { try $0.load(lines) }
      case .server(let url): try ServerStore.open(url, arguments).load(lines)
      }
    output.write(
      "\(counted(report.objectCount, "object")), \(counted(report.targetCount, "link")) in lists\n")
    output.flushReport(of: "the dump is loaded")
    return .done
  }

  /// OUT, the directory of a new store.
  private static func newDirectory(_ arguments: Arguments) throws -> String {
    guard case .directory(let path) = try StoreAddress(arguments.operand ?? "") else {
      throw UsageError("OUT: expected a directory")
    }
    return path
  }

  /// `fastmap backup`
  static func backup(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let path = try StoreAddress(arguments).directory(or: "use pg_basebackup or pg_dump")
    try Inputs.directoryStore(path).backup(to: newDirectory(arguments), compacting: arguments.has("compact"))
    return .done
  }

  /// `fastmap repair`
  static func repair(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let path = try StoreAddress(arguments).directory(or: "use a backup")
    let report = try LMDBStore.repair(from: path, to: newDirectory(arguments))
    var lines = report.problems.map { "\(path): \($0)" }
    let others = report.problemCount - report.problems.count
    if others > 0 { lines.append("\(path): \(counted(others, "problem")) more") }
    Output.complain(lines)
    var rows = [["", "saved", "lost"]]
    for entity in report.entities {
      rows.append([escaped(entity.name), "\(entity.savedCount)", entity.lostCount.map { "\($0)" } ?? "?"])
    }
    output.write(textTable(rows))
    output.flushReport(of: "the new store is made")
    return report.isComplete ? .done : .failed
  }

  /// `fastmap compact`
  static func compact(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let path = try StoreAddress(arguments).directory(or: "use VACUUM FULL")
    let saved = try LMDBStore.compact(at: path)
    output.write("the file is \(byteSize(saved)) shorter\n")
    output.flushReport(of: "the store is compacted")
    return .done
  }
}
