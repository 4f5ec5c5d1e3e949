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
    let hasParts = file != nil
    var rows = [
      ["", "objects", "with a key"] + (hasParts ? ["records", "keys", "links", "indexes"] : []) + ["size"]
    ]
    for entity in entities {
      rows.append(
        [escaped(entity.name), "\(entity.objectCount)", "\(entity.keyedCount)"]
          + (hasParts ? entity.parts?.columns ?? [] : []) + [byteSize(entity.bytes)])
    }
    let indexes = entities.flatMap { entity in
      entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, entity.objectCount) }
    }
    return textTable(rows) + IndexLine.table(indexes)
      + (file?.line(bytes, layoutBytes) ?? "tables \(byteSize(bytes))\n")
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
            if let parts = entity.parts { writer.parts(parts) }
            writer.indexes(
              entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, entity.objectCount) })
          }
        }
      }
      guard let file else { return writer.member("bytes", bytes) }
      writer.member("fileSize", file.size)
      writer.member("liveBytes", file.liveBytes)
      writer.member("layoutBytes", layoutBytes)
      writer.member("freeBytes", file.freeBytes)
      writer.member("mapSize", file.mapSize)
    }
  }
}

extension StoreStatistics.File {
  /// The parts of the file, which add up to its size.
  fileprivate func line(_ entities: Int, _ layouts: Int) -> String {
    "file \(byteSize(size)): \(byteSize(entities)) of entities, \(byteSize(layouts)) of layouts and headers, "
      + "\(byteSize(freeBytes)) free to use again\n"
  }
}

extension StoreStatistics.Parts {
  var columns: [String] { [records, keys, links, indexes].map(byteSize) }
}

extension JSONWriter {
  /// The sizes of the parts of an entity in a file, which add up to its `bytes`.
  mutating func parts(_ parts: StoreStatistics.Parts) {
    member("recordBytes", parts.records)
    member("keyBytes", parts.keys)
    member("linkBytes", parts.links)
    member("indexBytes", parts.indexes)
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
