import Foundation

/// The code that a user would write without FastMap: a table with one instance for each key.
final class Registry {
  private(set) var parents: [Int: KeptParent] = [:]
  private(set) var children: [Int: KeptChild] = [:]

  func parent(_ id: Int) -> KeptParent {
    if let known = parents[id] { return known }
    let parent = KeptParent(id)
    parents[id] = parent
    return parent
  }

  func child(_ id: Int) -> KeptChild {
    if let known = children[id] { return known }
    let child = KeptChild(id)
    children[id] = child
    return child
  }
}

class KeptChild {
  let id: Int
  var boolean = false
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var float: Float = 0
  var double = 0.0
  var string = ""
  var date = Date(timeIntervalSince1970: 0)
  var data = Data()
  var decimal = ""

  init(_ id: Int) { self.id = id }

  func take(_ other: some Relative) {
    boolean = other.boolean
    int16 = other.int16
    int32 = other.int32
    int64 = other.int64
    float = other.float
    double = other.double
    string = other.string
    date = other.date
    data = other.data
    decimal = other.decimal
  }
}

final class KeptParent: KeptChild {
  var children: [KeptChild] = []
}

/// Foundation's `JSONDecoder` into structs, and these into instances of classes, one for each key.
struct FoundationUniquing: Subject {
  let json: Data

  init(_ families: Families) { json = Data(families.json) }

  func prepare() throws -> () throws -> Int {
    let registry = Registry()
    return {
      for decoded in try Parent.decode(json) {
        let parent = registry.parent(decoded.id)
        parent.take(decoded)
        parent.children = decoded.children.map {
          let child = registry.child($0.id)
          child.take($0)
          return child
        }
      }
      return registry.parents.count
    }
  }
}

/// Foundation's `JSONSerialization`, and a mapping written by hand into instances of classes, one for each key.
struct FoundationMapping: Subject {
  let json: Data

  init(_ families: Families) { json = Data(families.json) }

  func prepare() throws -> () throws -> Int {
    let registry = Registry()
    return {
      guard let parents = try JSONSerialization.jsonObject(with: json) as? [[String: Any]] else {
        throw WrongOutcome(description: "expected an array of objects")
      }
      for members in parents {
        let parent = registry.parent(try Self.member("id", of: members))
        try Self.set(parent, from: members)
        let children: [[String: Any]] = try Self.member("children", of: members)
        parent.children = try children.map {
          let child = registry.child(try Self.member("id", of: $0))
          try Self.set(child, from: $0)
          return child
        }
      }
      return registry.parents.count
    }
  }

  private static func set(_ object: KeptChild, from members: [String: Any]) throws {
    object.boolean = try member("boolean", of: members)
    object.int16 = try member("int16", of: members)
    object.int32 = try member("int32", of: members)
    // A large one comes as an NSDecimalNumber, which a cast to Int64 may refuse.
    object.int64 = (try member("int64", of: members) as NSNumber).int64Value
    object.float = Float(try member("float", of: members) as Double)
    object.double = try member("double", of: members)
    object.string = try member("string", of: members)
    object.date = try Date(member("date", of: members) as String, strategy: .iso8601)
    guard let data = Data(base64Encoded: try member("data", of: members) as String) else {
      throw WrongOutcome(description: "expected base64")
    }
    object.data = data
    object.decimal = try member("decimal", of: members)
  }

  private static func member<T>(_ name: String, of members: [String: Any]) throws(WrongOutcome) -> T {
    guard let value = members[name] as? T else { throw WrongOutcome(description: "expected \(name)") }
    return value
  }
}

/// Foundation's `JSONDecoder`: JSON text into structs, neither uniqued nor stored.
struct FoundationDecoder: Subject {
  let json: Data

  init(_ families: Families) { json = Data(families.json) }

  func prepare() throws -> () throws -> Int {
    var parents: [Parent] = []  // kept, like the instances of the others
    return {
      parents = try Parent.decode(json)
      return parents.count
    }
  }
}
