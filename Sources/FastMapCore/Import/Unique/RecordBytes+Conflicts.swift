/// The parts of errors of unique indexes, as bytes.
extension RecordBytes {
  mutating func add(_ value: Value) {
    switch value {
    case .null: add(0)
    case .boolean(let value): add(value ? 2 : 1)
    case .integer(let value): addPair(3, Int(value))
    case .unsigned(let value): addPair(4, Int(bitPattern: UInt(value)))
    case .number(let value): addPair(5, Int(bitPattern: UInt(value.bitPattern)))
    case .decimal(let value): addPair(6, value.text)
    case .string(let value): addPair(7, value)
    case .json(let value): addPair(8, value)
    case .date(let value):
      addPair(9, Int(value.seconds))
      add(Int(value.nanoseconds))
    case .data(let value):
      add(10)
      add(value)
    }
  }

  mutating func value() -> Value {
    switch integer() {
    case 1: .boolean(false)
    case 2: .boolean(true)
    case 3: .integer(Int64(integer()))
    case 4: .unsigned(UInt64(UInt(bitPattern: integer())))
    case 5: .number(Double(bitPattern: UInt64(UInt(bitPattern: integer()))))
    case 6: DecimalNumber(string()).map { .decimal($0) } ?? .null
    case 7: .string(string())
    case 8: .json(string())
    case 9: .date(Timestamp(seconds: Int64(integer()), nanoseconds: UInt32(integer())))
    case 10: .data(Array(data()))
    default: .null
    }
  }

  mutating func add(_ key: PrimaryKey?) {
    switch key {
    case nil: add(0)
    case .integer(let key): addPair(1, Int(key))
    case .string(let key): addPair(2, key)
    }
  }

  mutating func key() -> PrimaryKey? {
    switch integer() {
    case 1: .integer(Int64(integer()))
    case 2: .string(string())
    default: nil
    }
  }

  mutating func add(_ contents: [IndexRange.Content]) {
    add(contents.count)
    for content in contents {
      switch content {
      case .none: add(0)
      case .object(let id): addPair(1, Int(bitPattern: UInt(id.rawValue)))
      case .value(let value):
        add(2)
        add(value)
      }
    }
  }

  mutating func contents() -> [IndexRange.Content] {
    (0..<integer()).map { _ in
      switch integer() {
      case 1: .object(ObjectID(rawValue: UInt64(UInt(bitPattern: integer()))))
      case 2: .value(value())
      default: .none
      }
    }
  }

  mutating func add(_ error: UniquenessError) {
    add(error.entity)
    add(error.index)
    add(error.values.count)
    for value in error.values { add(value) }
    add(error.keys.count)
    for key in error.keys { add(key) }
  }

  mutating func uniquenessError() -> UniquenessError {
    let (entity, index) = (string(), string())
    let values = (0..<integer()).map { _ in value() }
    return UniquenessError(
      entity: entity, index: index, values: values, keys: (0..<integer()).map { _ in key() })
  }

  mutating func add(_ path: JSONPath) {
    add(path.steps.count)
    for step in path.steps {
      switch step {
      case .index(let index): addPair(0, index)
      case .member(let name): addPair(1, name)
      }
    }
  }

  mutating func path() -> JSONPath {
    JSONPath((0..<integer()).map { _ in integer() == 0 ? .index(integer()) : .member(string()) })
  }

  private mutating func addPair(_ tag: Int, _ integer: Int) {
    add(tag)
    add(integer)
  }

  private mutating func addPair(_ tag: Int, _ text: String) {
    add(tag)
    add(text)
  }
}
