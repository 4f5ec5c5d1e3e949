import Foundation

/// A temporary directory that is removed with its contents when this object is released.
final class Scratch {
  let path: String
  var store: String { path + "/store" }
  var dataFile: String { store + "/data.mdb" }

  /// - Parameter isInMemory: Whether it may be on a file system in memory, where commits are free.
  init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let usesMemory = isInMemory && access(memory, W_OK) == 0
    let parent = usesMemory ? memory : NSTemporaryDirectory()
    path = parent + (parent.hasSuffix("/") ? "" : "/") + "fastmap-torture-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    // A campaign takes permissions away.
    chmod(store, 0o700)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Removes a store.
  func clear(_ store: String) {
    chmod(store, 0o700)
    try? FileManager.default.removeItem(atPath: store)
  }

  /// Replaces one store by a copy of another.
  func copy(_ store: String, to other: String) throws {
    clear(other)
    try FileManager.default.copyItem(atPath: store, toPath: other)
  }
}

/// Reads and writes files with as few calls as possible.
enum File {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func bytes(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Failure(description: "open \(path): \(errno)") }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else {
      throw Failure(description: "pread \(path): \(errno)")
    }
    return bytes
  }

  /// Writes in place, and truncates a longer file.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw Failure(description: "open \(path): \(errno)") }
    defer { close(descriptor) }
    guard ftruncate(descriptor, off_t(bytes.count)) == 0,
      pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    else { throw Failure(description: "pwrite \(path): \(errno)") }
  }
}
