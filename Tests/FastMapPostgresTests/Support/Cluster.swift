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
      guard
        let run = try? Program.run(
          ["/bin/sh", "-c", script, "cluster", "\(getpid())"], streams: scratch.path),
        run.status == 0, let line = run.lines.last
      else { return nil }
      return line
    }

    /// Prints the connection string. As root, the server runs as the user `postgres`, because it refuses root.
    private static let script = """
      set -eu
      bin=$(ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin 2>/dev/null | tail -n 1)
      [ -x "$bin/initdb" ] || { echo "no PostgreSQL server is installed" >&2; exit 1; }
      dir=$(mktemp -d /tmp/fastmap-postgres-XXXXXX)
      as=""
      if [ "$(id -u)" = 0 ]; then chown postgres "$dir"; as="runuser -u postgres --"; fi
      cd "$dir"
      $as "$bin/initdb" --no-sync --auth trust --encoding UTF8 --locale C.UTF-8 --username postgres -D "$dir/data" >&2
      for try in 1 2 3 4 5; do
        port=$((20000 + ($$ * 7 + try * 1009) % 20000))
        $as "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -o "-F -p $port -k $dir -h 127.0.0.1 -N 200 \\
          -c full_page_writes=off -c synchronous_commit=off -c max_prepared_transactions=20" start >&2 </dev/null || continue
        (
          while kill -0 "$1" 2>/dev/null; do sleep 1; done
          $as "$bin/pg_ctl" -D "$dir/data" -m immediate stop
          rm -rf "$dir"
        ) </dev/null >/dev/null 2>&1 &
        echo "postgres://postgres@127.0.0.1:$port/postgres"
        exit 0
      done
      exit 1
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
