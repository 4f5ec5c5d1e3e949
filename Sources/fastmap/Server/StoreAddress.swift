import FastMapCore
import FastMapLMDB

#if Postgres
  import FastMapPostgres
#endif

/// The place that `--store` names.
enum StoreAddress {
  /// A directory, for a store in a file.
  case directory(String)
  /// The URL of a PostgreSQL server, which may have a password, so no message shows it.
  case server(String)

  /// - Throws: `UsageError` for a text that looks like the address of a server, and is no URL of PostgreSQL. The error
  ///   does not show the text, which may have a password.
  init(_ text: String) throws {
    let form = "postgres://user@host:port/database?schema=name"
    if let mark = text.firstRange(of: "://") {
      let scheme = text[..<mark.lowerBound].lowercased()
      guard ["postgres", "postgresql"].contains(scheme) else {
        let isName = !scheme.isEmpty && scheme.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        throw UsageError(
          "--store: expected a directory or \(form), found a URL"
            + (isName ? " with the scheme \(quoted(scheme))" : ""))
      }
      self = .server(scheme + text[mark.lowerBound...])
      return
    }
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    let isServer =
      words.contains { $0.hasPrefix("host=") || $0.hasPrefix("password=") }
      || ["postgres:", "postgresql:"].contains { text.lowercased().hasPrefix($0) }
    guard !isServer || System.exists(text) else {
      throw UsageError("--store: expected a directory; write the address of a server as \(form)")
    }
    if [".sqlite", ".sqlite3"].contains(where: text.lowercased().hasSuffix) {
      throw UsageError("no store for SQLite databases yet, for which names like \(quoted(text)) are kept")
    }
    self = .directory(text)
  }

  init(_ arguments: Arguments) throws { try self.init(try arguments.required("store")) }

  /// The directory, for a command that needs one.
  ///
  /// - Parameter hint: The command or option to use for a store on a server.
  func directory(or hint: String) throws -> String {
    switch self {
    case .directory(let path): return path
    case .server: throw UsageError("--store: expected a directory; \(hint) for a PostgreSQL server")
    }
  }

  var isServer: Bool { if case .server = self { true } else { false } }

  /// The name of the store in messages.
  var name: String {
    switch self {
    case .directory(let path): path
    case .server(let url): ServerStore.name(of: url)
    }
  }
}

#if Postgres
  /// A store on a server.
  enum ServerStore {
    /// - Parameter complain: Receives a line when a call has waited five seconds for a lock of another session.
    static func open(
      _ url: String, _ arguments: Arguments,
      complain: @escaping @Sendable (String) -> Void = { Output.complain([$0]) }
    ) throws -> PostgresStore {
      if let fault = PostgresStore.parameterFault(of: url) { throw UsageError("--store: \(fault)") }
      var configuration = PostgresStore.Configuration()
      configuration.lockWait = LockWait(after: .seconds(5), report: complain)
      configuration.isDryRun = arguments.has("dry-run")
      if let time = try arguments.seconds("statement-timeout") {
        configuration.statementTimeout = time
      }
      if let time = try arguments.seconds("lock-timeout") { configuration.lockTimeout = time }
      if let time = try arguments.seconds("wait-for-server") {
        configuration.startTimeout = time
        configuration.reconnectTimeout = max(configuration.reconnectTimeout, time)
      }
      do { return try PostgresStore(url, configuration: configuration) } catch let error as PostgresError {
        // The connection has not reached a server.
        if error.server == "?" { throw UsageError("--store: \(error.message)") }
        // The store itself has tried again, and the command does not.
        throw Failure("\(error)")
      }
    }

    /// Whether a repeat of a read may succeed.
    static func isTransient(_ error: any Error) -> Bool {
      (error as? PostgresError)?.isTransient ?? false
    }

    static func name(of url: String) -> String { PostgresStore.name(of: url) ?? "the PostgreSQL store" }

    static func existing(_ url: String, _ arguments: Arguments) throws -> PostgresStore {
      let store = try open(url, arguments)
      try store.requireStore()
      return store
    }
  }
#else
  /// A store on a server, which this build of the tool does not have.
  enum ServerStore {
    static func open(
      _ url: String, _ arguments: Arguments, complain: (@Sendable (String) -> Void)? = nil
    ) throws -> LMDBStore {
      throw UsageError(
        "--store: this fastmap was built without PostgreSQL; build it with swift build --traits Postgres")
    }

    static func name(of url: String) -> String { "the PostgreSQL store" }

    static func existing(_ url: String, _ arguments: Arguments) throws -> LMDBStore {
      try open(url, arguments)
    }

    static func isTransient(_ error: any Error) -> Bool { false }
  }
#endif
