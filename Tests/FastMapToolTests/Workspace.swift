import FastMapSystem
import ToolTesting

/// A directory of a test's own, in which the tool runs; removed with the last reference.
///
///     work/      what the test sees
///     streams/   standard input, output and error of the runs
final class Workspace {
  private let root: String
  var path: String { root + "/work" }

  /// Makes the directory, with the mapping file that most tests use.
  init() throws {
    var template = Array("/tmp/fastmap-tool-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
    guard made else { throw SpawnError(what: "mkdtemp", code: errno) }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    mkdir(root + "/work", 0o755)
    mkdir(root + "/streams", 0o755)
    try write(Self.mappings, to: "mappings.json")
  }

  deinit { Self.remove(root) }

  private static func remove(_ path: String) {
    for name in names(in: path) { remove(path + "/" + name) }
    if rmdir(path) != 0 { unlink(path) }
  }

  private static func names(in directory: String) -> [String] {
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

  /// The names in the directory, or in one inside of it.
  func names(in directory: String = ".") -> [String] { Self.names(in: path + "/" + directory) }

  func write(_ text: String, to name: String) throws {
    guard let file = fopen(absolute(name), "w") else { throw SpawnError(what: "fopen \(name)", code: errno) }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw SpawnError(what: "fwrite \(name)", code: errno)
    }
  }

  func makeDirectory(_ name: String) { mkdir(absolute(name), 0o755) }

  private func absolute(_ name: String) -> String { name.hasPrefix("/") ? name : path + "/" + name }

  func bytes(of name: String) throws -> [UInt8] {
    guard let file = fopen(absolute(name), "r") else { throw SpawnError(what: "fopen \(name)", code: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
  }

  /// Overwrites bytes in the middle of a file.
  func patch(_ name: String, at offset: Int, with bytes: [UInt8]) throws {
    guard let file = fopen(absolute(name), "r+") else { throw SpawnError(what: "fopen \(name)", code: errno) }
    defer { fclose(file) }
    fseek(file, offset, SEEK_SET)
    fwrite(bytes, 1, bytes.count, file)
  }

  // MARK: Runs

  /// Runs the tool in the directory.
  @discardableResult
  func fastmap(_ arguments: String..., input: String? = nil) throws -> Run {
    try run([toolPath] + arguments, input: input)
  }

  /// Runs a line of shell, in which `fastmap` is the tool.
  func shell(_ line: String) throws -> Run {
    try run(["/bin/sh", "-c", "fastmap() { \(inShell(toolPath)) \"$@\"; }; \(line)"])
  }

  func run(_ words: [String], input: String? = nil) throws -> Run {
    let streams = root + "/streams/"
    if let input { try write(input, to: streams + "input") }
    let status = try spawn(
      words, in: path, input: input == nil ? "/dev/null" : streams + "input", output: streams + "output",
      errors: streams + "errors")
    return Run(
      status: status, output: String(decoding: try bytes(of: streams + "output"), as: UTF8.self),
      errors: String(decoding: try bytes(of: streams + "errors"), as: UTF8.self))
  }

  /// Imports into the store `people.db`.
  @discardableResult
  func importing(
    _ input: String, as mapping: String = "Person", _ options: String...
  ) throws -> Run {
    let call = [toolPath, "import", "--store", "people.db", "--mappings", "mappings.json", "--as", mapping]
    return try run(call + options, input: input)
  }

  /// Exports from the store `people.db`.
  func exporting(_ mapping: String = "Person", _ options: String...) throws -> Run {
    let call = [toolPath, "export", "--store", "people.db", "--mappings", "mappings.json", "--as", mapping]
    return try run(call + options)
  }

  /// Gets an object from the store `people.db`.
  func getting(_ key: String, as mapping: String = "Person", _ options: String...) throws -> Run {
    let call = [toolPath, "get", "--store", "people.db", "--mappings", "mappings.json", "--as", mapping]
    return try run(call + options + ["--", key])
  }

  static let mappings = """
    {"fastmap": 1, "mappings": {
      "Person": {
        "primaryKey": "id",
        "attributes": {"id": "integer", "name": "string", "price": "number"},
        "relationships": {
          "car": {"mapping": "Car"},
          "phones": {"mapping": "Phone", "toMany": true},
          "boss": {"mapping": "Person"}
        }
      },
      "PersonRef": {
        "entity": "Person", "primaryKey": "id",
        "attributes": {"id": {"type": "integer", "keyPath": null}}
      },
      "Car": {
        "primaryKey": "plate",
        "attributes": {"plate": "string", "city": {"type": "string", "keyPath": "address.city"}},
        "relationships": {"drivers": {"mapping": "PersonRef", "toMany": true}}
      },
      "Phone": {"attributes": {"number": "string"}},
      "Note": {"rootPath": "result.notes", "attributes": {"text": "string"}}
    }}
    """
}
