#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// The whole store, for a dump.
  extension PostgresReader: LeftoverReader {
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
  }
#endif
