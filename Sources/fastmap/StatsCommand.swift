import FastMapCore

/// `fastmap stats`
struct StatsCommand {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let statistics = try Inputs.persistentStore(arguments).statistics()
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
    let indexes = entities.flatMap { entity in
      entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, entity.objectCount) }
    }
    return textTable(rows) + IndexLine.table(indexes) + (file?.line ?? "tables \(byteSize(bytes))\n")
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
            writer.indexes(
              entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, entity.objectCount) })
          }
        }
      }
      guard let file else { return writer.member("bytes", bytes) }
      writer.member("fileSize", file.size)
      writer.member("liveBytes", file.liveBytes)
      writer.member("freeBytes", file.freeBytes)
      writer.member("mapSize", file.mapSize)
    }
  }
}

extension StoreStatistics.File {
  fileprivate var line: String {
    "file \(byteSize(size)), \(byteSize(liveBytes)) in use, \(byteSize(freeBytes)) free to use again\n"
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
