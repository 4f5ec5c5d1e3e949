#if Postgres
  import FastMapSystem
  import TestSupport

  /// A server of a test's own, with a replica or a small disk if wanted. It ends with its last reference or with the
  /// process.
  final class ThrowawayCluster: Sendable {
    static let script = Files.root + "/scripts/postgres-cluster"

    /// The connection string of the server.
    let address: String
    /// The replica alone.
    let replica: String?
    /// Both servers; a connection goes to the server that takes writes.
    let hosts: String?
    /// A database on a small disk; nil where none can be made.
    let disk: String?
    /// pgbouncer in transaction mode before the server.
    let pooler: String?
    private let directory: String
    private let scratch = Scratch()

    /// - Parameter options: As `scripts/postgres-cluster` takes them.
    init(_ options: String...) throws {
      // The server may run as another user.
      chmod(scratch.path, 0o711)
      directory = scratch.path + "/cluster"
      let lines = try Self.run(["start", "--with", "\(getpid())"] + options + [directory])
      func setting(_ name: String) -> String? {
        let start = "export \(name)='"
        return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count).dropLast()) }
      }
      guard let address = setting("FASTMAP_POSTGRES") else {
        throw CallError(call: "\(Self.script) start, which prints no address", code: 0)
      }
      self.address = address
      replica = setting("FASTMAP_POSTGRES_REPLICA")
      hosts = setting("FASTMAP_POSTGRES_HOSTS")
      disk = setting("FASTMAP_POSTGRES_DISK")
      pooler = setting("FASTMAP_POSTGRES_POOLER")
    }

    deinit { _ = try? Self.run(["stop", directory]) }

    enum Node: String { case primary, replica }

    /// Ends all processes of a server at once.
    func kill(_ node: Node = .primary) throws {
      _ = try Self.run(["kill", directory, node.rawValue])
    }

    /// Starts a killed server again.
    func restart(_ node: Node = .primary) throws {
      _ = try Self.run(["restart", directory, node.rawValue])
    }

    /// Lets the replica take writes.
    func promote() throws { _ = try Self.run(["promote", directory]) }

    private static func run(_ words: [String]) throws -> [String] {
      // Calls may overlap, so each has streams of its own.
      let streams = Scratch()
      let run = try Program.run(["/bin/sh", script] + words, streams: streams.path)
      guard run.status == 0 else {
        throw CallError(call: "\(script) \(words[0]): \(run.errors)", code: run.status)
      }
      return run.lines
    }
  }
#endif
