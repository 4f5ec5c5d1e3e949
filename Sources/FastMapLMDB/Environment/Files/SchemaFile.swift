import FastMapSystem

/// The file beside the data that describes the schema, for `repair` alone.
///
/// A commit that changes the schema writes it first, so the file is never behind the data. The file may be ahead, if
/// that commit fails. The file is replaced in one step. Nothing requires it: without it, a repair has only the copies
/// in the data.
struct SchemaFile {
  static let name = "data.schema.json"
  /// Its name while it is written. Writers take turns, so a file of this name is left of a killed one.
  static let newName = ".data.schema.json"
  /// Repairs read no longer file.
  private static let mostBytes = 16 << 20

  /// The open directory, which may have moved since it was opened.
  let directory: CInt
  /// The store's path, for errors.
  let path: String

  /// Replaces the file.
  ///
  /// - Parameter data: The status of the data file, whose group and mode the file gets.
  /// - Throws: ``LMDBError``, of reason `diskFull` if there is no room. The old file is unchanged then.
  func write(_ text: [UInt8], like data: stat) throws(LMDBError) {
    unlinkat(directory, Self.newName, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(directory, Self.newName, flags, 0o600)
    guard file >= 0 else { throw .lastSystemError(at: path) }
    defer { close(file) }
    do throws(LMDBError) {
      try fill(file, text)
      _ = fchown(file, uid_t.max, data.st_gid)  // a group may share the store
      _ = fchmod(file, data.st_mode & 0o666)
      try FileSystem.sync(file, at: path)
      guard renameat(directory, Self.newName, directory, Self.name) == 0 else {
        throw .lastSystemError(at: path)
      }
      FileStep.didName(path + "/" + Self.name)
      try sync()
    } catch {
      unlinkat(directory, Self.newName, 0)
      throw error
    }
  }

  private func fill(_ file: CInt, _ text: [UInt8]) throws(LMDBError) {
    var done = 0
    while done < text.count {
      let count = text.withUnsafeBytes {
        pwrite(file, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw count < 0 ? .lastSystemError(at: path) : LMDBError(.diskFull, path: path) }
      done += count
    }
  }

  private func sync() throws(LMDBError) {
    let names = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard names >= 0 else { return }  // an unreadable directory cannot be synced
    defer { close(names) }
    try FileSystem.sync(names, at: path)
  }

  /// The contents of the file; nil if it is missing, too long, or not a file.
  func read() -> [UInt8]? {
    let file = openat(directory, Self.name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, FileSystem.kind(status) == .file, status.st_size <= Self.mostBytes else {
      return nil
    }
    return try? FileSystem.bytes(of: file, at: 0, count: Int(status.st_size), path: path)
  }

  /// Opens a directory by its path, for one use.
  static func `in`<R>(_ path: String, _ body: (SchemaFile) throws -> R) throws -> R {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw LMDBError.lastSystemError(at: path) }
    defer { close(directory) }
    return try body(SchemaFile(directory: directory, path: path))
  }
}

extension Environment {
  /// Writes the description of a schema, before the commit that needs it.
  ///
  /// - Parameter isNew: Whether the commit changes the schema. Otherwise the first commit of an environment replaces a
  ///   description that is missing or wrong, if it can.
  func describe(_ layout: StoreLayout, isNew: Bool) throws(LMDBError) {
    if !isNew, turn.isDescribed || !hasChanges { return }
    turn.isDescribed = true
    if layout.entities.isEmpty { return }
    if let file = files.missing { throw error(.removed(file: file)) }
    let file = SchemaFile(directory: files.directory, path: path)
    let text = layout.schemaText
    if file.read() == text { return }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .lastSystemError(at: path) }
    do throws(LMDBError) { try file.write(text, like: status) } catch {
      turn.isDescribed = false
      if isNew { throw error }
    }
  }
}
