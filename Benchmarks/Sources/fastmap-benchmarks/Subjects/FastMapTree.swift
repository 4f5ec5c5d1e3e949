import FastMapCore
import PlainJansson

/// FastMap: JSON text into a tree, and the tree freed.
struct FastMapTree: Subject {
  let families: Families

  func prepare() throws -> () throws -> Int {
    {
      try families.json.withUnsafeBytes { bytes in
        let document = try JSONDocument(parsing: bytes)
        return document.withUnsafeTree { json_array_size($0.assumingMemoryBound(to: json_t.self)) }
      }
    }
  }
}
