#if Postgres
  internal import CFastMapPostgres
  internal import FastMapSystem

  /// COPY in binary format.
  extension Connection {
    /// Sends rows into several tables, in the order given. Takes one trip, and one for each table.
    ///
    /// - Parameters:
    ///   - statements: Each `COPY … FROM STDIN (FORMAT binary)`.
    ///   - body: Writes the rows of the table with this index.
    /// - Returns: The number of rows that each table has received.
    /// - Throws: Errors of `body`. ``PostgresError``.
    @discardableResult
    func copyIn(_ statements: [String], _ body: (Int, borrowing CopyWriter) throws -> Void) throws -> [Int] {
      guard !statements.isEmpty else { return [] }
      return try outsidePipeline(statements.joined(separator: "; ")) {
        var counts: [Int] = []
        for index in statements.indices {
          let result = try copyResult()
          guard PQresultStatus(result) == PGRES_COPY_IN else {
            PQclear(result)
            throw PostgresError(
              server: place, message: "expected COPY … FROM STDIN, found \(statements[index])")
          }
          PQclear(result)
          let writer = CopyWriter(self)
          do {
            try body(index, writer)
            try writer.finish()
          } catch {
            if !isBroken { try? writer.abandon() }
            throw error
          }
          hasSent = true
          let answer = Answer(adopting: try copyResult())
          counts.append(answer.affectedCount)
        }
        return counts
      }
    }

    /// Leaves pipeline mode for a statement, and enters it again.
    private func outsidePipeline<R>(_ text: String, _ body: () throws -> R) throws -> R {
      try finish()
      guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, text) == 1 else { throw lost() }
      hasSent = true
      let result: Result<R, any Error>
      do { result = .success(try body()) } catch { result = .failure(error) }
      if !isBroken {
        do { try skipResults() } catch { isBroken = true }
        if PQenterPipelineMode(handle) != 1 { isBroken = true }
      }
      return try result.get()
    }

    /// The next result of the simple protocol.
    private func copyResult() throws -> OpaquePointer {
      if hasSent {
        trips += 1
        hasSent = false
      }
      guard let result = try nextResult() else { throw lost() }
      let status = PQresultStatus(result)
      guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return result }
      defer { PQclear(result) }
      let error = PostgresError(result, at: place, of: handle)
      if error.isConnectionLost { isBroken = true }
      throw noted(error)
    }

    /// Drops the remaining results after an error.
    private func skipResults() throws {
      while let result = try nextResult() {
        let status = PQresultStatus(result)
        PQclear(result)
        if status == PGRES_COPY_IN { try CopyWriter(self).abandon() }
      }
    }
  }

  /// Writes the rows of one COPY.
  struct CopyWriter: ~Copyable {
    private let connection: Connection
    /// The values of the row. The caller appends them after `beginRow`.
    let fields: FieldBuffer
    /// The bytes that are sent together.
    private static let pieceSize = 1 << 16
    private static let largestPiece = 1 << 20
    /// The bytes of `fields` that the connection keeps for the next COPY, unless one row was larger.
    private static let mostKept = 4 << 20

    fileprivate init(_ connection: Connection) {
      self.connection = connection
      fields = connection.copyBuffer
      fields.removeAll()
      for byte in [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00] as [UInt8] {
        fields.raw(byte)
      }
      fields.raw(Int32(0))  // flags
      fields.raw(Int32(0))  // the length of an extension
    }

    /// Begins a row. The caller then appends a value for each column to `fields`.
    @inline(__always)
    func beginRow(columns: Int) throws {
      if fields.count >= Self.pieceSize { try send() }
      fields.raw(Int16(columns))
    }

    private func send() throws {
      var rest = fields.bytes
      // The pieces need not end with a row, and libpq copies each.
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = min(rest.count, Self.largestPiece)
        switch PQputCopyData(connection.handle, start.assumingMemoryBound(to: CChar.self), Int32(count)) {
        case 1: rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        case 0: break
        default: throw connection.lost()
        }
        try connection.flush()
      }
      fields.removeAll()
    }

    fileprivate func finish() throws {
      fields.raw(Int16(-1))
      try send()
      try end(nil)
    }

    /// Makes the server fail the COPY.
    fileprivate func abandon() throws { try end("abandoned by the client") }

    private func end(_ reason: String?) throws {
      fields.removeAll(keepingAtMost: Self.mostKept)
      while true {
        switch PQputCopyEnd(connection.handle, reason) {
        case 1: return try connection.flush()
        case 0: try connection.flush()
        default: throw connection.lost()
        }
      }
    }
  }
#endif
