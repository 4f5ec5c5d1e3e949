import FastMapSystem
import TestSupport
import Testing

/// A directory of a test's own, where the tool runs; removed with the last reference.
///
///     work/      the files of the test
///     streams/   standard input, output and error of the runs
final class Workspace {
  private let scratch = Scratch()
  private var streams: String { scratch.path("streams") }
  var path: String { scratch.path("work") }

  /// Makes the directory, with the mapping file that most tests use, and a store if it has something to hold.
  init(holding json: String? = nil, as mapping: String = "Person") throws {
    mkdir(path, 0o755)
    mkdir(streams, 0o755)
    try write(Self.mappings, to: "mappings.json")
    if let json { #expect(try importing(json, as: mapping).status == 0) }
  }

  private func absolute(_ name: String) -> String { name.hasPrefix("/") ? name : path + "/" + name }

  /// The names in the directory, or in one inside of it.
  func names(in directory: String = ".") -> [String] { Files.names(in: absolute(directory)) }

  func write(_ text: String, to name: String) throws { try scratch.write(text, to: absolute(name)) }

  func bytes(of name: String) throws -> [UInt8] { try Files.bytes(of: absolute(name)) }

  func makeDirectory(_ name: String) { mkdir(absolute(name), 0o755) }

  /// Overwrites bytes in the middle of a file.
  func patch(_ name: String, at offset: Int, with bytes: [UInt8]) throws {
    guard let file = fopen(absolute(name), "r+") else {
      throw CallError(call: "fopen \(name)", code: errno)
    }
    defer { fclose(file) }
    fseek(file, offset, SEEK_SET)
    fwrite(bytes, 1, bytes.count, file)
  }

  // MARK: Runs

  /// Runs the tool in the directory.
  @discardableResult
  func fastmap(_ arguments: String..., input: String? = nil) throws -> Program.Run {
    try run([FastMapTool.path] + arguments, input: input)
  }

  /// Runs a line of shell, in which `fastmap` is the tool.
  func shell(_ line: String) throws -> Program.Run {
    try run(["/bin/sh", "-c", "fastmap() { \(inShell(FastMapTool.path)) \"$@\"; }; \(line)"])
  }

  func run(_ words: [String], input: String? = nil) throws -> Program.Run {
    let file = streams + "/input"
    if let input { try write(input, to: file) }
    return try Program.run(words, in: path, input: input == nil ? "/dev/null" : file, streams: streams)
  }

  /// Imports into the store `people.db`.
  @discardableResult
  func importing(
    _ input: String, as mapping: String = "Person", _ options: String...
  ) throws -> Program.Run {
    let call = [
      FastMapTool.path, "import", "--store", "people.db", "--mappings", "mappings.json", "--as", mapping,
    ]
    return try run(call + options, input: input)
  }

  /// Exports from the store `people.db`.
  func exporting(_ mapping: String = "Person", _ options: String...) throws -> Program.Run {
    let call = [
      FastMapTool.path, "export", "--store", "people.db", "--mappings", "mappings.json", "--as", mapping,
    ]
    return try run(call + options)
  }

  /// Gets an object from the store `people.db`.
  func getting(_ key: String, as mapping: String = "Person", _ options: String...) throws -> Program.Run {
    let call = [
      FastMapTool.path, "get", "--store", "people.db", "--mappings", "mappings.json", "--as", mapping,
    ]
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

extension Program.Run {
  /// Expects an exit status, and these lines on standard error.
  func expect(
    _ status: Int32, complaints: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(self.status == status, sourceLocation: sourceLocation)
    #expect(errors == complaints.map { $0 + "\n" }.joined(), sourceLocation: sourceLocation)
  }
}

/// The path for a shell.
func inShell(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
