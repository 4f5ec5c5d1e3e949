import Foundation

/// Public JSON texts outside the package. `FASTMAP_CORPORA` names their directory; the default is `../shared/corpora`
/// beside the package. The files are in it or in its directory `real`.
enum Corpora {
  /// The text of a file; nil if it is missing.
  static func text(_ name: String) -> [UInt8]? {
    directories.lazy.compactMap { FileManager.default.contents(atPath: $0 + "/" + name) }.first.map(
      Array.init)
  }

  private static let directories: [String] = {
    let named = ProcessInfo.processInfo.environment["FASTMAP_CORPORA"]
    let places = named.map { [$0] } ?? [Options.package + "/../../shared/corpora", "../shared/corpora"]
    return places.flatMap { [$0, $0 + "/real"] }
  }()
}

/// A workload that cannot be created here.
struct Skipped: Error, CustomStringConvertible {
  let description: String
}

extension Corpora {
  static func needed(_ name: String) throws(Skipped) -> [UInt8] {
    guard let text = text(name) else {
      throw Skipped(description: "\(name) is not there; FASTMAP_CORPORA names a directory that has it")
    }
    return text
  }
}
