#if Postgres
  import FastMapSystem
  import TestSupport
  import Testing

  /// A server for the tests of this process: that of `FASTMAP_POSTGRES`, or a throw-away one.
  enum Cluster {
    /// A connection string; nil if there is no server, and none can be started.
    static let connection: String? = {
      if let given = getenv("FASTMAP_POSTGRES") { return String(cString: given) }
      return start()
    }()

    static var isAvailable: Bool { connection != nil }

    /// Starts a server that ends with this process.
    private static func start() -> String? {
      let scratch = Scratch()
      let words = ["/bin/sh", "-c", script, Files.root + "/scripts/postgres-cluster", "\(getpid())"]
      guard let run = try? Program.run(words, streams: scratch.path), run.status == 0 else { return nil }
      return run.lines.last
    }

    private static let script = """
      set -eu
      directory=$(mktemp -d /tmp/fastmap-postgres-XXXXXX)
      chmod 711 "$directory"  # the server runs as another user
      settings=$("$0" start --set max_connections=200 "$directory/cluster")
      (
        while kill -0 "$1" 2>/dev/null; do sleep 1; done
        "$0" stop "$directory/cluster"
        rm -rf "$directory"
      ) </dev/null >/dev/null 2>&1 &
      eval "$settings"
      echo "$FASTMAP_POSTGRES"
      """
  }

  extension Trait where Self == ConditionTrait {
    /// For tests that need a server.
    static var needsServer: Self {
      .enabled(
        if: Cluster.isAvailable,
        "skipped: no PostgreSQL server is installed, and FASTMAP_POSTGRES names none")
    }
  }
#endif
