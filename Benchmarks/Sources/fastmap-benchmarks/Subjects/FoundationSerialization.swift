import Foundation

/// Foundation's `JSONSerialization`: JSON text into dictionaries and arrays, dates and data left as strings.
struct FoundationSerialization: Subject {
  let json: Data

  init(_ families: Families) { json = Data(families.json) }

  func prepare() throws -> () throws -> Int {
    {
      let parents = try JSONSerialization.jsonObject(with: json) as? [Any]
      return parents?.count ?? 0
    }
  }
}
