#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// How the lists of a batch change, by their tables.
  struct NewLinks {
    /// The added and removed links of one table.
    final class Table {
      let identifier: String
      fileprivate(set) var added: [(owner: ObjectID, position: Int32, target: ObjectID)] = []
      fileprivate var removed: [(owner: ObjectID, position: Int32)] = []

      init(_ identifier: String) { self.identifier = identifier }
    }

    private var byName: [ByteName: Table] = [:]
    private var order: [Table] = []

    func additions(_ bounds: StatementBounds) -> [AddedLinks] {
      order.flatMap { table in
        table.added.chunks(of: bounds.count(ofSize: AddedLinks.size)).map {
          AddedLinks(identifier: table.identifier, links: $0)
        }
      }
    }

    var addedCount: Int { order.reduce(0) { $0 + $1.added.count } }

    private mutating func table(_ identifier: String) -> Table {
      let name = ByteName(identifier)
      if let known = byName[name] { return known }
      let table = Table(identifier)
      byName[name] = table
      order.append(table)
      return table
    }

    mutating func addAll(of indices: [Int], _ changes: [ObjectChange], _ bound: Binding.Entity) {
      for (number, field) in bound.fields.enumerated() {
        guard let field, field.stored.isToMany else { continue }
        let table = table(field.identifier)
        for index in indices {
          let change = changes[index]
          let targets = change.row[number].targets
          if targets.isEmpty { continue }
          // A merged list has each target once.
          let isMerged = change.update(of: number) == .merge
          let wanted =
            isMerged ? SQLListChange(from: [], to: Array(targets), update: .merge).added : Array(targets)[...]
          for (position, target) in wanted.enumerated() {
            table.added.append((change.id, Int32(position), target))
          }
        }
      }
    }

    /// Compares the lists of a stored object, and reports the targets that a `replace` removes.
    ///
    /// - Returns: Whether a list changes.
    mutating func change(
      listsOf index: Int, _ batch: inout ChangeBatch, _ bound: Binding.Entity, _ old: SQLOldTargets
    ) -> Bool {
      let owner = batch.changes[index].id
      var isChanged = false
      for number in bound.bound.lists {
        guard let field = bound.fields[number],
          let list = old.listChange(of: number, by: index, of: batch), !list.isEmpty
        else { continue }
        isChanged = true
        let table = table(field.identifier)
        if let position = list.removedFrom { table.removed.append((owner, Int32(position))) }
        for (offset, target) in list.added.enumerated() {
          table.added.append((owner, Int32(list.firstAdded) + Int32(offset), target))
        }
      }
      old.recordRemoved(by: index, of: &batch)
      return isChanged
    }

    /// Sends the removals. Their errors come with the next answer.
    func sendRemovals(_ connection: Connection, _ limit: Int) throws {
      for table in order where !table.removed.isEmpty {
        let statement = Statement(
          """
          DELETE FROM \(table.identifier) l USING unnest($1, $2, $3) n (owner, shard, position)
          WHERE l.owner = n.owner AND l.owner_shard = n.shard AND l.position >= n.position
          """, .int8.array, .int4.array, .int4.array)
        for part in table.removed.chunks(of: limit) {
          let (owners, shards, positions) = (
            ArrayColumn(of: .int8), ArrayColumn(of: .int4), ArrayColumn(of: .int4)
          )
          for link in part {
            owners.int8(link.owner.column)
            shards.next().int4(link.owner.shard)
            positions.next().int4(link.position)
          }
          try connection.sendQuietly(statement, Parameters(owners, shards, positions))
        }
      }
    }
  }

  /// New links of one table, as many as one statement may have.
  struct AddedLinks {
    let identifier: String
    let links: ArraySlice<(owner: ObjectID, position: Int32, target: ObjectID)>

    /// The bytes of a link.
    static let size = 36
    private static let columns = "owner, owner_shard, position, target"

    var copyText: String { "COPY \(identifier) (\(Self.columns)) FROM STDIN (FORMAT binary)" }

    func copy(to writer: borrowing CopyWriter) throws {
      for link in links {
        try writer.beginRow(columns: 4)
        Self.write(link, to: writer.fields)
      }
    }

    private static func write(
      _ link: (owner: ObjectID, position: Int32, target: ObjectID), to fields: FieldBuffer
    ) {
      fields.int8(link.owner.column)
      fields.int4(link.owner.shard)
      fields.int4(link.position)
      fields.int8(link.target.column)
    }

    /// Sends an INSERT. Its errors come with the next answer.
    func send(_ connection: Connection) throws {
      let (owners, shards, positions, targets) = (
        ArrayColumn(of: .int8), ArrayColumn(of: .int4), ArrayColumn(of: .int4), ArrayColumn(of: .int8)
      )
      for link in links {
        owners.int8(link.owner.column)
        shards.next().int4(link.owner.shard)
        positions.next().int4(link.position)
        targets.int8(link.target.column)
      }
      try connection.sendQuietly(
        Statement(
          "INSERT INTO \(identifier) (\(Self.columns)) SELECT * FROM unnest($1, $2, $3, $4)",
          .int8.array, .int4.array, .int4.array, .int8.array),
        Parameters(owners, shards, positions, targets))
    }
  }
#endif
