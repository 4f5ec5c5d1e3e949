import FastMapCore

extension Tool {
  /// `fastmap stats`
  static func stats(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let statistics = try Inputs.persistentStore(arguments).statistics()
    if arguments.has("json") { output.writeLine(statistics.write) } else { output.write(statistics.table) }
    return .done
  }
}

extension StoreStatistics {
  fileprivate var table: String {
    let hasParts = file != nil
    let rows = [Entity.columns(hasParts)] + entities.map { $0.row(hasParts) }
    let indexes = entities.flatMap { entity in
      entity.indexes.map { index in
        [
          "\(escaped(entity.name)) \(escaped(index.name))", "\(entity.objectCount)",
          index.isUnique ? "unique" : "",
        ]
      }
    }
    return textTable(rows) + (indexes.isEmpty ? "" : textTable([["index", "entries", ""]] + indexes))
      + (file?.line(bytes, layoutBytes) ?? "tables \(byteSize(bytes))\n")
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("entities")
      writer.object { writer in
        for entity in entities {
          writer.name(forTerminal: entity.name)
          writer.object { writer in
            writer.numbers(of: entity)
            writer.name("indexes")
            writer.object { writer in
              for index in entity.indexes {
                writer.name(forTerminal: index.name)
                writer.object { writer in
                  writer.member("entries", entity.objectCount)
                  writer.member("unique", index.isUnique)
                }
              }
            }
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

extension StoreStatistics.Entity {
  /// The heads of a table of entities.
  ///
  /// - Parameter hasParts: Whether it has the sizes of their parts, as for a store in a file.
  static func columns(_ hasParts: Bool) -> [String] {
    ["", "objects", "with a key"] + (hasParts ? ["records", "keys", "links", "indexes"] : []) + ["size"]
  }

  func row(_ hasParts: Bool) -> [String] {
    let sizes = parts.map { [$0.records, $0.keys, $0.links, $0.indexes].map(byteSize) } ?? ["", "", "", ""]
    return [escaped(name), "\(objectCount)", "\(keyedCount)"] + (hasParts ? sizes : []) + [byteSize(bytes)]
  }
}

extension JSONWriter {
  /// The counts and sizes of an entity. The parts of a file add up to its `bytes`.
  mutating func numbers(of entity: StoreStatistics.Entity) {
    member("objects", entity.objectCount)
    member("keyed", entity.keyedCount)
    member("bytes", entity.bytes)
    guard let parts = entity.parts else { return }
    member("recordBytes", parts.records)
    member("keyBytes", parts.keys)
    member("linkBytes", parts.links)
    member("indexBytes", parts.indexes)
  }
}

extension StoreStatistics.File {
  /// The parts of the file, which add up to its size.
  fileprivate func line(_ entities: Int, _ layouts: Int) -> String {
    "file \(byteSize(size)): \(byteSize(entities)) of entities, \(byteSize(layouts)) of layouts and headers, "
      + "\(byteSize(freeBytes)) free to use again\n"
  }
}
