import FastMapCore
import Foundation
import PlainJansson

/// A text that is read repeatedly, so that a small one takes a measurable time.
struct RepeatedText {
  let bytes: [UInt8]
  let count: Int

  /// - Parameter atLeast: The total number of bytes to read.
  init(_ bytes: [UInt8], atLeast: Int = 0) {
    self.bytes = bytes
    count = max(1, (atLeast + bytes.count - 1) / max(bytes.count, 1))
  }

  /// - Returns: The sum of the counts.
  func run(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows -> Int {
    try bytes.withUnsafeBytes { bytes in
      var sum = 0
      for _ in 0..<count { sum += try body(bytes) }
      return sum
    }
  }

  /// The required count of every reader: the elements of an array at the root, otherwise one value.
  var expectedCount: Int {
    run { bytes in
      let tree = json_loadb(bytes.baseAddress, bytes.count, 0, nil)
      defer { json_decref(tree) }
      return size(of: tree)
    }
  }
}

/// FastMap: JSON text into a tree, and the tree freed.
struct FastMapTree: Subject {
  let text: RepeatedText

  func prepare() throws -> () throws -> Int {
    {
      try text.run { bytes in
        let document = try JSONDocument(parsing: bytes)
        return document.withUnsafeTree { size(of: $0.assumingMemoryBound(to: json_t.self)) }
      }
    }
  }
}

/// jansson's own loader: JSON text into a tree, and the tree freed.
struct Jansson: Subject {
  let text: RepeatedText

  func prepare() throws -> () throws -> Int {
    {
      text.run { bytes in
        var failure = json_error_t()
        let tree = json_loadb(bytes.baseAddress, bytes.count, 0, &failure)
        defer { json_decref(tree) }
        return size(of: tree)
      }
    }
  }
}

/// Foundation's `JSONSerialization`: JSON text into dictionaries and arrays, dates and data left as strings.
struct FoundationSerialization: Subject {
  let json: Data
  let count: Int

  init(_ text: RepeatedText) {
    json = Data(text.bytes)
    count = text.count
  }

  func prepare() throws -> () throws -> Int {
    var root: Any?  // the last one is kept, as instances are
    return {
      var sum = 0
      for _ in 0..<count {
        root = try JSONSerialization.jsonObject(with: json)
        sum += (root as? [Any])?.count ?? 1
      }
      return sum
    }
  }
}

/// simdjson's tree (its DOM), as the limit of parsing: nothing in it can be kept or changed.
struct Simdjson: Subject {
  let text: PaddedText
  let count: Int

  init(_ text: RepeatedText) {
    self.text = PaddedText(text.bytes)
    count = text.count
  }

  func prepare() throws -> () throws -> Int {
    {
      var sum = 0
      for _ in 0..<count { sum += try text.parse() }
      return sum
    }
  }
}

private func size(of tree: UnsafePointer<json_t>?) -> Int {
  tree.map { $0.pointee.type == JSON_ARRAY ? json_array_size($0) : 1 } ?? -1
}
