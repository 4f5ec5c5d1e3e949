import FastMapCore
import PlainJansson

/// FastMap: each parent into a tree of its own, and the tree freed: as lines of NDJSON are read.
struct FastMapElements: Subject {
  let families: Families

  func prepare() throws -> () throws -> Int {
    {
      try families.json.withUnsafeBytes { bytes in
        try families.parentRanges.reduce(0) { count, range in
          let document = try JSONDocument(parsing: UnsafeRawBufferPointer(rebasing: bytes[range]))
          return count
            + document.withUnsafeTree {
              json_object_size($0.assumingMemoryBound(to: json_t.self)) > 0 ? 1 : 0
            }
        }
      }
    }
  }
}

/// jansson's own loader: each parent into a tree of its own, and the tree freed.
struct JanssonElements: Subject {
  let families: Families

  func prepare() throws -> () throws -> Int {
    {
      families.json.withUnsafeBytes { bytes in
        families.parentRanges.reduce(0) { count, range in
          let element = UnsafeRawBufferPointer(rebasing: bytes[range])
          let tree = json_loadb(element.baseAddress, element.count, 0, nil)
          defer { json_decref(tree) }
          return count + (json_object_size(tree) > 0 ? 1 : 0)
        }
      }
    }
  }
}
