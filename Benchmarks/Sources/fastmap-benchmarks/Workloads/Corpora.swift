import Foundation

/// Public JSON texts that are not in the package: a directory named by `FASTMAP_CORPORA`, else `../shared/corpora`
/// beside the package, with the files in it or in its directory `real`.
enum Corpora {
  /// The text of a file; nil where it is not there.
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

/// A workload that cannot be made here.
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
