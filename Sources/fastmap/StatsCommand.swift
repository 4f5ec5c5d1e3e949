import FastMapCore
import FastMapLMDB

/// `fastmap stats`
struct StatsCommand {
  let arguments: Arguments

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
    let indexes = entities.flatMap { entity in
      entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, $0.entryCount) }
    }
    return textTable(rows) + IndexLine.table(indexes)
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
            writer.indexes(entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, $0.entryCount) })
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

/// A line of `stats` about an index.
struct IndexLine {
  let entity: String
  let name: String
  let isUnique: Bool
  let entryCount: Int

  init(_ entity: String, _ name: String, _ isUnique: Bool, _ entryCount: Int) {
    (self.entity, self.name, self.isUnique, self.entryCount) = (entity, name, isUnique, entryCount)
  }

  /// A table of indexes; empty without any.
  static func table(_ lines: [IndexLine]) -> String {
    if lines.isEmpty { return "" }
    let rows = lines.map { line in
      ["\(escaped(line.entity)) \(escaped(line.name))", "\(line.entryCount)", line.isUnique ? "unique" : ""]
    }
    return textTable([["index", "entries", ""]] + rows)
  }
}

extension JSONWriter {
  /// The member `indexes` of an entity: `{"status": {"entries": 3, "unique": false}}`.
  mutating func indexes(_ lines: [IndexLine]) {
    name("indexes")
    object { writer in
      for line in lines {
        writer.name(forTerminal: line.name)
        writer.object { writer in
          writer.member("entries", line.entryCount)
          writer.name("unique")
          writer.boolean(line.isUnique)
        }
      }
    }
  }
}
