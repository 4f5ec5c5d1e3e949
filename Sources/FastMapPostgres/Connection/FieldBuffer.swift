#if Postgres
  /// Values in PostgreSQL's binary format, one after the other, each after its length. Rows of a COPY and elements of
  /// arrays have this form.
  final class FieldBuffer {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private(set) var capacity: Int

    init(capacity: Int = 4096) {
      self.capacity = max(capacity, 64)
      start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    func removeAll() { count = 0 }

    /// The same, and frees the memory if there is more of it.
    func removeAll(keepingAtMost most: Int) {
      count = 0
      guard capacity > most else { return }
      start.deallocate()
      capacity = 4096
      start = .allocate(capacity: capacity)
    }

    /// Drops the bytes beyond an earlier `count`.
    func truncate(to count: Int) { self.count = count }

    /// Room for more bytes at the end. The caller fills it at once.
    @inline(__always)
    func grow(_ length: Int) -> UnsafeMutablePointer<UInt8> {
      if count + length > capacity { reserve(length) }
      defer { count += length }
      return start + count
    }

    private func reserve(_ length: Int) {
      let larger = max(capacity * 2, count + length)
      let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
      moved.update(from: start, count: count)
      start.deallocate()
      start = moved
      capacity = larger
    }

    /// Appends a number, most significant byte first.
    @inline(__always)
    func raw<T: FixedWidthInteger>(_ value: T) {
      UnsafeMutableRawPointer(grow(MemoryLayout<T>.size)).storeBytes(of: value.bigEndian, as: T.self)
    }

    /// Replaces a number that was appended before.
    func patch<T: FixedWidthInteger>(_ value: T, at offset: Int) {
      UnsafeMutableRawPointer(start + offset).storeBytes(of: value.bigEndian, as: T.self)
    }

    func raw(_ bytes: UnsafeRawBufferPointer) {
      guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
      UnsafeMutableRawPointer(grow(bytes.count)).copyMemory(from: source, byteCount: bytes.count)
    }
  }

  /// The values, by their types.
  extension FieldBuffer {
    @inline(__always)
    func null() { raw(Int32(-1)) }

    @inline(__always)
    func boolean(_ value: Bool) {
      raw(Int32(1))
      raw(UInt8(value ? 1 : 0))
    }

    func int2(_ value: Int16) {
      raw(Int32(2))
      raw(value)
    }

    @inline(__always)
    func int4(_ value: Int32) {
      raw(Int32(4))
      raw(value)
    }

    @inline(__always)
    func int8(_ value: Int64) {
      raw(Int32(8))
      raw(value)
    }

    @inline(__always)
    func float8(_ value: Double) {
      raw(Int32(8))
      raw(value.bitPattern)
    }

    /// A `text`, a `bytea` or a `json`. PostgreSQL has no text with the character U+0000; the caller has checked that.
    @inline(__always)
    func bytes(_ value: UnsafeRawBufferPointer) {
      raw(Int32(value.count))
      raw(value)
    }

    func text(_ value: String) {
      var value = value
      value.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
    }

    /// A `jsonb`, from JSON text.
    func jsonb(_ text: UnsafeRawBufferPointer) {
      raw(Int32(text.count + 1))
      raw(UInt8(1))
      raw(text)
    }

    /// A `uuid` of two halves.
    @inline(__always)
    func uuid(_ high: UInt64, _ low: UInt64) {
      raw(Int32(16))
      raw(high)
      raw(low)
    }

    /// A `timestamptz`, from microseconds since 2000-01-01T00:00:00Z.
    func timestamptz(microseconds: Int64) { int8(microseconds) }

    /// A `numeric` that is a whole number.
    func numeric(_ magnitude: UInt64, isNegative: Bool = false) {
      // Digits of base 10 000, at most five, the most significant first.
      var digits: (Int16, Int16, Int16, Int16, Int16) = (0, 0, 0, 0, 0)
      var rest = magnitude
      withUnsafeMutableBytes(of: &digits) { memory in
        let digits = memory.bindMemory(to: Int16.self)
        var count = 0
        while rest > 0 {
          digits[count] = Int16(rest % 10_000)
          rest /= 10_000
          count += 1
        }
        raw(Int32(8 + 2 * count))
        raw(Int16(count))
        raw(Int16(max(0, count - 1)))  // the weight of the first digit
        raw(UInt16(isNegative ? 0x4000 : 0))
        raw(Int16(0))  // no decimals
        for index in (0..<count).reversed() { raw(digits[index]) }
      }
    }
  }
#endif
