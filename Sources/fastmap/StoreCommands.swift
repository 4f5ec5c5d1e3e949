import FastMapCore
import FastMapLMDB

/// `fastmap dump`
struct DumpCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    try Inputs.store(arguments).dump { bytes in
      output.write(bytes)
      try output.flushIfFull()
    }
    return .done
  }
}

/// `fastmap load`
struct LoadCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let name = arguments.operand ?? ""
    let lines =
      try name == "-"
      ? JSONLines(descriptor: System.standardInput, name: "standard input") : JSONLines(name)
    let target = ImportTarget(path: try arguments.required("store"), isDryRun: false)
    let report = try target.withStore { try $0.load(lines) }
    output.write(
      "\(counted(report.objectCount, "object")), \(counted(report.targetCount, "link")) in lists\n")
    return .done
  }
}

/// `fastmap backup`
struct BackupCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    try Inputs.store(arguments).backup(to: arguments.operand ?? "", compacting: arguments.has("compact"))
    return .done
  }
}

/// `fastmap repair`
struct RepairCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let path = try arguments.required("store")
    let report = try LMDBStore.repair(from: path, to: arguments.operand ?? "")
    var lines = report.problems.map { "\(path): \($0)" }
    let others = report.problemCount - report.problems.count
    if others > 0 { lines.append("\(path): \(counted(others, "problem")) more") }
    Output.complain(lines)
    var rows = [["", "saved", "lost"]]
    for entity in report.entities {
      rows.append([escaped(entity.name), "\(entity.savedCount)", entity.lostCount.map { "\($0)" } ?? "?"])
    }
    output.write(textTable(rows))
    return report.isComplete ? .done : .failed
  }
}

/// `fastmap compact`
struct CompactCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let saved = try LMDBStore.compact(at: try arguments.required("store"))
    output.write("the file is \(byteSize(saved)) shorter\n")
    return .done
  }
}
