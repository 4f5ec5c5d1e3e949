#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// The whole store, for a dump.
  extension PostgresReader: LeftoverReader, TextReader {
    public mutating func storedSchema() throws -> Schema? {
      try verify()
      let layout = session.layout
      return layout?.catalog.schema { layout?.keys[$0.number]?.field } ?? Schema(entities: [])
    }

    package mutating func hasLeftovers() throws -> Bool {
      try verify()
      guard let layout = session.layout else { return false }
      let question = "SELECT EXISTS (SELECT FROM \(layout.qualified("fastmap_leftover")))"
      return try connection.run(Statement(question)).boolean(0, 0)
    }

    package mutating func text(_ name: KeptText) throws -> [UInt8]? {
      try verify()
      guard let layout = session.layout else { return nil }
      var row = Parameters()
      row.text(name.rawValue)
      let answer = try connection.run(
        Statement("SELECT value FROM \(layout.qualified("fastmap_text")) WHERE name = $1", .text), row)
      return answer.rowCount == 0 ? nil : Array(answer.bytes(0, 0))
    }
  }
  extension PostgresWriter: TextWriter {
    package mutating func keep(_ text: [UInt8], as name: KeptText) throws {
      try reader.verify()
      guard let layout = reader.session.layout else { return }
      var row = Parameters()
      row.text(name.rawValue)
      row.text(String(decoding: text, as: UTF8.self))
      try connection.sendQuietly(
        Statement(
          """
          INSERT INTO \(layout.qualified("fastmap_text")) (name, value) VALUES ($1, $2)
          ON CONFLICT (name) DO UPDATE SET value = excluded.value
          """, .text, .text), row)
    }
  }
#endif
