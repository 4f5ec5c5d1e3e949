import FastMapCore

/// The members of an object, found by their names in constant time. A `JSONTree` looks through all of them.
struct MemberTable {
  private var places: [JSONTree.Member?]
  private var numbers: [String: Int] = [:]

  /// - Parameter tree: An object; anything else has no members.
  init(_ tree: JSONTree?) {
    places = tree?.members ?? []
    numbers.reserveCapacity(places.count)
    for (number, place) in places.enumerated() {
      if let place, numbers[place.name] == nil { numbers[place.name] = number }
    }
  }

  subscript(name: String) -> JSONTree? {
    get { numbers[name].flatMap { places[$0]?.value } }
    set {
      if let number = numbers[name] {
        if let newValue { places[number]?.value = newValue } else { places[number] = nil }
        if newValue == nil { numbers[name] = nil }
      } else if let newValue {
        numbers[name] = places.count
        places.append(.init(name: name, value: newValue))
      }
    }
  }

  var tree: JSONTree { .object(places.compactMap(\.self)) }
}
