#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  extension Preparation {
    /// Finds new fields that may be renamed old ones. Such an entity has objects, and an old field of the same kind
    /// that neither the schema nor a mapping beside it names.
    ///
    /// - Parameters:
    ///   - new: The fields that the schema adds.
    ///   - old: The catalog without them.
    /// - Returns: One sentence for each.
    func undeclaredRenames(of new: [SQLCatalog.Field], _ old: SQLCatalog) throws -> [String] {
      var notes: [String] = []
      var unnamed: [Int64: [SQLCatalog.Kind: [String]]] = [:]
      for field in new {
        guard let stored = try? old.entity(field.entity) else { continue }
        let known = try unnamed[stored.number] ?? unnamedFields(of: stored)
        unnamed[stored.number] = known
        guard let names = known[field.kind] else { continue }
        let shown = suggestion(for: field.name, among: names).map { [$0] } ?? Array(names.prefix(3))
        notes.append(
          "\(escaped(stored.name)) has a new field \(quoted(field.name)), and the mapping no longer has "
            + "\(list(shown.map { quoted($0) }, conjunction: "or")), which is still stored; "
            + "if this is a rename, the stored values do not move to the new name")
      }
      return notes
    }

    /// The fields of an entity with objects that no mapping names, by kind.
    private func unnamedFields(of stored: SQLCatalog.Entity) throws -> [SQLCatalog.Kind: [String]] {
      guard let mapped = schema.entities.first(where: { $0.name.utf8.elementsEqual(stored.name.utf8) }) else {
        return [:]
      }
      let named = Set(mapped.fields.map { ByteName($0.name) }).union(mapped.fieldsElsewhere)
      let fields = stored.fields.filter { !named.contains(ByteName($0.name)) }
      guard !fields.isEmpty, try hasObjects(stored) else { return [:] }
      return Dictionary(grouping: fields, by: \.kind).mapValues { $0.map(\.name) }
    }

    private func hasObjects(_ entity: SQLCatalog.Entity) throws -> Bool {
      let table = "\(SQLText.identifier(settings.schema)).\(entity.identifier)"
      return try connection.run(Statement("SELECT 1 FROM \(table) LIMIT 1")).rowCount > 0
    }
  }
#endif
