#if Postgres
  internal import CFastMapPostgres

  /// The warnings of a server that matter. libpq hands them out while it reads, on the thread that uses the connection.
  final class Notices {
    /// Whether a commit has ended its wait for a synchronous standby: the primary has it, and the standby may lack it.
    var hasUnconfirmedCommit = false
    /// Whether a node of Citus has refused the commit because of another transaction. The error of the commit does not say it.
    var hasRefusedCommit = false
    /// Why the server has ended the connection while nothing ran; nil if it has not said so.
    private(set) var farewell: PostgresError?
    private var connection: OpaquePointer?
    private var place = ""

    /// Takes the notices of a connection, which libpq would print to standard error.
    ///
    /// - Parameter connection: Must end before `self` does.
    func receive(from connection: OpaquePointer, at place: String) {
      (self.connection, self.place) = (connection, place)
      PQsetNoticeReceiver(
        connection,
        { context, notice in
          guard let context, let notice else { return }
          Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().record(notice)
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func record(_ notice: OpaquePointer) {
      // The text is in the server's language. The name of the function is not.
      let function = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))).map { String(cString: $0) }
      if function == "SyncRepWaitForLSN" { hasUnconfirmedCommit = true }
      let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))).map { String(cString: $0) }
      let code = PQresultErrorField(notice, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
      if severity == "WARNING", code.hasPrefix("40") || code.hasPrefix("23") { hasRefusedCommit = true }
      if let connection, severity == "FATAL" || severity == "PANIC" {
        farewell = PostgresError(notice, at: place, of: connection)
      }
    }
  }
#endif
