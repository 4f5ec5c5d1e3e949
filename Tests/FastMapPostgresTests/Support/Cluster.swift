#if Postgres
  import FastMapSystem
  import TestSupport
  import Testing

  /// A server for the tests of this process: the server of `FASTMAP_POSTGRES`, or a throw-away one.
  enum Cluster {
    /// A connection string; nil if there is no server, and none can be started.
    static let connection: String? = {
      if let given = getenv("FASTMAP_POSTGRES") { return String(cString: given) }
      return throwaway?.address
    }()

    private static let throwaway = try? ThrowawayCluster()

    static var isAvailable: Bool { connection != nil }

    /// The coordinator of a Citus cluster; nil if `FASTMAP_CITUS` names none. Tables have four shards, because a test makes
    /// many.
    static let citus: String? = getenv("FASTMAP_CITUS").map {
      let given = String(cString: $0)
      return given + (given.contains("?") ? "&" : "?") + "options=-c%20citus.shard_count%3D4"
    }

    /// Whether pgbouncer is installed.
    static let hasPooler: Bool = {
      let scratch = Scratch()
      let words = ["/bin/sh", "-c", "PATH=$PATH:/usr/sbin command -v pgbouncer"]
      return (try? Program.run(words, streams: scratch.path))?.status == 0
    }()

    /// Whether servers can be started, killed and promoted.
    static let canStartServers: Bool = {
      let scratch = Scratch()
      let run = try? Program.run([ThrowawayCluster.script, "find"], streams: scratch.path)
      return run?.status == 0
    }()
  }

  extension Trait where Self == ConditionTrait {
    /// For tests that need a server.
    static var needsServer: Self {
      .enabled(
        if: Cluster.isAvailable,
        "skipped: no PostgreSQL server is installed, and FASTMAP_POSTGRES names none")
    }

    /// For tests that start, kill or promote servers of their own.
    static var needsOwnServers: Self {
      .enabled(if: Cluster.canStartServers, "skipped: no PostgreSQL server is installed")
    }

    /// For tests behind a pooler.
    static var needsPooler: Self {
      .enabled(
        if: Cluster.canStartServers && Cluster.hasPooler,
        "skipped: PostgreSQL's server or pgbouncer is not installed")
    }

    /// For tests on several nodes.
    static var needsCitus: Self {
      .enabled(if: Cluster.citus != nil, "skipped: FASTMAP_CITUS names no coordinator")
    }
  }
#endif
