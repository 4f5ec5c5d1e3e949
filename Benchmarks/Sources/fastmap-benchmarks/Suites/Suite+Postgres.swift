extension Suite {
  /// The store in PostgreSQL; none in a build without the trait.
  static var postgres: [Suite] {
    #if Postgres
      [postgresImport, postgresAgain, postgresUpdate, postgresExport, postgresWriters]
    #else
      []
    #endif
  }

  #if Postgres
    private static func families(
      _ name: String, _ title: String, _ candidates: [Candidate<PostgresFamilies>]
    ) -> Suite {
      Suite(
        name, title, base: "psql-copy", size: Size(10_000), candidates,
        counts: { ($0.families.parentCount, $0.families.objectCount, $0.families.json.count) }
      ) { try PostgresFamilies(parents: $0, $1) }
    }

    private static var postgresImport: Suite {
      families(
        "postgres-import", "parents with 10 children each, into empty tables of PostgreSQL",
        [
          Candidate("fastmap-postgres", "FastMap: JSON → new store") { workload, _ in
            FastMapPostgresImport(workload: workload)
          },
          Candidate("psql-copy", "by hand: COPY and upserts of ready text") { workload, _ in
            PsqlImport(workload: workload)
          },
          Candidate("psql-copy-relational", "by hand, with foreign keys and an index of children") {
            workload, _ in
            PsqlImport(workload: workload, isRelational: true)
          },
          Candidate("jsondecoder-postgres", "JSONDecoder → prepared upserts") { workload, _ in
            FoundationPostgres(workload: workload)
          },
          Candidate("jsondecoder-postgres-pipeline", "JSONDecoder → prepared upserts, in a pipeline") {
            workload, _ in
            FoundationPostgres(workload: workload, isPipelined: true)
          },
        ])
    }

    private static var postgresAgain: Suite {
      families(
        "postgres-again", "parents with 10 children each, the same as before",
        [
          Candidate("fastmap-postgres", "FastMap: JSON → store") { workload, _ in
            try FastMapPostgresAgain(workload)
          },
          Candidate("psql-copy", "by hand: COPY and upserts of ready text") { workload, _ in
            try PsqlAgain(workload)
          },
          Candidate("psql-copy-new", "by hand: the first import, for comparison") { workload, _ in
            PsqlImport(workload: workload)
          },
        ])
    }

    private static var postgresUpdate: Suite {
      families(
        "postgres-update-all", "parents with 10 children each, all different",
        [
          Candidate("fastmap-postgres", "FastMap: JSON → store") { workload, _ in
            try FastMapPostgresUpdate(workload)
          },
          Candidate("psql-copy", "by hand: COPY and upserts of ready text") { workload, folder in
            try PsqlUpdate(workload, folder)
          },
        ])
    }

    private static var postgresExport: Suite {
      Suite(
        "postgres-export", "parents with 10 children each, from PostgreSQL into a file", base: "psql-copy",
        size: Size(10_000),
        [
          Candidate("fastmap-postgres", "FastMap: store → NDJSON") { stored, _ in
            FastMapPostgresExport(stored)
          },
          Candidate("psql-copy", "by hand: COPY of both tables as text") { stored, _ in
            PsqlExport(stored)
          },
          Candidate("psql-json", "by hand: json_build_object, json_agg") { stored, _ in
            PsqlJSONExport(stored)
          },
        ],
        counts: {
          let families = $0.workload.families
          return (families.parentCount, families.objectCount, families.json.count)
        }
      ) { try StoredPostgresFamilies(parents: $0, $1) }
    }

    private static var postgresWriters: Suite {
      func writers(
        _ name: String, _ title: String, _ processes: Int, _ threads: Int
      ) -> Candidate<(payloads: OverlappingPayloads, server: PostgresServer)> {
        Candidate(name, title) { workload, _ in
          PostgresWriters(
            payloads: workload.payloads, server: workload.server, processes: processes, threads: threads)
        }
      }
      return Suite(
        "postgres-writers",
        "parents with 10 children each, in imports of \(OverlappingPayloads.parentsEach) that share half with their neighbours",
        base: "one-writer", size: Size(4000),
        [
          writers("one-writer", "FastMap: one writer", 1, 1),
          writers("4-writers", "FastMap: 4 writers in 4 processes", 4, 1),
          writers("16-writers", "FastMap: 16 writers in 4 processes", 4, 4),
        ], counts: { ($0.payloads.rootCount, $0.payloads.objectCount, $0.payloads.byteCount) }
      ) { size, _ in (try OverlappingPayloads(parents: size), try PostgresServer()) }
    }
  #endif
}
