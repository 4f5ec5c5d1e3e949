/// Values and keys as bytes: each is its kind, and its integers or its text.
extension RecordBytes {
  package mutating func add(_ value: Value) {
    switch value {
    case .null: add(0)
    case .boolean(let value): add(value ? 2 : 1)
    case .integer(let value): add(3, Int(value))
    case .unsigned(let value): add(4, Int(bitPattern: UInt(value)))
    case .number(let value): add(5, Int(bitPattern: UInt(value.bitPattern)))
    case .decimal(let value): add(6, value.text)
    case .string(let value): add(7, value)
    case .json(let value): add(8, value)
    case .date(let value):
      add(9, Int(value.seconds))
      add(Int(value.nanoseconds))
    case .data(let value):
      add(10)
      add(value)
    }
  }

  package mutating func value() -> Value {
    switch integer() {
    case 0: return .null
    case 1: return .boolean(false)
    case 2: return .boolean(true)
    case 3: return .integer(Int64(integer()))
    case 4: return .unsigned(UInt64(UInt(bitPattern: integer())))
    case 5: return .number(Double(bitPattern: UInt64(UInt(bitPattern: integer()))))
    case 6: if let value = DecimalNumber(string()) { return .decimal(value) }
    case 7: return .string(string())
    case 8: return .json(string())
    case 9:
      let (seconds, nanoseconds) = (Int64(integer()), integer())
      if (0..<1_000_000_000).contains(nanoseconds) {
        return .date(Timestamp(seconds: seconds, nanoseconds: UInt32(nanoseconds)))
      }
    case 10: return .data(Array(data()))
    default: break
    }
    markDamaged()
    return .null
  }

  package mutating func add(_ key: PrimaryKey?) {
    switch key {
    case nil: add(0)
    case .integer(let key): add(1, Int(key))
    case .string(let key): add(2, key)
    }
  }

  package mutating func key() -> PrimaryKey? {
    switch integer() {
    case 1: .integer(Int64(integer()))
    case 2: .string(string())
    default: nil
    }
  }

  package mutating func add(_ kind: Int, _ integer: Int) {
    add(kind)
    add(integer)
  }

  package mutating func add(_ kind: Int, _ text: String) {
    add(kind)
    add(text)
  }
}
