import FastMapCore
import FastMapSystem

/// The payloads that a command's words name: files, the files of folders, and `-` for standard input.
///
///     fastmap import shop.db pages today.ndjson.gz -
enum PayloadNames {
  private static let endings = [".json", ".ndjson", ".jsonl"]

  /// The files in the order of the words. The files of a folder ascend by the bytes of their names.
  ///
  /// - Throws: ``UsageError`` for a store, and for a folder without such files; ``SystemError`` for a folder that cannot be read.
  static func files(_ words: [String]) throws -> [String] {
    if let url = words.first(where: { $0.hasPrefix("postgres://") || $0.hasPrefix("postgresql://") }) {
      throw UsageError(
        "\(ServerStore.name(of: url)) is a store, expected a file or a folder with files of JSON")
    }
    if words.count(where: { $0 == "-" }) > 1 { throw UsageError("-, standard input, is given twice") }
    return try words.flatMap { $0 != "-" && isFolder($0) ? try files(inFolder: $0) : [$0] }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func files(inFolder folder: String) throws -> [String] {
    if System.exists(folder + "/data.mdb") {
      throw UsageError("\(escaped(folder)) is a store, expected a file or a folder with files of JSON")
    }
    guard let stream = opendir(folder) else { throw SystemError(path: folder, reason: systemMessage(errno)) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw SystemError(
          path: folder,
          reason: "expected names in UTF-8, found \(quoted(String(decoding: bytes, as: UTF8.self)))")
      }
      let plain = name.lowercased()
      let isPayload = endings.contains { plain.hasSuffix($0) || plain.hasSuffix($0 + ".gz") }
      if isPayload, !name.hasPrefix("."), !isFolder("\(folder)/\(name)") { names.append(name) }
    }
    if names.isEmpty {
      throw UsageError(
        "\(escaped(folder)): expected files that end in \(list(endings, conjunction: "or")), or so with .gz, found none"
      )
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return names.map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
  }
}
