#if Postgres
  /// An SQL statement with parameters, made once and used often.
  final class Statement: Sendable {
    let text: String
    let types: [TypeOID]
    /// The table that it makes or writes, for errors that do not name one.
    let subject: Subject?

    /// - Parameters:
    ///   - text: One statement with the parameters `$1`, `$2` and so on.
    ///   - types: The types of the parameters.
    init(_ text: String, _ types: TypeOID...) {
      self.text = text
      self.types = types
      subject = nil
    }

    init(_ text: String, types: [TypeOID], about subject: Subject? = nil) {
      self.text = text
      self.types = types
      self.subject = subject
    }
  }

  /// The table of an entity, for errors.
  struct Subject: Sendable {
    let entity: String
    let schema: String
    /// Without quotes.
    let table: String
  }

  /// A statement that a connection has prepared.
  final class PreparedStatement {
    /// The most that one connection keeps. Each takes memory of the server.
    static let maximum = 256

    let name: String
    /// The number of the statement that was sent with it last.
    var lastUse: Int

    init(_ name: String, _ lastUse: Int) {
      self.name = name
      self.lastUse = lastUse
    }
  }

  /// The values of a statement's parameters, in its order, in binary format.
  struct Parameters {
    private enum Slot {
      case null
      case bytes(Range<Int>)
      case column(ArrayColumn)
    }

    private var slots: [Slot] = []
    private let buffer = FieldBuffer(capacity: 64)

    init() {}

    /// Parameters that are all columns.
    init(_ columns: ArrayColumn...) { slots = columns.map(Slot.column) }

    var count: Int { slots.count }

    mutating func null() { slots.append(.null) }

    mutating func int8(_ value: Int64) { append { $0.raw(value) } }
    mutating func int4(_ value: Int32) { append { $0.raw(value) } }
    mutating func float8(_ value: Double) { append { $0.raw(value.bitPattern) } }
    mutating func boolean(_ value: Bool) { append { $0.raw(UInt8(value ? 1 : 0)) } }
    mutating func bytes(_ value: UnsafeRawBufferPointer) { append { $0.raw(value) } }

    mutating func text(_ value: String) {
      var value = value
      value.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter column: Must not change until the statement is sent.
    mutating func column(_ column: ArrayColumn) { slots.append(.column(column)) }

    private mutating func append(_ body: (FieldBuffer) -> Void) {
      let start = buffer.count
      body(buffer)
      slots.append(.bytes(start..<buffer.count))
    }

    var byteCount: Int {
      slots.reduce(buffer.count) {
        if case .column(let column) = $1 { $0 + column.byteCount } else { $0 }
      }
    }

    /// The values of all parameters, below 2 GB; nil is null. Valid while `self` lives and its columns do not change.
    func lend<R>(_ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32]) throws -> R) rethrows -> R {
      var values: [UnsafePointer<CChar>?] = []
      var lengths: [Int32] = []
      values.reserveCapacity(slots.count)
      lengths.reserveCapacity(slots.count)
      for slot in slots {
        let found: UnsafeRawBufferPointer? =
          switch slot {
          case .null: nil
          case .bytes(let range): UnsafeRawBufferPointer(rebasing: buffer.bytes[range])
          case .column(let column): column.finished()
          }
        // Empty bytes need an address, because none means null.
        let address = found.map { $0.baseAddress ?? UnsafeRawPointer(buffer.start) }
        values.append(address?.assumingMemoryBound(to: CChar.self))
        lengths.append(Int32(found?.count ?? 0))
      }
      return try body(values, lengths)
    }
  }
#endif
