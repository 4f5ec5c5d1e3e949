import PlainJansson

/// jansson's own loader: JSON text into a tree, and the tree freed.
struct Jansson: Subject {
  let families: Families

  func prepare() throws -> () throws -> Int {
    {
      families.json.withUnsafeBytes { bytes in
        var failure = json_error_t()
        let tree = json_loadb(bytes.baseAddress, bytes.count, 0, &failure)
        defer { json_decref(tree) }
        return json_array_size(tree)
      }
    }
  }
}
