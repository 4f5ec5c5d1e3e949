#if Postgres
  import Foundation
  import PlainPostgres

  /// The owner of one connection of libpq, as a program without FastMap would use it.
  final class PostgresConnection {
    private let handle: OpaquePointer?
    /// Queries in a pipeline whose results were not read.
    private var sentCount = 0

    init(_ address: String) throws {
      handle = PQconnectdb(address)
      try check(PQstatus(handle) == CONNECTION_OK)
      try execute("SET client_min_messages = warning")
    }

    deinit { PQfinish(handle) }

    private func check(_ isRight: Bool) throws(WrongOutcome) {
      if !isRight {
        throw WrongOutcome(description: "PostgreSQL: \(String(cString: PQerrorMessage(handle)))")
      }
    }

    func execute(_ sql: String) throws { PQclear(try result(PQexec(handle, sql))) }

    /// The first value of an answer.
    func text(_ sql: String) throws -> String {
      let result = try result(PQexec(handle, sql))
      defer { PQclear(result) }
      try WrongOutcome.check(PQntuples(result) == 1, "one row of \(sql)")
      return String(cString: PQgetvalue(result, 0, 0))
    }

    func count(of table: String) throws -> Int { Int(try text("SELECT count(*) FROM \(table)")) ?? 0 }

    func prepare(_ name: String, _ sql: String) throws {
      PQclear(try result(PQprepare(handle, name, sql, 0, nil)))
    }

    /// Runs a prepared statement, and waits for its result.
    func run(_ name: String, _ row: borrowing PostgresRow) throws {
      let result = row.withParameters { PQexecPrepared(handle, name, row.count, $0, $1, $2, 0) }
      PQclear(try self.result(result))
    }

    private func result(_ result: OpaquePointer?) throws -> OpaquePointer? {
      let status = PQresultStatus(result)
      guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
        PQclear(result)
        throw WrongOutcome(description: "PostgreSQL: \(String(cString: PQerrorMessage(handle)))")
      }
      return result
    }

    // MARK: A pipeline

    func enterPipeline() throws { try check(PQenterPipelineMode(handle) == 1) }

    /// Sends a prepared statement. Results are read once there are some hundreds, so neither side's buffers are full.
    func send(_ name: String, _ row: borrowing PostgresRow) throws {
      let isSent = row.withParameters { PQsendQueryPrepared(handle, name, row.count, $0, $1, $2, 0) }
      try check(isSent == 1)
      sentCount += 1
      if sentCount == 256 { try receive() }
    }

    func leavePipeline() throws {
      try receive()
      try check(PQexitPipelineMode(handle) == 1)
    }

    private func receive() throws {
      sentCount = 0
      try check(PQpipelineSync(handle) == 1)
      while true {
        // A null follows the result of each statement.
        guard let result = PQgetResult(handle) else { continue }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC: return
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: break
        default:
          throw WrongOutcome(
            description: "PostgreSQL: \(String(cString: PQresultErrorMessage(result)))")
        }
      }
    }
  }

  /// The parameters of a statement, used again for each row. Numbers and texts are sent as text, the others in binary.
  struct PostgresRow: ~Copyable {
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var lengths: [CInt] = []
    private var formats: [CInt] = []

    init() {}

    var count: CInt { CInt(starts.count) }

    mutating func removeAll() {
      bytes.removeAll(keepingCapacity: true)
      starts.removeAll(keepingCapacity: true)
      lengths.removeAll(keepingCapacity: true)
      formats.removeAll(keepingCapacity: true)
    }

    mutating func append(_ text: String) {
      begin(text.utf8.count, format: 0)
      bytes.append(contentsOf: text.utf8)
      bytes.append(0)
    }

    mutating func append(_ number: some FixedWidthInteger) { append(number.description) }

    mutating func append(_ data: Data) {
      begin(data.count, format: 1)
      bytes.append(contentsOf: data)
    }

    /// Microseconds since 2000, as PostgreSQL counts them.
    mutating func append(_ date: Date) {
      begin(8, format: 1)
      let microseconds = Int64(((date.timeIntervalSince1970 - 946_684_800) * 1e6).rounded())
      withUnsafeBytes(of: microseconds.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func begin(_ length: Int, format: CInt) {
      starts.append(bytes.count)
      lengths.append(CInt(length))
      formats.append(format)
    }

    func withParameters<R>(
      _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?) -> R
    ) -> R {
      bytes.withUnsafeBytes { bytes in
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let values = starts.map { offset in start.map { $0 + offset } }
        return values.withUnsafeBufferPointer { values in
          lengths.withUnsafeBufferPointer { lengths in
            formats.withUnsafeBufferPointer {
              body(values.baseAddress, lengths.baseAddress, $0.baseAddress)
            }
          }
        }
      }
    }
  }
#endif
