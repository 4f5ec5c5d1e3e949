import Foundation

/// A directory for stores that is removed with its contents when this object is released.
///
/// It is next to the executable, so it is on the disk of the build. On a file system in memory, commits would be
/// free.
final class Folder {
  private let path: String

  /// The executable's directory, with a slash at its end.
  static let parent: String = {
    let executable =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: executable).deletingLastPathComponent().path + "/"
  }()

  init() throws {
    path = Self.parent + "stores-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a subject's new store. A previous store is removed.
  func newPath(_ name: String) throws -> String {
    let place = path + "/" + name
    if FileManager.default.fileExists(atPath: place) { try FileManager.default.removeItem(atPath: place) }
    return place
  }

  /// An empty directory for a subject. A previous one is removed.
  func newDirectory(_ name: String) throws -> String {
    let place = try newPath(name)
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    return place
  }

  /// The disk space of all files, without holes.
  var byteCount: Int {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.reduce(0) { sum, name in
      var status = stat()
      guard stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return sum }
      return sum + Int(status.st_blocks) * 512
    }
  }
}
