import FastMapCore
import Foundation

/// FastMap: a JSON text into values of `Codable` types.
struct FastMapDecoding<Value: Decodable>: Subject {
  let text: RepeatedText
  let type: Value.Type
  let count: (Value) -> Int

  func prepare() throws -> () throws -> Int {
    return {
      var sum = 0
      for _ in 0..<text.count {
        sum += count(try FastMapDecoder().decode(type, from: text.bytes))
      }
      return sum
    }
  }
}

/// Foundation's `JSONDecoder`: a JSON text into values of `Codable` types.
struct FoundationDecoding<Value: Decodable>: Subject {
  let text: RepeatedText
  let type: Value.Type
  let count: (Value) -> Int

  func prepare() throws -> () throws -> Int {
    let json = Data(text.bytes)
    let decoder = JSONDecoder()
    return {
      var sum = 0
      for _ in 0..<text.count {
        sum += count(try decoder.decode(type, from: json))
      }
      return sum
    }
  }
}
