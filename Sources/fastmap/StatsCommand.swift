import FastMapCore
import FastMapLMDB

/// `fastmap stats`
struct StatsCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let statistics = try Inputs.store(arguments).statistics()
    if arguments.has("json") { output.writeLine(statistics.write) } else { output.write(statistics.table) }
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
