/// The parts of errors of unique indexes, as bytes.
extension RecordBytes {
  package mutating func add(_ contents: [IndexRange.Content]) {
    add(contents.count)
    for content in contents {
      switch content {
      case .none: add(0)
      case .object(let id): add(1, Int(bitPattern: UInt(id.rawValue)))
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

  package mutating func add(_ error: UniquenessError) {
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

  package mutating func add(_ path: JSONPath) {
    add(path.steps.count)
    for step in path.steps {
      switch step {
      case .index(let index): add(0, index)
      case .member(let name): add(1, name)
      }
    }
  }

  mutating func path() -> JSONPath {
    JSONPath((0..<integer()).map { _ in integer() == 0 ? .index(integer()) : .member(string()) })
  }
}
