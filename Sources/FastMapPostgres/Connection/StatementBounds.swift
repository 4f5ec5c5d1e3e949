#if Postgres
  internal import FastMapStoreKit

  /// How much one statement may have.
  struct StatementBounds: Sendable {
    let rows: Int
    let bytes: Int

    /// The maximum size of one message, one row or one value in PostgreSQL, less some room for its headers.
    static let mostBytes = 1_000_000_000

    init(_ configuration: PostgresStore.Configuration) {
      rows = max(1, configuration.maxRowsPerStatement)
      bytes = min(max(1, configuration.maxBytesPerStatement), Self.mostBytes)
    }

    /// The most elements of some size, with their lengths, in one statement.
    func count(ofSize size: Int) -> Int { max(1, min(rows, bytes / (size + 4))) }

    /// The ranges of one statement each.
    ///
    /// - Parameter size: The bytes of an element's values, about.
    /// - Complexity: O(*n*).
    func ranges(_ all: Range<Int>, size: (Int) -> Int) -> [Range<Int>] {
      var ranges: [Range<Int>] = []
      var (start, sum) = (all.lowerBound, 0)
      for index in all {
        let size = size(index)
        if index > start, index - start >= rows || sum + size > bytes {
          ranges.append(start..<index)
          (start, sum) = (index, 0)
        }
        sum += size
      }
      if start < all.upperBound { ranges.append(start..<all.upperBound) }
      return ranges
    }
  }

  extension ObjectChange {
    /// The bytes that the values of a row take in a statement, about. Numbers count as eight.
    ///
    /// - Parameter doubled: Fields that may be sent twice.
    func byteCount(_ doubled: [Int] = []) -> Int {
      let row = self.row
      var size = 64
      for field in 0..<row.count { size += 12 + (row[field].bytes?.count ?? 0) }
      for field in doubled { size += row[field].bytes?.count ?? 0 }
      return size
    }

    /// Why no row takes the object's values; nil if one does.
    ///
    /// - Parameter most: The bytes that a row takes.
    func refusal(_ entity: Schema.Entity, most: Int) -> String? {
      // A character U+0000 or U+0001 takes two bytes, and JSON may be sent twice.
      guard byteCount() > most / 4 else { return nil }
      let row = self.row
      var (size, largest) = (0, (field: 0, size: 0))
      for field in 0..<row.count {
        guard let bytes = row[field].bytes else { continue }
        let count: Int =
          switch entity.fields[field].kind {
          case .attribute(.data): bytes.count
          case .attribute(.json): StoredJSON.sentCount(bytes)
          default: StoredText.encodedCount(bytes)
          }
        size += count
        if count > largest.size { largest = (field, count) }
      }
      guard size > most else { return nil }
      let object = "\(escaped(entity.name)) \(key.map { "\($0)" } ?? "without a key")"
      return "expected an object of at most \(most) bytes, found \(size) bytes in \(object), "
        + "\(largest.size) of them in \(escaped(entity.fields[largest.field].name))"
    }
  }

  extension Binding.Entity {
    /// The fields that are sent once as `jsonb` and, if that has another form, once more as text.
    var doubledFields: [Int] {
      fields.indices.filter {
        if case .attribute(.json) = fields[$0]?.kind { true } else { false }
      }
    }
  }

  extension StoredJSON {
    /// The bytes that a JSON text takes in a statement.
    fileprivate static func sentCount(_ text: UnsafeRawBufferPointer) -> Int {
      switch form(of: text) {
      case .same: text.count
      case .other: text.count + StoredText.encodedCount(text)
      case .replaced(let other): other.count + StoredText.encodedCount(text)
      case .none: StoredText.encodedCount(text)
      }
    }
  }
#endif
