import FastMapSystem

/// The files that tests read.
package enum Files {
  /// The directory of the package.
  package static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

  /// The public test data, which is no part of the package; nil where it is not on this machine.
  package static let corpora: String? = {
    let path = getenv("FASTMAP_CORPORA").map { String(cString: $0) } ?? root + "/../shared/corpora"
    return names(in: path).isEmpty ? nil : path
  }()

  /// The real documents; nil where they are not on this machine.
  package static let realDocuments = corpora.map { $0 + "/real" }

  package static func bytes(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw CallError(call: "fopen \(path)", code: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
  }

  /// The names in a directory, ascending; none where it cannot be read.
  package static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
