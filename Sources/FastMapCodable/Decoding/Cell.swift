internal import CFastMap

/// A value to decode: one of a tree, or one of a store.
// Without references, because their counts took as long as the values.
enum Cell {
  case node(JSONNode)
  /// An attribute of a stored object.
  case slot(fastmap_slot)
  /// A stored object, and the fields of its type.
  case object(StoredObject)
  /// The targets of a to-many relationship.
  case targets(of: StoredObject, ValueLayout.Member)

  /// The value of a tree; null for another one.
  var node: JSONNode { if case .node(let node) = self { node } else { .null } }

  /// Whether it is null.
  var isNull: Bool {
    switch self {
    case .node(let node): node.isNull
    case .slot(let slot): slot.tag == FASTMAP_NULL || slot.tag == FASTMAP_MISSING
    case .object, .targets: false
    }
  }

  /// The JSON text of an attribute that keeps JSON; nil for anything else.
  var json: UnsafeRawBufferPointer? {
    if case .slot(let slot) = self, slot.tag == FASTMAP_JSON { Field(slot).bytes } else { nil }
  }
}

/// A row that is lent for as long as a value is decoded.
struct StoredObject {
  let slots: UnsafePointer<fastmap_slot>
  // Unmanaged: the session has the layouts.
  private let unmanaged: Unmanaged<ValueLayout>
  let id: ObjectID

  init(slots: UnsafePointer<fastmap_slot>, layout: ValueLayout, id: ObjectID) {
    (self.slots, self.id) = (slots, id)
    unmanaged = Unmanaged.passUnretained(layout)
  }

  var layout: ValueLayout { unmanaged.takeUnretainedValue() }

  @inline(__always)
  func withLayout<R>(_ body: (ValueLayout) -> R) -> R { unmanaged._withUnsafeGuaranteedRef(body) }
}

/// The values of a list: elements of an array, or targets of a relationship.
enum ListedValues {
  case nodes(JSONNode.Elements)
  case objects([StoredObject])

  var count: Int {
    switch self {
    case .nodes(let nodes): nodes.count
    case .objects(let objects): objects.count
    }
  }

  subscript(index: Int) -> Cell {
    switch self {
    case .nodes(let nodes): .node(nodes[index])
    case .objects(let objects): .object(objects[index])
    }
  }
}

/// A type that a cell holds directly.
protocol CellValue: Codable {
  /// The value of a tree; nil for another type, and for a number that the type cannot hold.
  init?(_ node: JSONNode, _ session: DecodingSession)

  /// The value of an attribute; nil as for a tree.
  init?(_ slot: fastmap_slot)

  /// The values of an array.
  static func list(_ values: ListedValues, in decoder: ValueDecoder) throws -> [Self]

  /// The value in a tree.
  func node(_ encoder: ValueEncoder, _ step: (any CodingKey)?) throws -> JSONNode
}

extension CellValue {
  @inline(__always)
  init?(_ cell: Cell, _ session: DecodingSession) {
    switch cell {
    case .node(let node): self.init(node, session)
    case .slot(let slot): self.init(slot)
    case .object, .targets: return nil
    }
  }

  static func list(_ values: ListedValues, in decoder: ValueDecoder) throws -> [Self] {
    var list: [Self] = []
    let count = values.count
    list.reserveCapacity(count)
    for index in 0..<count {
      list.append(try decoder.decode(Self.self, values[index], at: ElementKey(index)))
    }
    return list
  }
}

extension Bool: CellValue {
  init?(_ node: JSONNode, _ session: DecodingSession) {
    guard let value = node.boolean else { return nil }
    self = value
  }

  init?(_ slot: fastmap_slot) {
    guard slot.tag == FASTMAP_BOOLEAN else { return nil }
    self = slot.integer != 0
  }
}

extension String: CellValue {
  init?(_ node: JSONNode, _ session: DecodingSession) {
    guard let text = node.text else { return nil }
    self = String(decoding: text, as: UTF8.self)
  }

  init?(_ slot: fastmap_slot) {
    guard slot.tag == FASTMAP_STRING else { return nil }
    self = String(decoding: slot.span, as: UTF8.self)
  }
}

extension Double: CellValue {
  init?(_ node: JSONNode, _ session: DecodingSession) {
    guard let value = node.real ?? node.integer.map({ Double($0) }) else { return nil }
    self = value
    // A tree has it for all numbers beyond it.
    if value.magnitude == .greatestFiniteMagnitude, JSONValue(node, session.bigIntegers).number == nil {
      return nil
    }
  }

  init?(_ slot: fastmap_slot) {
    guard let value = Field(slot).number else { return nil }
    self = value
  }
}

extension Float: CellValue {
  init?(_ node: JSONNode, _ session: DecodingSession) { self.init(near: Double(node, session)) }

  init?(_ slot: fastmap_slot) { self.init(near: Double(slot)) }

  private init?(near value: Double?) {
    guard let value, value.magnitude <= Double(Float.greatestFiniteMagnitude) || !value.isFinite else {
      return nil
    }
    self = Float(value)
  }
}

extension CellValue where Self: FixedWidthInteger {
  @inline(__always)
  init?(_ node: JSONNode, _ session: DecodingSession) {
    if let integer = node.integer {
      self.init(exactly: integer)
    } else if let digits = session.bigIntegers?.digits(of: node) {
      self.init(String(decoding: digits, as: UTF8.self))
    } else {
      guard let value = node.real else { return nil }
      self.init(exactly: value)
    }
  }

  @inline(__always)
  init?(_ slot: fastmap_slot) {
    switch slot.tag {
    case UInt8(FASTMAP_INTEGER): self.init(exactly: slot.integer)
    case UInt8(FASTMAP_UNSIGNED): self.init(exactly: UInt64(bitPattern: slot.integer))
    case UInt8(FASTMAP_NUMBER): self.init(exactly: slot.number)
    default: return nil
    }
  }
}

extension Int: CellValue {}
extension Int8: CellValue {}
extension Int16: CellValue {}
extension Int32: CellValue {}
extension Int64: CellValue {}
extension UInt: CellValue {}
extension UInt8: CellValue {}
extension UInt16: CellValue {}
extension UInt32: CellValue {}
extension UInt64: CellValue {}
extension Int128: CellValue {}
extension UInt128: CellValue {}
