import FastMapCore
import FastMapLMDB

/// `fastmap stats`
struct StatsCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let statistics = try Inputs.store(arguments).statistics()
    output.write(arguments.has("json") ? statistics.json + "\n" : statistics.table)
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

  fileprivate var json: String {
    let entities = self.entities.map { entity in
      "\(jsonString(entity.name)): {\"objects\": \(entity.objectCount), \"keyed\": \(entity.keyedCount), "
        + "\"bytes\": \(entity.bytes)}"
    }
    return "{\"entities\": {\(entities.joined(separator: ", "))}, \"fileSize\": \(fileSize), "
      + "\"liveBytes\": \(liveBytes), \"freeBytes\": \(freeBytes), \"mapSize\": \(mapSize)}"
  }
}
