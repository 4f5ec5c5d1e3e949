import FastMapCore
import Foundation

/// A text of an unusual shape, with the mappings of FastMap and Foundation for it.
struct ShapedText {
  let json: [UInt8]
  let rootCount: Int
  let objectCount: Int
  let plan: Plan
  /// Reads the same members into structs; the number of root objects.
  let decode: @Sendable (Data) throws -> Int
}

// MARK: - Numbers

/// One land or lake.
private struct Feature: Decodable {
  struct Properties: Decodable {
    let name: String
    let area: Double
  }
  struct Geometry: Decodable {
    let type: String
    let coordinates: [[[Double]]]
  }
  let id: Int
  let properties: Properties
  let geometry: Geometry
}

extension ShapedText {
  /// As GeoJSON has them: features whose outlines are 100 pairs of numbers with 15 digits. FastMap keeps an
  /// outline as JSON text.
  static func geo(_ count: Int) throws -> ShapedText {
    var numbers = SeededNumbers(seed: 7)
    var text = JSONText(capacity: count * 4200)
    text.append("[")
    for id in 1...count {
      if id > 1 { text.append(",") }
      text.append("{\"type\":\"Feature\",\"id\":")
      text.append(id)
      text.append(",\"properties\":{\"name\":\"Land ")
      text.append(id)
      text.append("\",\"area\":")
      text.append(Double(numbers.next(below: 1_000_000_000)) / 1000)
      text.append("},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[")
      for point in 0..<100 {
        text.append(point > 0 ? ",[" : "[")
        text.append(Double(numbers.next(below: 360_000_000_000_000)) / 1e12 - 180)
        text.append(",")
        text.append(Double(numbers.next(below: 180_000_000_000_000)) / 1e12 - 90)
        text.append("]")
      }
      text.append("]]}}")
    }
    text.append("]")
    let feature = Mapping("Feature", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string, at: "properties.name")
      Attribute("area", .number, at: "properties.area")
      Attribute("type", .string, at: "geometry.type")
      Attribute("coordinates", .json, at: "geometry.coordinates")
    }
    return ShapedText(json: text.bytes, rootCount: count, objectCount: count, plan: try Plan(feature)) {
      try JSONDecoder().decode([Feature].self, from: $0).count
    }
  }
}

// MARK: - Width

/// Five members of many.
private struct WideObject: Decodable {
  let id: Int
  let member20: String
  let member40: Int
  let member60: String
  let member80: Int
}

extension ShapedText {
  /// Objects of 100 members; 5 of them are mapped.
  static func wide(_ count: Int) throws -> ShapedText {
    var numbers = SeededNumbers(seed: 8)
    var text = JSONText(capacity: count * 3000)
    text.append("[")
    for id in 1...count {
      if id > 1 { text.append(",") }
      text.append("{\"id\":")
      text.append(id)
      for member in 1..<100 {
        text.append(",\"member")
        text.append(member)
        text.append("\":")
        switch member % 40 {
        case 0, 4, 8: text.append(numbers.next(below: 1_000_000_000))
        case 1, 13: text.append(numbers.next(below: 2) == 0 ? "true" : "null")
        case 2, 14, 26: text.append(Double(numbers.next(below: 1_000_000)) / 1000)
        default:
          text.append("\"value ")
          text.append(numbers.next(below: 1_000_000))
          text.append("\"")
        }
      }
      text.append("}")
    }
    text.append("]")
    let wide = Mapping("Wide", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("member20", .string)
      Attribute("member40", .integer)
      Attribute("member60", .string)
      Attribute("member80", .integer)
    }
    return ShapedText(json: text.bytes, rootCount: count, objectCount: count, plan: try Plan(wide)) {
      try JSONDecoder().decode([WideObject].self, from: $0).count
    }
  }
}

// MARK: - Depth

/// One of a chain. A class, as a struct cannot have itself in it.
private final class Link: Decodable {
  let id: Int
  let name: String
  let next: Link?
}

extension ShapedText {
  static let depth = 100

  /// Objects in objects in objects, 100 deep, each an object of its own.
  static func deep(_ count: Int) throws -> ShapedText {
    var text = JSONText(capacity: count * depth * 50)
    text.append("[")
    for root in 0..<count {
      if root > 0 { text.append(",") }
      for level in 0..<depth {
        text.append("{\"id\":")
        text.append(root * depth + level)
        text.append(",\"name\":\"link ")
        text.append(level)
        text.append("\",\"next\":")
      }
      text.append("null")
      for _ in 0..<depth { text.append("}") }
    }
    text.append("]")
    return ShapedText(
      json: text.bytes, rootCount: count, objectCount: count * depth, plan: try Plan(ChainLink.mapping)
    ) {
      try JSONDecoder().decode([Link].self, from: $0).count
    }
  }
}

private enum ChainLink {
  static let mapping: Mapping<Record> = Mapping("Link", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("next", ChainLink.mapping)
  }
}
