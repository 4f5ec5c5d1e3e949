#if Postgres
  import Foundation

  /// A throw-away PostgreSQL server that a campaign starts, kills and restarts with scripts/postgres-cluster.
  final class TortureServer {
    private static let script =
      URL(fileURLWithPath: Options.package).deletingLastPathComponent().path + "/scripts/postgres-cluster"

    let address: String
    private let directory: String

    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    init() throws {
      directory = NSTemporaryDirectory() + "/fastmap-torture-postgres-" + UUID().uuidString
      let lines = try Self.run("start --with \(getpid()) '\(directory)'").split(separator: "\n")
      let name = "export FASTMAP_POSTGRES='"
      guard let line = lines.first(where: { $0.hasPrefix(name) }) else {
        throw Failure(description: "\(Self.script) prints no address")
      }
      address = String(line.dropFirst(name.count).dropLast())
    }

    deinit { _ = try? Self.run("stop '\(directory)'") }

    /// Ends all processes of the server at once.
    func kill() throws { _ = try Self.run("kill '\(directory)'") }

    /// Starts a killed server again. Returns once it takes connections.
    func restart() throws { _ = try Self.run("restart '\(directory)'") }

    /// Drops schemas with all that they have.
    func drop(_ schemas: [String]) { Self.drop(schemas, address) }

    /// The same on a server at an address.
    static func drop(_ schemas: [String], _ address: String) {
      let statement =
        "SET client_min_messages = warning; DROP SCHEMA IF EXISTS \(schemas.joined(separator: ", ")) CASCADE"
      guard let pipe = popen("psql -Xq '\(address)' -c '\(statement)' 2>&1", "r") else { return }
      if pclose(pipe) != 0 { Console.note("the schemas \(schemas) are still there") }
    }

    /// Does not use `Process`, which starts threads, because campaigns fork.
    private static func run(_ words: String) throws -> String {
      guard let pipe = popen("'\(script)' \(words) 2>&1", "r") else { throw Failure(description: "no pipe") }
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { text += buffer[..<count] }
      let words = String(decoding: text, as: UTF8.self)
      guard pclose(pipe) == 0 else { throw Failure(description: "\(script): \(words)") }
      return words
    }
  }
#endif
