public import CFastMap  // for code that is inlined in other modules; users see no name of it

extension fastmap_slot {
  /// The bytes of a string, of data, of JSON text or of a decimal.
  @inlinable
  package var span: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: Int(length)) }

  @inlinable
  package mutating func set(_ tag: Int, integer: Int64) {
    self.tag = UInt8(tag)
    self.integer = integer
  }

  /// The object of a to-one relationship; nil if it has none.
  @inlinable
  package var object: ObjectID? { tag == FASTMAP_TARGET ? ObjectID(rawValue: target) : nil }

  /// The objects of a to-many relationship, borrowed; empty if it has none.
  @inlinable
  package var objects: UnsafeBufferPointer<ObjectID> {
    // An ObjectID has the layout of its number.
    tag == FASTMAP_TARGETS
      ? UnsafeBufferPointer(
        start: UnsafeRawPointer(targets)?.assumingMemoryBound(to: ObjectID.self), count: Int(length))
      : UnsafeBufferPointer(start: nil, count: 0)
  }

  @inlinable
  package mutating func set(_ object: ObjectID) {
    tag = UInt8(FASTMAP_TARGET)
    target = object.rawValue
  }

  /// - Parameter objects: Outlive the slot.
  @inlinable
  package mutating func set(_ objects: UnsafePointer<ObjectID>, count: Int) {
    tag = UInt8(FASTMAP_TARGETS)
    length = UInt32(count)
    targets = UnsafeRawPointer(objects).assumingMemoryBound(to: UInt64.self)
  }

  @inlinable
  package var instant: Timestamp { Timestamp(seconds: integer, nanoseconds: length) }

  /// Whether it borrows bytes, which `span` has.
  @inlinable
  package var hasBytes: Bool {
    switch kind {
    case .string, .data, .json, .decimal: true
    case .missing, .null, .boolean, .integer, .unsigned, .number, .date, .node, .target, .targets: false
    }
  }

  /// The attribute kind of the value; nil for null, missing fields, JSON nodes and targets.
  package var attributeKind: AttributeKind? {
    switch kind {
    case .boolean: .boolean
    case .integer, .unsigned: .integer
    case .number: .number
    case .decimal: .decimal
    case .string: .string
    case .date: .date
    case .data: .data
    case .json: .json
    case .missing, .null, .node, .target, .targets: nil
    }
  }

  /// A copy of an attribute's value; nil if it is missing or a relationship.
  package var value: Value? {
    switch kind {
    case .null: .null
    case .boolean: .boolean(integer != 0)
    case .integer: .integer(integer)
    case .unsigned: .unsigned(UInt64(bitPattern: integer))
    case .number: .number(number)
    case .decimal: .decimal(DecimalNumber(checked: span))
    case .string: .string(String(decoding: span, as: UTF8.self))
    case .date: .date(instant)
    case .data: .data(Array(span))
    case .json: .json(String(decoding: span, as: UTF8.self))
    case .missing, .node, .target, .targets: nil
    }
  }

  package func order(toDecimal other: fastmap_slot) -> Int {
    var (first, second) = (self, other)
    return Int(fastmap_decimal_order_slots(&first, &second))
  }

  /// Whether two attribute values are equal bit for bit, or two texts of one decimal.
  package func isIdentical(to other: fastmap_slot) -> Bool {
    guard tag == other.tag else { return false }
    switch kind {
    case .missing, .null: return true
    case .date: return integer == other.integer && length == other.length
    case .decimal: return order(toDecimal: other) == 0
    case .string, .data, .json: return span.elementsEqual(other.span)
    case .boolean, .integer, .unsigned, .number, .node, .target, .targets:
      return integer == other.integer
    }
  }
}
