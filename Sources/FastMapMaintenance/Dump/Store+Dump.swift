extension Store {
  /// Writes the whole store as NDJSON: entities, fields, objects, values and links.
  ///
  ///     try store.dump { bytes in try file.write(bytes) }
  ///
  /// A dump needs no mappings. It includes data that exports leave out: unreachable objects, all relationships, and
  /// fields that mappings no longer have. Every store loads it: ``load(dump:)``. See docs/DUMP.md for the format. Others may
  /// read and write meanwhile; the dump shows one commit.
  ///
  /// - Parameter write: Receives the text, UTF-8, in pieces of about 64 KiB, borrowed for the call.
  /// - Throws: ``DumpError`` if the store cannot tell its entities, if its reads are not of one snapshot, or if an import
  ///   in several commits is not over. Errors of the store and of `write`.
  /// - Complexity: O(*n* log *n*) in the objects and links. Memory for a page of objects, and for at most 16 bytes for each
  ///   object that relationships may have. Consecutive numbers take 16 bytes together.
  public func dump(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    try refuseManySnapshots()
    try withoutActuallyEscaping(write) { write in
      try read(Schema(entities: [])) { reader in
        var dumper = try Dumper(&reader, to: write)
        try dumper.run(&reader)
      }
    }
  }

  /// Writes the whole store into a file. The complete file replaces an existing one.
  ///
  ///     try store.dump(to: "people.dump")
  ///
  /// - Parameter path: The file.
  /// - Throws: As ``dump(_:)``, and ``SystemError``. An existing file is unchanged then.
  public func dump(to path: String) throws {
    var file = try OutputFile(path)
    try dump { try file.write($0) }
    try file.replaceTarget()
  }

  func refuseManySnapshots() throws {
    guard !capabilities.readsOneSnapshot else { return }
    throw DumpError(
      "dump and load need a store that reads one snapshot; move the objects with export and import")
  }
}

extension DumpError {
  /// A fault of the store itself.
  init(_ reason: String) { self.init(file: "the store", reason) }
}
