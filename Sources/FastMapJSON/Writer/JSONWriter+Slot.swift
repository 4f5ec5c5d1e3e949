package import CFastMap

extension JSONWriter {
  /// The format of a value.
  package enum Form {
    /// In the format of its slot.
    case plain
    case iso8601
    case epoch
    case epochMilliseconds
    /// The bytes must outlive the writer.
    case pattern(UnsafeBufferPointer<UInt8>)
  }

  /// Writes the value of an attribute.
  ///
  /// - Returns: False for a date that the format cannot represent. Nothing is written then.
  package mutating func append(_ slot: fastmap_slot, as form: Form) -> Bool {
    switch slot.kind {
    case .boolean: boolean(slot.integer != 0)
    case .integer: integer(slot.integer)
    case .unsigned: unsigned(UInt64(bitPattern: slot.integer))
    case .number: shortestNumber(slot.number)
    case .string: string(slot.span)
    case .json, .decimal: raw(slot.span)
    case .data: data(slot.span)
    case .date: return date(fastmap_instant(seconds: slot.integer, nanoseconds: slot.length), as: form)
    case .missing, .null, .node, .target, .targets: null()
    }
    return true
  }

  mutating func data(_ data: UnsafeBufferPointer<UInt8>) {
    plainString(capacity: fastmap_base64_encoded_length(data.count)) { target in
      fastmap_base64_encode(
        data.baseAddress, data.count, UnsafeMutableRawPointer(target).assumingMemoryBound(to: CChar.self))
    }
  }

  mutating func date(_ instant: fastmap_instant, as form: Form) -> Bool {
    switch form {
    case .plain, .iso8601:
      return string(capacity: 40) { fastmap_date_format_iso8601(instant, $0.baseAddress) }
    case .pattern(let pattern):
      // A directive has two bytes and writes at most the 20 digits of %s.
      return string(capacity: pattern.count * 10 + 20) { text in
        pattern.withMemoryRebound(to: CChar.self) {
          fastmap_date_format_pattern($0.baseAddress, $0.count, instant, text.baseAddress, text.count)
        }
      }
    case .epoch:
      append(instant, unitsPerSecond: 1) { fastmap_date_to_epoch($0) }
    case .epochMilliseconds:
      append(instant, unitsPerSecond: 1000) { fastmap_date_to_epoch_ms($0) }
    }
    return true
  }

  /// Writes a whole number of units as an integer, and anything else as a real.
  private mutating func append(
    _ instant: fastmap_instant, unitsPerSecond units: Int64, _ real: (fastmap_instant) -> Double
  ) {
    let (part, rest) = Int64(instant.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000 / units)
    let (whole, isTooLarge) = instant.seconds.multipliedReportingOverflow(by: units)
    let (sum, isTooLargeInAll) = whole.addingReportingOverflow(part)
    if rest == 0, !isTooLarge, !isTooLargeInAll { integer(sum) } else { number(real(instant)) }
  }

  /// Writes the text that a C function puts into a buffer, unless it is empty.
  private mutating func string(
    capacity: Int, _ body: (UnsafeMutableBufferPointer<CChar>) -> Int
  ) -> Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      let length = body(buffer)
      guard length > 0 else { return false }
      UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length])
        .withMemoryRebound(to: UInt8.self) { string($0) }
      return true
    }
  }
}

/// A value that cannot be written as JSON, before its path is known.
package struct UnwritableValue: Error {
  package let reason: String

  package init(reason: String) { self.reason = reason }

  /// A date that its attribute's format cannot represent.
  package init(date: Timestamp, _ form: JSONWriter.Form) {
    let kind =
      switch form {
      case .pattern(let pattern): "with the pattern \(quoted(String(decoding: pattern, as: UTF8.self)))"
      default: "as ISO 8601, which has the years 0 to 9999"
      }
    reason = "the date \(date.seconds) seconds from 1970 cannot be written \(kind)"
  }
}
