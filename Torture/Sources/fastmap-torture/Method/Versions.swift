import Foundation

/// The versions of FastMap, Swift and LMDB in a run.
struct Versions: Codable {
  /// FastMap's commit, with "with changes" if the sources differ from it; "unknown" outside git.
  var commit: String
  var swift: String
  var lmdb: String

  static func current() -> Versions { Versions(commit: commitNow(), swift: swiftNow(), lmdb: lmdbNow()) }

  var words: String { "commit \(commit); Swift \(swift), LMDB \(lmdb)" }

  private static func commitNow() -> String {
    let package = URL(fileURLWithPath: Options.package).deletingLastPathComponent().path
    let git = "git -C '\(package)'"
    guard let commit = output(of: "\(git) rev-parse --short=12 HEAD"), !commit.isEmpty else {
      return "unknown"
    }
    let sources = "Package.swift Sources Torture/Package.swift Torture/Sources"
    let changes = output(of: "\(git) status --porcelain -- \(sources)")
    return commit + (changes == "" ? "" : " with changes")
  }

  /// The compiler in the path, which has just built this program.
  private static func swiftNow() -> String {
    let words = (output(of: "swift --version") ?? "").split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(of: "version"), place + 1 < words.count else { return "unknown" }
    return String(words[place + 1])
  }

  private static func lmdbNow() -> String {
    typealias Numbers =
      @convention(c) (
        UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>
      ) -> UnsafePointer<CChar>?
    guard let symbol = dlsym(nil, "mdb_version") else { return "unknown" }
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    _ = unsafeBitCast(symbol, to: Numbers.self)(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }

  /// The output of a command; nil if it is missing or fails. Does not use `Process`, which starts threads, because
  /// campaigns fork.
  private static func output(of command: String) -> String? {
    guard let pipe = popen("unset LD_PRELOAD; \(command) 2>/dev/null", "r") else { return nil }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { text += buffer[..<count] }
    guard pclose(pipe) == 0 else { return nil }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
