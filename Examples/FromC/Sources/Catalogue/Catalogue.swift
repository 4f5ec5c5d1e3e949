import FastMapCore
import FastMapLMDB

let book = Mapping("Book", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("title", .string)
}

/// Imports a tree into the store at a path. `catalogue.h` has the rules.
@_cdecl("catalogue_import")
public func importCatalogue(
  _ path: UnsafePointer<CChar>, _ tree: UnsafeMutableRawPointer, _ message: UnsafeMutablePointer<CChar>,
  _ capacity: Int
) -> Int {
  do {
    let mapper = Mapper(try LMDBStore(at: String(cString: path)))
    let document = JSONDocument(unsafeSharing: tree)
    let report = try mapper.importJSON(document, as: book)
    return report.rootObjects
  } catch {
    write("\(error)", to: UnsafeMutableBufferPointer(start: message, count: capacity))
    return -1
  }
}

/// Copies as much as there is room for, and a NUL.
private func write(_ text: String, to buffer: UnsafeMutableBufferPointer<CChar>) {
  guard !buffer.isEmpty else { return }
  let bytes = text.utf8.prefix(buffer.count - 1)
  for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
  buffer[bytes.count] = 0
}
