#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// Keeps objects in a PostgreSQL database, in tables with typed columns.
  ///
  ///     let store = try PostgresStore("postgres://localhost/people")
  ///     let report = try Mapper(store).importJSON(.file("people.json"), as: Person.mapping.plan())
  ///
  /// Any thread may use it. Each read and each write takes a connection from the pool, and waits for one if all are
  /// in use.
  public final class PostgresStore: Sendable {
    let pool: Pool
    let layouts = LayoutCache()
    let queue = WriteQueue()
    /// As the store was opened.
    package let configuration: Configuration

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - connection: A connection string as libpq reads it: a URI or `keyword=value` pairs, with any number of
    ///     hosts. A URI may also have the parameter `schema`, which replaces the configuration's. Parameters that the
    ///     string omits come from libpq's environment variables, service files and password files.
    ///   - configuration: The size of the pool, the time-outs and more.
    /// - Throws: ``PostgresError`` if no server can be reached, if it refuses the connection, or if it is too old.
    public init(_ connection: String, configuration: Configuration = Configuration()) throws {
      let parsed = try ConnectionString(connection)
      var configuration = configuration
      if let schema = parsed.schema { configuration.schema = schema }
      try configuration.checkSchema()
      self.configuration = configuration
      pool = try Pool(parsed, configuration)
    }

    /// The fault in the parameters of a URI: an unknown or repeated name. Nil if there is none.
    package static func parameterFault(of uri: String) -> String? {
      let known = ConnectionString.knownParameters
      var seen: Set<String> = []
      for name in ConnectionString.parameterNames(of: uri) {
        guard known.contains(name) else {
          let near = suggestion(for: name, among: known).map { "; did you mean \(quoted($0))?" } ?? ""
          return "no parameter of the URL is named \(quoted(name))\(near)"
        }
        guard seen.insert(name).inserted else {
          return "the parameter \(quoted(name)) of the URL is given twice"
        }
      }
      return nil
    }

    /// The store that a URI names, without its user and password: for errors that do not name it.
    package static func name(of uri: String) -> String? {
      guard let string = try? ConnectionString(uri) else { return nil }
      let schema = string.schema ?? Configuration().schema
      return "PostgreSQL at \(string.place), schema \(SQLText.identifier(schema))"
    }

    /// Another store in the same database, on the connections of `other`.
    package init(sharingConnectionsOf other: PostgresStore, schema: String) {
      var configuration = other.configuration
      configuration.schema = schema
      self.configuration = configuration
      pool = other.pool
    }

    /// Drops the schema with all its tables, for tests.
    package func dropSchema() throws {
      try pool.outsideTransactions { connection in
        try connection.execute("DROP SCHEMA IF EXISTS \(SQLText.identifier(configuration.schema)) CASCADE")
      }
    }
  }
#endif
