import Foundation

/// The common members of a child and a parent.
protocol Relative {
  var id: Int { get }
  var boolean: Bool { get }
  var int16: Int16 { get }
  var int32: Int32 { get }
  var int64: Int64 { get }
  var float: Float { get }
  var double: Double { get }
  var string: String { get }
  var date: Date { get }
  var data: Data { get }
  var decimal: String { get }  // kept as text by every subject
}

struct Child: Codable, Relative {
  let id: Int
  let boolean: Bool
  let int16: Int16
  let int32: Int32
  let int64: Int64
  let float: Float
  let double: Double
  let string: String
  let date: Date
  let data: Data
  let decimal: String
}

struct Parent: Codable, Relative {
  let id: Int
  let boolean: Bool
  let int16: Int16
  let int32: Int32
  let int64: Int64
  let float: Float
  let double: Double
  let string: String
  let date: Date
  let data: Data
  let decimal: String
  let children: [Child]

  /// Reads the families as a user of Foundation would.
  static func decode(_ json: Data) throws -> [Parent] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([Parent].self, from: json)
  }
}
