#if Postgres
  internal import FastMapCore
  internal import FastMapSQL

  /// The stored targets that a batch needs to know: those of the lists that it sets, and those that a `replace` removes.
  struct OldTargets {
    /// A target and its place in a list.
    struct Link {
      let position: Int32
      let target: ObjectID
    }

    private struct Question {
      let field: Int
      let owners: ArraySlice<Int>
      let ticket: Ticket
    }

    private var questions: [Question] = []
    /// By field, and by the index of a change.
    private var lists: [Int: [Int: [Link]]] = [:]

    /// Sends the questions about one entity.
    mutating func ask(
      about indices: [Int], _ changes: [ObjectChange], _ bound: Binding.Entity, _ connection: Connection,
      _ limit: Int
    ) throws {
      guard !indices.isEmpty else { return }
      for (number, field) in bound.fields.enumerated() {
        guard let field, let statement = Self.statement(field, bound) else { continue }
        let owners = indices.filter { index in
          let change = changes[index]
          guard !change.row[number].isMissing else { return false }
          return field.stored.isToMany || change.policy(of: number) == .replace
        }
        for start in stride(from: 0, to: owners.count, by: limit) {
          let part = owners[start..<min(start + limit, owners.count)]
          let ids = ArrayColumn(numbers: part.map { changes[$0].id })
          let ticket = try connection.send(statement, Parameters(ids))
          questions.append(Question(field: number, owners: part, ticket: ticket))
        }
      }
    }

    /// Asks for owner, position and target.
    private static func statement(_ field: Binding.BoundField, _ bound: Binding.Entity) -> Statement? {
      switch field.kind {
      case .attribute: nil
      case .toOne:
        Statement(
          """
          SELECT n.i, 0::int4, t.\(field.identifier) FROM unnest($1) WITH ORDINALITY n (id, i)
          JOIN \(bound.table) t ON t.fastmap_id = n.id WHERE t.\(field.identifier) IS NOT NULL
          """, .int8.array)
      case .toMany:
        Statement(
          """
          SELECT n.i, l.position, l.target FROM unnest($1) WITH ORDINALITY n (id, i)
          JOIN \(field.identifier) l ON l.owner = n.id
          """, .int8.array)
      }
    }

    /// Reads the answers. Takes one trip, or none if nothing was asked.
    mutating func receive(_ connection: Connection) throws {
      for question in questions {
        let answer = try connection.answer(to: question.ticket)
        var unsorted: Set<Int> = []
        for row in 0..<answer.rowCount {
          let owner = question.owners[question.owners.startIndex + Int(answer.int8(row, 0)) - 1]
          let link = Link(position: answer.int4(row, 1), target: answer.id(row, 2))
          if let last = lists[question.field]?[owner]?.last, last.position > link.position {
            unsorted.insert(owner)
          }
          lists[question.field, default: [:]][owner, default: []].append(link)
        }
        for owner in unsorted { lists[question.field]?[owner]?.sort { $0.position < $1.position } }
      }
      questions.removeAll()
    }

    /// The stored targets of a relationship, in order.
    func links(of field: Int, by change: Int) -> [Link] { lists[field]?[change] ?? [] }
  }
#endif
