#if Postgres
  /// The values of one column, as an array to send with a statement: `unnest($1, $2)`, `= ANY ($1)`.
  final class ArrayColumn {
    let element: TypeOID
    private(set) var count = 0
    private var hasNull = false
    private let buffer: FieldBuffer
    /// Dimensions, a flag for nulls, the type of the elements, their number, and the first index.
    private static let headerSize = 20

    init(of element: TypeOID, capacity: Int = 4096) {
      self.element = element
      buffer = FieldBuffer(capacity: capacity + Self.headerSize)
      reset()
    }

    /// Empties the column for other values.
    func removeAll() {
      count = 0
      hasNull = false
      buffer.removeAll()
      reset()
    }

    private func reset() {
      for _ in 0..<5 { buffer.raw(Int32(0)) }
    }

    /// Appends one value, which `body` writes with exactly one call.
    @inline(__always)
    func append(_ body: (FieldBuffer) -> Void) {
      body(buffer)
      count += 1
    }

    /// Where the next value is to be written, with exactly one call. The value may be null.
    @inline(__always)
    func next() -> FieldBuffer {
      count += 1
      hasNull = true
      return buffer
    }

    @inline(__always)
    func null() {
      hasNull = true
      append { $0.null() }
    }

    @inline(__always)
    func int8(_ value: Int64) { append { $0.int8(value) } }

    /// The array in PostgreSQL's binary format. Valid until the next change.
    func finished() -> UnsafeRawBufferPointer {
      buffer.patch(Int32(count == 0 ? 0 : 1), at: 0)
      buffer.patch(Int32(hasNull ? 1 : 0), at: 4)
      buffer.patch(element.rawValue, at: 8)
      guard count > 0 else { return UnsafeRawBufferPointer(rebasing: buffer.bytes[..<12]) }
      buffer.patch(Int32(count), at: 12)
      buffer.patch(Int32(1), at: 16)
      return buffer.bytes
    }

    /// The bytes so far, to bound the size of a statement.
    var byteCount: Int { buffer.count }
  }

  extension ArrayColumn {
    /// A column of numbers.
    convenience init(_ values: some Collection<Int64>) {
      self.init(of: .int8, capacity: values.count * 12)
      for value in values { int8(value) }
    }

    /// A column of texts.
    convenience init(_ values: some Collection<String>) {
      self.init(of: .text)
      for value in values { append { $0.text(value) } }
    }
  }
#endif
