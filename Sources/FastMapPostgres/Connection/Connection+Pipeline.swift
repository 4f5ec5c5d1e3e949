#if Postgres
  internal import CFastMapPostgres
  internal import FastMapStoreKit
  internal import FastMapSystem

  /// Statements and their answers.
  ///
  ///     let people = try connection.send(select, parameters)
  ///     let cars = try connection.send(other, parameters)
  ///     let answer = try connection.answer(to: people)        // one trip for both
  extension Connection {
    /// Sends a statement and does not wait.
    ///
    /// - Returns: A ticket for `answer(to:)`, which must be used or dropped with `forget`.
    func send(_ statement: Statement, _ parameters: borrowing Parameters = Parameters()) throws -> Ticket {
      let number = expected.number()
      try send(statement, parameters, as: .answer(number))
      return Ticket(number: number)
    }

    /// Sends a statement whose rows are not needed. The next `answer` throws it.
    func sendQuietly(_ statement: Statement, _ parameters: borrowing Parameters = Parameters()) throws {
      try send(statement, parameters, as: .quiet)
    }

    /// The rows of a statement. Waits for them, and flushes statements that the server has not received yet.
    ///
    /// - Throws: ``PostgresError`` of this statement, or of an earlier one that has ended the pipeline or the transaction.
    ///   `CancellationError` if the task is cancelled.
    func answer(to ticket: Ticket) throws -> Answer {
      while true {
        if let found = stash.removeValue(forKey: ticket.number) {
          let answer = try found.get()
          hasAnswered = true
          return answer
        }
        guard !expected.isEmpty else { preconditionFailure("an answer is read once") }
        try readNext()
      }
    }

    /// Calls `body` with the rows of statements, one after the other, and with their indices. If it throws, the answers
    /// that follow are dropped.
    func forEachAnswer(to tickets: [Ticket], _ body: (Int, Answer) throws -> Void) throws {
      var next = 0
      defer { for ticket in tickets[next...] { forget(ticket) } }
      while next < tickets.count {
        next += 1
        try body(next - 1, answer(to: tickets[next - 1]))
      }
    }

    func run(_ statement: Statement, _ parameters: borrowing Parameters = Parameters()) throws -> Answer {
      try answer(to: send(statement, parameters))
    }

    /// Runs statements without parameters or rows, such as DDL, each in the order given.
    func execute(_ texts: String...) throws {
      for text in texts { try sendQuietly(Statement(text)) }
      try finish()
    }

    /// Sends the last statement of a transaction. Its answer is read before the next transaction begins.
    func sendAhead(_ statement: Statement) throws {
      try sendQuietly(statement)
      try flushAhead()
      hasSent = false
    }

    /// Flushes the queued statements to the server, and does not wait.
    func flushAhead() throws {
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      expected.append(.sync)
      try flush()
    }

    /// Consumes received bytes from the socket, so that the server can send more. Does not wait.
    func consumeInput() throws {
      guard PQconsumeInput(handle) == 1 else { throw lost() }
    }

    /// Drops the answer of a statement, and does not wait for it. Later statements of the transaction throw its error.
    ///
    /// - Parameter ticket: The ticket of an unanswered statement.
    func forget(_ ticket: Ticket) {
      if stash.removeValue(forKey: ticket.number) == nil { forgotten.insert(ticket.number) }
    }

    /// Reads all answers that are still to come.
    ///
    /// - Throws: The first error of a statement without a ticket, or of the connection. Else one of a statement whose
    ///   unread answer.
    func finish() throws {
      var first: (any Error)?
      while !expected.isEmpty || expected.isOpen {
        do {
          try readNext()
        } catch {
          if isBroken { throw error }
          first = first ?? error
        }
      }
      if let first { throw first }
      // Later statements would fail because of this error, and hide it.
      for case .failure(let error) in stash.values { throw error }
    }

    /// Reads all answers that are still to come, and drops them and their errors.
    ///
    /// - Returns: Whether there was no error.
    @discardableResult
    func discardAll() -> Bool {
      defer {
        stash.removeAll()
        forgotten.removeAll()
      }
      return (try? finish()) != nil
    }

    /// Sends the statements that begin a transaction. They travel with the first question.
    func begin(_ statements: [Statement]) throws {
      beginning = statements
      hasAnswered = false
      for statement in statements { try sendQuietly(statement) }
    }

    /// Ends the transaction, which has changed nothing, and begins it again with a new snapshot.
    func beginAgain() throws {
      try sendQuietly(Statement("ROLLBACK"))
      try begin(beginning)
    }
  }

  extension Connection {
    private func send(
      _ statement: Statement, _ parameters: borrowing Parameters, as item: ExpectedAnswers.Item
    ) throws {
      precondition(parameters.count == statement.types.count, "a value for each parameter")
      guard !isBroken else { throw lost() }
      let size = parameters.byteCount
      guard size <= mostBytes else {
        throw PostgresError(
          server: place,
          message:
            "expected at most \(mostBytes) bytes of values in a statement, found \(size)")
      }
      let name = preparesStatements ? try prepare(statement) : nil
      let formats = [Int32](repeating: 1, count: parameters.count)
      let sent = parameters.lend { values, lengths in
        if let name {
          return PQsendQueryPrepared(
            handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        return PQsendQueryParams(
          handle, statement.text, Int32(values.count), statement.types.map(\.rawValue), values, lengths,
          formats, 1)
      }
      guard sent == 1 else { throw lost() }
      expected.append(item, about: statement.subject)
      hasSent = true
      unflushed += size + statement.text.utf8.count
      // Bytes that the system does not take stay in libpq's buffer, whose limit is 2 GiB.
      if unflushed >= Self.mostUnflushed { try flush() }
    }

    private static let mostUnflushed = 1 << 20

    /// Sends the preparation of a statement that this connection has not prepared.
    private func prepare(_ statement: Statement) throws -> String {
      let number = expected.number()
      let text = ByteName(statement.text)
      if let known = prepared[text] {
        known.lastUse = number
        return known.name
      }
      if prepared.count >= PreparedStatement.maximum { try deallocateOldest() }
      let name = "fastmap_\(number)"
      let types = statement.types.map(\.rawValue)
      guard PQsendPrepare(handle, name, statement.text, Int32(types.count), types) == 1 else { throw lost() }
      expected.append(.preparation(text))
      prepared[text] = PreparedStatement(name, number)
      return name
    }

    /// Drops the statement that was not used for the longest time.
    private func deallocateOldest() throws {
      guard let (text, oldest) = prepared.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
      prepared[text] = nil
      let sent = PQsendQueryParams(handle, "DEALLOCATE \(oldest.name)", 0, nil, nil, nil, nil, 1)
      guard sent == 1 else { throw lost() }
      expected.append(.quiet)
      // A BEGIN after it could no longer choose an isolation level.
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      expected.append(.sync)
      hasSent = true
    }

    /// Reads the answer to the oldest thing that was sent.
    private func readNext() throws {
      if expected.isOpen {
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        expected.append(.sync)
      }
      guard let item = expected.first else { return }
      if hasSent {
        trips += 1
        hasSent = false
      }
      let found: Result<Answer, any Error>
      do {
        found = .success(try readOne(isSync: item.isSync))
      } catch  where !isBroken {
        found = .failure(error)
      }
      expected.removeFirst()
      switch (item, found) {
      case (.answer(let number), _): if forgotten.remove(number) == nil { stash[number] = found }
      case (.preparation(let text), .failure): prepared[text] = nil
      case (.sync, _): failure = nil
      case (.quiet, .failure(let error)): throw error
      case (.quiet, .success), (.preparation, .success): break
      }
    }

    private func readOne(isSync: Bool) throws -> Answer {
      guard let result = try nextResult() else { throw lost() }
      let answer = Answer(adopting: result)
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC: return answer
      case PGRES_PIPELINE_ABORTED:
        try endAnswer()
        throw failure ?? lost()
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        try endAnswer()
        if transactionError != nil, answer.tag == "BEGIN" { transactionError = nil }
        return answer
      default:
        let error = PostgresError(result, at: place, of: handle).named(expected.subject)
        if error.isConnectionLost { isBroken = true }
        if !isBroken, !isSync { try endAnswer() }
        let thrown = noted(error)
        failure = failure ?? thrown
        throw thrown
      }
    }

    /// Each answer but a sync ends with nothing.
    private func endAnswer() throws {
      while let more = try nextResult() { PQclear(more) }
    }

    /// The next result, when it has come; nil at the end of an answer.
    func nextResult() throws -> OpaquePointer? {
      try flush()
      while PQisBusy(handle) == 1 {
        try waitForInput()
      }
      return PQgetResult(handle)
    }

    /// Hands everything to the system, reading meanwhile, so that neither side waits for the other.
    func flush() throws {
      while try !flushOnce() { try wait(for: POLLIN | POLLOUT) }
    }

    /// Hands the system as many bytes as it takes.
    ///
    /// - Returns: Whether the system has taken all bytes.
    func flushOnce() throws -> Bool {
      switch PQflush(handle) {
      case 0:
        unflushed = 0
        return true
      case 1: return false
      default: throw lost()
      }
    }
  }

  extension ExpectedAnswers.Item {
    fileprivate var isSync: Bool {
      if case .sync = self { true } else { false }
    }
  }
#endif
