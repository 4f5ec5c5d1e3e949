import FastMapStoreTesting
import FastMapSystem

/// A directory of a test's own, which goes with its last reference, and all in it.
package final class Scratch: Sendable {
  package let path: String

  /// Where directories of tests are: on the disk, or if small in memory, where a sync costs nothing, if there is room.
  private static let parent: String = {
    guard case .small = TestSize.current else { return "/tmp" }
    var volume = statvfs()
    let hasRoom =
      statvfs("/dev/shm", &volume) == 0 && access("/dev/shm", W_OK | X_OK) == 0
      && UInt64(volume.f_bavail) * UInt64(volume.f_frsize) >= 2 << 30
    return hasRoom ? "/dev/shm" : "/tmp"
  }()

  package init() {
    var template = Array((Self.parent + "/fastmap-XXXXXX").utf8CString)
    precondition(mkdtemp(&template) != nil, "no directory can be made in \(Self.parent)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      chmod(path, 0o700)
      for name in Files.names(in: path) { remove(path + "/" + name) }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  /// The path of a name in the directory; an absolute path as it is.
  package func path(_ name: String) -> String { name.hasPrefix("/") ? name : path + "/" + name }

  /// The names in the directory, or in one inside of it.
  package func names(in directory: String = ".") -> [String] { Files.names(in: path(directory)) }

  package func bytes(of name: String) throws -> [UInt8] { try Files.bytes(of: path(name)) }

  package func text(of name: String) throws -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }

  package func write(_ text: String, to name: String) throws {
    guard let file = fopen(path(name), "w") else { throw CallError(call: "fopen \(name)", code: errno) }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw CallError(call: "fwrite \(name)", code: errno)
    }
  }
}

/// Something that the system would not do.
package struct CallError: Error {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}
