internal import FastMapSystem

/// The members of a line of a dump, found in one pass.
struct DumpLine {
  private(set) var entity: JSONNode?
  private(set) var object: JSONNode?
  private(set) var keyless: JSONNode?
  private(set) var values: JSONNode?
  private(set) var list: JSONNode?
  private(set) var targets: JSONNode?
  private(set) var end: JSONNode?
  /// The first member that no object and no list has.
  private(set) var unknown: String?

  init(_ node: JSONNode) {
    guard let members = node.members else { return }
    for (name, value) in members {
      if name.isSame("entity") {
        entity = value
      } else if name.isSame("object") {
        object = value
      } else if name.isSame("values") {
        values = value
      } else if name.isSame("list") {
        list = value
      } else if name.isSame("targets") {
        targets = value
      } else if name.isSame("keyless") {
        keyless = value
      } else if name.isSame("end") {
        end = value
      } else {
        unknown = unknown ?? String(decoding: name, as: UTF8.self)
      }
    }
  }
}

/// Names that are mostly asked for in their order.
struct OrderedNames {
  private let names: [[UInt8]]
  private let index: NameIndex

  init(_ names: [String]) {
    self.names = names.map { Array($0.utf8) }
    index = NameIndex(names)
  }

  subscript(name: String) -> Int? { index[name] }

  /// The place of a name.
  ///
  /// - Parameter start: Where it is probably, or a little later.
  func place(of name: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    for place in start..<max(start, min(names.count, start + 4)) where name.isSame(names[place]) {
      return place
    }
    return index[String(decoding: name, as: UTF8.self)]
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func isSame(_ name: StaticString) -> Bool {
    isSame(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  fileprivate func isSame(_ name: [UInt8]) -> Bool { name.withUnsafeBytes { isSame($0) } }

  private func isSame(_ name: UnsafeRawBufferPointer) -> Bool {
    guard count == name.count else { return false }
    guard let a = baseAddress, let b = name.baseAddress else { return true }
    return memcmp(a, b, count) == 0
  }
}
