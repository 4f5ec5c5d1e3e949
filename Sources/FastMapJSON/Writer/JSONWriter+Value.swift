internal import CFastMap

extension JSONWriter {
  /// Writes the result of a transform in its default format: a date as ISO 8601, data as base64.
  ///
  /// - Throws: For a date outside the years of ISO 8601, and for invalid JSON text.
  package mutating func value(_ value: Value) throws(UnwritableValue) {
    switch value {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .integer(let value): integer(value)
    case .unsigned(let value): unsigned(value)
    case .number(let value): shortestNumber(value)
    case .decimal(let value): value.text.utf8.withContiguousStorageIfAvailable { raw($0) }
    case .string(let text): string(text)
    case .data(let bytes): bytes.withUnsafeBufferPointer { data($0) }
    case .date(let date):
      let instant = fastmap_instant(seconds: date.seconds, nanoseconds: date.nanoseconds)
      if !self.date(instant, as: .iso8601) { throw UnwritableValue(date: date, .iso8601) }
    case .json(let text): try json(text)
    }
  }

  /// Writes JSON text unchanged, so that a number keeps its digits. Text with line breaks is parsed and written
  /// again, because NDJSON must stay on one line.
  private mutating func json(_ text: String) throws(UnwritableValue) {
    var text = text
    let error: JSONSyntaxError? = text.withUTF8 { bytes in
      do throws(JSONSyntaxError) {
        let document = try JSONDocument(parsing: UnsafeRawBufferPointer(bytes), keepsReals: true)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
          document.withRoot { append($0, document.bigIntegers, keepsReals: true) }
        } else {
          raw(bytes)
        }
        return nil
      } catch {
        return error
      }
    }
    if let error { throw UnwritableValue(reason: "a transform wrote invalid JSON: \(error)") }
  }
}
