#if Postgres
  package import FastMapStoreKit
  internal import FastMapSQL

  /// The statements of a preparation as a script, for somebody with the right to run it.
  extension Preparation {
    /// Changes nothing and needs no right but to read the catalog.
    ///
    /// - Returns: One transaction; no line if nothing is missing.
    func script() throws -> [String] {
      let (statement, parameters) = Layout.existence(in: name)
      let exists = try !connection.run(statement, parameters).isNull(0, 0)
      let catalog = exists ? [] : try self.catalog()
      let layout =
        exists
        ? try Layout.readExisting(connection, schema: name)
        : Layout(
          schema: name, version: Layout.Version(store: .random, number: 1),
          fingerprintKey: Fingerprint.Key(high: 0, low: 0))
      if case let notes = try changes(of: layout).notes, !notes.isEmpty {
        throw PostgresError(
          server: connection.place,
          message: "no script converts stored values or renames them; prepare without --print would: "
            + notes.joined(separator: "; "), schema: name)
      }
      let growth = try growth(of: layout, exists ? takenNames() : SQLNames.tables)
      let statements = catalog + (growth?.lost.map { (Statement($0.statement), Parameters()) } ?? [])
      let all = try (statements + (growth?.statements ?? [])).map { try text(of: $0, $1) + ";" }
      return all.isEmpty ? [] : ["BEGIN;"] + all + ["COMMIT;"]
    }

    /// A statement with its values as literals, which the server writes.
    private func text(of statement: Statement, _ parameters: Parameters) throws -> String {
      if parameters.count == 0 { return statement.text }
      let literals = (1...parameters.count).map {
        "quote_nullable($\($0)::text) || '::' || pg_typeof($\($0))::text"
      }
      let question = Statement("SELECT \(literals.joined(separator: ", "))", types: statement.types)
      let answer = try connection.run(question, parameters)
      return statement.replacingParameters { answer.text(0, $0 - 1) }
    }
  }

  extension Statement {
    /// The text with a literal for each parameter. A `$1` in a name or a string stays.
    func replacingParameters(with literal: (Int) -> String) -> String {
      var result = ""
      var quote: Unicode.Scalar?
      var rest = text.unicodeScalars[...]
      while let scalar = rest.popFirst() {
        if let open = quote {
          if scalar == open { quote = nil }
        } else if scalar == "\"" || scalar == "'" {
          quote = scalar
        } else if scalar == "$", let number = Int(String(Substring(rest.prefix { ("0"..."9").contains($0) })))
        {
          rest = rest.drop { ("0"..."9").contains($0) }
          result += literal(number)
          continue
        }
        result.unicodeScalars.append(scalar)
      }
      return result
    }
  }

  extension PostgresStore {
    /// The SQL that ``prepare(_:)`` would run: one transaction, a statement an element.
    ///
    /// Changes nothing, and needs no right but to read the catalog. Run it with a role that may create tables, before
    /// roles that may not import.
    ///
    /// - Returns: No statement if nothing is missing.
    /// - Throws: `SchemaMismatchError` if the stored objects do not match. ``PostgresError``.
    package func preparation(of schema: Schema) throws -> [String] {
      try explaining(.prepare, schema) {
        try pool.read(isRepeatable: true) { connection in
          try Preparation(connection: connection, schema: schema, settings: configuration, wait: .seconds(1))
            .script()
        }
      }
    }
  }
#endif
