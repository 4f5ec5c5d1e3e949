import FastMapCore
import FastMapLMDB

/// `fastmap stats`
struct StatsCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// Whether to print JSON.
  var isJSON: Bool { arguments.has("json") }

  func run(_ output: Output) throws -> ExitStatus {
    let path: String
    switch try StoreAddress(arguments) {
    case .directory(let directory): path = directory
    case .server(let url): return try runOnServer(url, output)
    }
    let statistics = try Inputs.directoryStore(path).statistics()
    if isJSON { output.writeLine(statistics.write) } else { output.write(statistics.table) }
    return .done
  }
}

extension StoreStatistics {
  fileprivate var table: String {
    var rows = [["", "objects", "with a key", "size"]]
    for entity in entities {
      rows.append([
        escaped(entity.name), "\(entity.objectCount)", "\(entity.keyedCount)", byteSize(entity.bytes),
      ])
    }
    return textTable(rows)
      + "file \(byteSize(fileSize)), \(byteSize(liveBytes)) in use, \(byteSize(freeBytes)) free to use again\n"
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("entities")
      writer.object { writer in
        for entity in entities {
          writer.name(forTerminal: entity.name)
          writer.object { writer in
            writer.member("objects", entity.objectCount)
            writer.member("keyed", entity.keyedCount)
            writer.member("bytes", entity.bytes)
          }
        }
      }
      writer.member("fileSize", fileSize)
      writer.member("liveBytes", liveBytes)
      writer.member("freeBytes", freeBytes)
      writer.member("mapSize", mapSize)
    }
  }
}
