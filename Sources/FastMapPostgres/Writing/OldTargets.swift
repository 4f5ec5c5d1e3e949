#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  extension PostgresWriter {
    /// Reads the stored targets that a batch needs to know. Takes one trip, or none if there is nothing to ask.
    func oldTargets(of changes: [ObjectChange]) throws -> SQLOldTargets {
      var old = SQLOldTargets(of: changes, binding.sql)
      var tickets: [(question: Int, start: Int, ticket: Ticket)] = []
      for (number, question) in old.questions.enumerated() {
        guard let bound = binding[question.entity], let statement = bound.linkStatement(question.field) else {
          continue
        }
        for start in stride(from: 0, to: question.owners.count, by: reader.maxRowsPerStatement) {
          let part = question.owners[start...].prefix(reader.maxRowsPerStatement)
          let ids = ArrayColumn(numbers: Array(part))
          tickets.append((number, start, try connection.send(statement, Parameters(ids))))
        }
      }
      var links = old.questions.map { [[SQLLink]](repeating: [], count: $0.owners.count) }
      for (question, start, ticket) in tickets {
        let answer = try connection.answer(to: ticket)
        for row in 0..<answer.rowCount {
          let link = SQLLink(position: Int64(answer.int4(row, 1)), target: answer.id(row, 2))
          links[question][start + Int(answer.int8(row, 0)) - 1].append(link)
        }
      }
      for question in links.indices { old.setLinks(links[question], to: question) }
      return old
    }
  }

  extension Binding.Entity {
    /// Asks for owner, position and target.
    fileprivate func linkStatement(_ number: Int) -> Statement? {
      guard let field = fields[number] else { return nil }
      return switch field.kind {
      case .attribute: nil
      case .toOne:
        Statement(
          """
          SELECT n.i, 0::int4, t.\(field.identifier) FROM unnest($1) WITH ORDINALITY n (id, i)
          JOIN \(table) t ON t.fastmap_id = n.id WHERE t.\(field.identifier) IS NOT NULL
          """, .int8.array)
      case .toMany:
        Statement(
          """
          SELECT n.i, l.position, l.target FROM unnest($1) WITH ORDINALITY n (id, i)
          JOIN \(field.identifier) l ON l.owner = n.id
          """, .int8.array)
      }
    }
  }
#endif
