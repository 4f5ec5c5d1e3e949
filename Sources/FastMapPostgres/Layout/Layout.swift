#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  // A store is a schema of PostgreSQL with tables of its own, one table for each entity, and one for each to-many
  // relationship:
  //
  //     fastmap_store     one row: version of this format, identity, version of the catalog
  //     fastmap_entity    number, name, table, kind of its keys, field and column with the key
  //     fastmap_field     number, entity, name, kind, target, column or table, whether it awaits its default
  //     fastmap_index     number, entity, name, fields
  //     fastmap_text      the mapping file, and the mappings of root objects
  //
  //     Person            fastmap_id, fastmap_shard, fastmap_order, fastmap_fingerprint, name, born, …
  //     Person_friends    owner, owner_shard, position, target
  //
  // An object's number is `fastmap_id`. Its upper 31 bits are `fastmap_shard`: a hash of the object's key, or random
  // without a key. Citus distributes the tables by it, so an object and its links share a server, and each unique index has
  // it. `fastmap_order` is null for an object with a key. The column orders the objects without one by their creation.
  //
  // A catalog only grows. `fastmap_store.version` counts its changes, and each transaction reads it with its first
  // question.

  /// The tables and columns of a store, as one transaction has seen them.
  struct Layout: Sendable {
    /// The version of the catalog, which shows whether it has changed.
    struct Version: Equatable, Sendable {
      /// The store's random identity, which a new store in the same schema does not share.
      let store: UUIDBytes
      /// The number of changes of the catalog.
      let number: Int64
    }

    /// Where the keys of an entity are.
    struct Key: Equatable, Sendable {
      /// The name of the field; nil if the schema that gave the entity its keys did not tell.
      let field: String?
      /// The column, without quotes.
      let column: String
    }

    /// The number of this format. A store of another number is refused.
    static let format: Int32 = 6
    static let keyColumn = "fastmap_key"
    /// The most columns of a table of PostgreSQL.
    static let mostColumns = 1600
    /// The longest key in bytes, which an index of PostgreSQL accepts for certain.
    static let maximumKeyLength = 2600

    /// The schema with the tables, without quotes.
    var schema: String
    let version: Version
    let fingerprintKey: Fingerprint.Key
    var catalog = SQLCatalog()
    /// New attributes whose defaults await a write.
    var awaited = Awaited()
    /// By the store's number of an entity.
    var keys: [Int64: Key] = [:]
    /// The columns that the server's own catalog has: type by name, by table.
    var found: [ByteName: [ByteName: String]] = [:]
    /// The names of the indexes and constraints that the schema has; nil on a server that may name them otherwise.
    var foundConstraints: Set<ByteName>?
  }

  /// The 16 bytes of a `uuid`.
  struct UUIDBytes: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    static var random: UUIDBytes {
      UUIDBytes(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }
  }

  extension Layout {
    /// A name of the schema, qualified and quoted.
    func qualified(_ name: String) -> String {
      "\(SQLText.identifier(schema)).\(SQLText.identifier(name))"
    }

    /// The name of an index or a constraint of ours, without quotes.
    ///
    /// The server might choose a name that a table of another entity wants: `Person_pkey`. No table has the names made
    /// here, because the prefix is reserved. Roles and numbers make them unique.
    ///
    /// - Parameters:
    ///   - role: The purpose, in one word.
    ///   - number: The entity's number; the field's for `target`, `links` and `owner`.
    ///   - name: The name of the table or the column, cut so that the result has 63 bytes at most.
    func ownName(_ role: String, _ number: Int64, _ name: String) -> String {
      var result = "\(SQLNames.reservedPrefix)\(role)_\(number)_"
      for scalar in name.unicodeScalars {
        guard result.utf8.count + UTF8.width(scalar) <= 63 else { break }
        result.unicodeScalars.append(scalar)
      }
      return result
    }

    /// The columns of a field with their types, in order; none for a to-many relationship.
    func columns(of field: SQLCatalog.Field) -> [(name: String, typeName: String)] {
      switch field.kind {
      case .attribute(let kind):
        let column = (field.sqlName, kind.typeName)
        return kind.hasExact ? [column, (field.exactName, "text")] : [column]
      case .toOne: return [(field.sqlName, "bigint")]
      case .toMany: return []
      }
    }

    /// The columns that every table of an entity has.
    static let ownColumns: [(name: String, typeName: String)] = [
      ("fastmap_id", "bigint"), ("fastmap_shard", "integer"), ("fastmap_order", "bigint"),
      ("fastmap_fingerprint", "uuid"),
    ]

    static let linkColumns: [(name: String, typeName: String)] = [
      ("owner", "bigint"), ("owner_shard", "integer"), ("position", "integer"), ("target", "bigint"),
    ]
  }

  extension SQLCatalog.Field {
    /// The name of the second column of an attribute. No column of a field begins so.
    var exactName: String {
      let name = "fastmap_exact_\(sqlName)"
      return name.utf8.count <= 63 ? name : "fastmap_exact_#\(number)"
    }
  }

  extension SQLNames {
    static var tables: SQLNames { SQLNames(maximumBytes: 63) }

    /// Names for columns of an entity's table. PostgreSQL has columns of its own in every table.
    static var columns: SQLNames {
      SQLNames(
        maximumBytes: 63, reserved: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "oid"])
    }
  }
#endif
