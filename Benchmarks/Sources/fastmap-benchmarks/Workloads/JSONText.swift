/// Writes JSON into memory as fast as bytes can be copied. The caller writes the commas.
struct JSONText {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(_ number: some FixedWidthInteger & SignedInteger) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    append(digitsOf: UInt64(number.magnitude), atLeast: 1)
  }

  mutating func append(_ number: some BinaryFloatingPoint & CustomStringConvertible) {
    bytes.append(contentsOf: number.description.utf8)
  }

  /// Writes a number with leading zeros up to a width.
  mutating func append(digitsOf number: UInt64, atLeast width: Int) {
    var rest = number
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || bytes.count - start < width
    bytes[start...].reverse()
  }

  /// Writes a date as `"2014-05-01T12:00:00Z"`.
  mutating func append(dateOf seconds: UInt64) {
    // Years begin on 1 March of the year 0, with cycles of 400 years: the leap day is the last of its year.
    let day = seconds / 86_400 + 719_468
    let dayOfCycle = day % 146_097
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    append(UInt8(ascii: "\""))
    append(digitsOf: day / 146_097 * 400 + yearOfCycle + (month <= 2 ? 1 : 0), atLeast: 4)
    for (mark, number) in [
      ("-", month), ("-", dayOfYear - (153 * march + 2) / 5 + 1), ("T", seconds / 3600 % 24),
      (":", seconds / 60 % 60), (":", seconds % 60),
    ] as [(StaticString, UInt64)] {
      append(mark)
      append(digitsOf: number, atLeast: 2)
    }
    append("Z\"")
  }
}
