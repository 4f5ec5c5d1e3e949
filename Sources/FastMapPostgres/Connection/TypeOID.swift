#if Postgres
  /// The number of a type of PostgreSQL. Built-in types have the same numbers in every server.
  struct TypeOID: Hashable, Sendable {
    let rawValue: UInt32

    static let boolean = TypeOID(rawValue: 16)
    static let bytea = TypeOID(rawValue: 17)
    static let int8 = TypeOID(rawValue: 20)
    static let int4 = TypeOID(rawValue: 23)
    static let text = TypeOID(rawValue: 25)
    static let float8 = TypeOID(rawValue: 701)
    static let timestamptz = TypeOID(rawValue: 1184)
    static let numeric = TypeOID(rawValue: 1700)
    static let jsonb = TypeOID(rawValue: 3802)

    /// Each type with the type of its arrays.
    private static let arrays: [(element: UInt32, array: UInt32)] = [
      (16, 1000), (17, 1001), (20, 1016), (23, 1007), (25, 1009), (701, 1022),
      (1184, 1185),
      (1700, 1231), (2950, 2951), (3802, 3807),
    ]

    /// The type of arrays of this type. Traps for a type that has none here.
    var array: TypeOID {
      guard let pair = Self.arrays.first(where: { $0.element == rawValue }) else {
        preconditionFailure("type \(rawValue) has no array here")
      }
      return TypeOID(rawValue: pair.array)
    }

    /// The type of the elements of this type of arrays. Traps for another type.
    var element: TypeOID {
      guard let pair = Self.arrays.first(where: { $0.array == rawValue }) else {
        preconditionFailure("type \(rawValue) is no array")
      }
      return TypeOID(rawValue: pair.element)
    }
  }
#endif
