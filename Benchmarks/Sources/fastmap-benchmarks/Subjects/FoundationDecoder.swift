import Foundation

/// Foundation's `JSONDecoder`: JSON text into structs, neither uniqued nor stored.
struct FoundationDecoder: Subject {
  let json: Data

  init(_ families: Families) { json = Data(families.json) }

  func prepare() throws -> () throws -> Int {
    { try Parent.decode(json).count }
  }
}
