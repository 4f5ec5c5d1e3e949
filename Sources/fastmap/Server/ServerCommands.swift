import FastMapCore

#if Postgres
  import FastMapPostgres

  extension StatsCommand {
    /// `fastmap stats` of a store on a server.
    func runOnServer(_ url: String, _ output: Output) throws -> ExitStatus {
      let statistics = try ServerStore.open(url, arguments).statistics()
      if isJSON { output.writeLine(statistics.write) } else { output.write(statistics.table) }
      return .done
    }
  }

  extension PostgresStore.Statistics {
    fileprivate var table: String {
      let rows = entities.map { entity in
        [escaped(entity.name), "\(entity.objectCount)", "\(entity.keyedCount)", byteSize(entity.bytes)]
      }
      let indexes = entities.flatMap { entity in
        entity.indexes.map { IndexLine(entity.name, $0.name, $0.isUnique, entity.objectCount) }
      }
      return textTable([["", "objects", "with a key", "size"]] + rows) + IndexLine.table(indexes)
        + "tables \(byteSize(bytes))\n"
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
        writer.member("bytes", bytes)
      }
    }
  }

  extension CheckCommand {
    /// `fastmap check` of a store on a server.
    func runOnServer(_ url: String, _ output: Output) throws -> ExitStatus {
      let report = try ServerStore.open(url, arguments).check()
      guard report.isSound else {
        throw Failure(lines: report.problems.map(\.description) + report.notes)
      }
      output.write(
        "no problems: \(counted(report.objectCount, "object")), \(counted(report.keyCount, "key")), "
          + "\(counted(report.linkCount, "link"))\n")
      for note in report.notes { output.write(note + "\n") }
      return .done
    }
  }
#else
  extension StatsCommand {
    func runOnServer(_ url: String, _ output: Output) throws -> ExitStatus {
      _ = try ServerStore.open(url, arguments)
      return .failed
    }
  }

  extension CheckCommand {
    func runOnServer(_ url: String, _ output: Output) throws -> ExitStatus {
      _ = try ServerStore.open(url, arguments)
      return .failed
    }
  }
#endif
