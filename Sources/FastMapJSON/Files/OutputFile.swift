internal import FastMapSystem

/// A new file that replaces another one when it is complete. Until then, the other file is unchanged.
package struct OutputFile: ~Copyable {
  private let path: String
  /// The path of the complete file, with links resolved.
  private let target: String
  private let temporary: String
  private let descriptor: Int32
  private var isInPlace = false

  /// Creates the new file in the directory of the file to replace.
  ///
  /// - Throws: ``SystemError`` if that fails, or if `path` exists and is not a regular file.
  package init(_ path: String) throws(SystemError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      throw SystemError(path: path, reason: "is not a regular file; only regular files can be replaced")
    }
    // To replace the link would leave its target unchanged.
    let target = exists ? realPath(path) ?? path : path
    let temporary = directory(of: target) + ".fastmap-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw SystemError(path: path, reason: systemMessage(errno)) }
    if exists { fchmod(descriptor, status.st_mode & 0o777) }
    (self.path, self.target, self.temporary, self.descriptor) = (path, target, temporary, descriptor)
  }

  deinit {
    close(descriptor)
    if !isInPlace { unlink(temporary) }
  }

  /// Writes all of `bytes`, borrowed for the call.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = FastMapSystem.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno != EINTR {
        throw lastError()
      }
    }
  }

  /// Syncs the new file to disk and renames it to its final name.
  package consuming func replaceTarget() throws(SystemError) {
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw lastError() }
    }
    FileStep.didSync(descriptor)
    guard rename(temporary, target) == 0 else { throw lastError() }
    isInPlace = true
    FileStep.didName(target)
    // Syncing the directory is best effort: the file is complete, whether or not that succeeds.
    let directory = open(directory(of: target), O_RDONLY | O_CLOEXEC)
    if directory >= 0 {
      if fsync(directory) == 0 { FileStep.didSync(directory) }
      close(directory)
    }
  }

  private borrowing func lastError() -> SystemError { SystemError(path: path, reason: systemMessage(errno)) }
}

/// The directory, with a slash at the end.
private func directory(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
}

private func realPath(_ path: String) -> String? {
  guard let text = realpath(path, nil) else { return nil }
  defer { free(text) }
  return String(cString: text)
}
