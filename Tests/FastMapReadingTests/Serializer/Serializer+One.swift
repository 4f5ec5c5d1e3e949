import FastMapCore

@testable import FastMapReading

/// One object of any reader, which an export writes among others.
extension Serializer {
  /// - Returns: False if the object is not stored. Nothing is written then.
  @discardableResult
  func write<R: StoreReader>(
    _ id: ObjectID, from reader: inout R, to output: inout JSONWriter
  ) throws -> Bool {
    try reader.use(plan.schema)
    return try withRun(&output) { run, output in try run.write(id, asking: &reader, &output) }
  }

  /// Writes an object as a document, at the mapping's root path if it has one.
  @discardableResult
  func writeDocument<R: StoreReader>(
    _ id: ObjectID, from reader: inout R, to output: inout JSONWriter
  ) throws -> Bool {
    try reader.use(plan.schema)
    return try withRun(&output) { run, output in
      let start = output.mark
      let isFound = try writeUnderRoot(&output) { try run.write(id, asking: &reader, &$0) }
      if !isFound { output.rewind(to: start) }
      return isFound
    }
  }

  /// Writes objects as a document. Objects that are not stored are left out.
  func writeDocument<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, from reader: inout R, to output: inout JSONWriter
  ) throws {
    try reader.use(plan.schema)
    try withRun(&output) { run, output in
      try writeUnderRoot(&output) { output in
        beginCollection(of: &run, &output)
        if !reader.prefersSets {
          for id in ids { _ = try run.write(id, &reader, &output) }
          return endCollection(&output)
        }
        let gatherer = PrefetchingReader(reader, for: run)
        try reader.reading(ahead: &run, with: gatherer) { reader, run in
          try gatherer.forEach(of: ids) { id in
            _ = try run.write(id, &reader, &output)
            return true
          }
        }
        endCollection(&output)
      }
    }
  }
}

extension SerializerRun {
  /// Writes a root object, and reads ahead if the store is asked for sets.
  mutating func write<R: StoreReader>(
    _ id: ObjectID, asking reader: inout R, _ output: inout JSONWriter
  ) throws -> Bool {
    if !reader.prefersSets { return try write(id, &reader, &output) }
    return try reader.reading(ahead: &self, with: PrefetchingReader(reader, for: self)) { reader, run in
      try run.write(id, &reader, &output)
    }
  }
}

extension StoreReader {
  mutating func reading<T>(
    ahead run: inout SerializerRun, with gatherer: PrefetchingReader,
    _ body: (inout PrefetchingReader, inout SerializerRun) throws -> T
  ) throws -> T {
    gatherer.base = self
    run.gatherer = gatherer
    defer {
      run.gatherer = nil
      if let used = gatherer.base as? Self { self = used }
    }
    var reader = gatherer
    return try body(&reader, &run)
  }
}
