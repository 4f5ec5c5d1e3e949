import FastMapCore
import FastMapLMDB

#if Postgres
  import FastMapPostgres
#endif

/// Where `--store` says that the store is.
enum StoreAddress {
  /// A directory, for a store in a file.
  case directory(String)
  /// The URL of a PostgreSQL server. It may have a password, so no message shows it.
  case server(String)

  init(_ text: String) {
    let isURL = ["postgres://", "postgresql://"].contains { text.hasPrefix($0) }
    self = isURL ? .server(text) : .directory(text)
  }

  init(_ arguments: Arguments) throws { self.init(try arguments.required("store")) }

  /// The directory, for a command that needs one.
  ///
  /// - Parameter hint: What to use for a store on a server.
  func directory(or hint: String) throws -> String {
    switch self {
    case .directory(let path): return path
    case .server: throw UsageError("--store: expected a directory; \(hint) for a PostgreSQL server")
    }
  }

  /// The name of the store in messages.
  var name: String {
    switch self {
    case .directory(let path): path
    case .server: "the PostgreSQL store"
    }
  }
}

#if Postgres
  /// A store on a server.
  enum ServerStore {
    static func open(_ url: String) throws -> PostgresStore { try PostgresStore(url) }

    /// Opens a store that exists.
    static func existing(_ url: String) throws -> PostgresStore {
      let store = try open(url)
      try store.requireStore()
      return store
    }
  }
#else
  /// A store on a server, which this build of the tool does not have.
  enum ServerStore {
    static func open(_ url: String) throws -> LMDBStore {
      throw UsageError(
        "--store: this fastmap was built without PostgreSQL; build it with swift build --traits Postgres")
    }

    static func existing(_ url: String) throws -> LMDBStore { try open(url) }
  }
#endif
