/// JSON to read piece by piece: a file, a pipe, a socket.
///
///     let report = try mapper.importJSON(.file("people.ndjson"), as: Person.mapping)
///     let report = try mapper.importJSON(.descriptor(STDIN_FILENO), as: Person.mapping)
///     let report = try mapper.importJSON(.files(["page-1.json", "page-2.json"]), as: Person.mapping)
///
/// Text in memory needs none: it is a ``JSONSource``.
public enum JSONInput: Hashable, Sendable {
  /// The file at a path, which must not change during the import. A pipe is imported as data arrives.
  case file(String)
  /// Files that are one payload, in this order: one transaction, one report. Each is a document of its own, in JSON or NDJSON.
  /// An input without the root path adds nothing, and a note of the report names it.
  case files([String])
  /// A file, a pipe or a socket that is open for reading. The caller closes it. The descriptor may be non-blocking.
  /// The name stands in messages.
  case descriptor(Int32, name: String = "input")
}
