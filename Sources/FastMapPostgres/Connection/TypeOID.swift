#if Postgres
  /// The number of a type of PostgreSQL. Those of the built-in types are the same in every server.
  struct TypeOID: Hashable, Sendable {
    let rawValue: UInt32

    static let boolean = TypeOID(rawValue: 16)
    static let bytea = TypeOID(rawValue: 17)
    static let int8 = TypeOID(rawValue: 20)
    static let int2 = TypeOID(rawValue: 21)
    static let int4 = TypeOID(rawValue: 23)
    static let text = TypeOID(rawValue: 25)
    static let json = TypeOID(rawValue: 114)
    static let float8 = TypeOID(rawValue: 701)
    static let timestamptz = TypeOID(rawValue: 1184)
    static let numeric = TypeOID(rawValue: 1700)
    static let jsonb = TypeOID(rawValue: 3802)

    /// The type of arrays of this type. Traps for a type that has none here.
    var array: TypeOID {
      switch self {
      case .boolean: TypeOID(rawValue: 1000)
      case .bytea: TypeOID(rawValue: 1001)
      case .int8: TypeOID(rawValue: 1016)
      case .int2: TypeOID(rawValue: 1005)
      case .int4: TypeOID(rawValue: 1007)
      case .text: TypeOID(rawValue: 1009)
      case .json: TypeOID(rawValue: 199)
      case .float8: TypeOID(rawValue: 1022)
      case .timestamptz: TypeOID(rawValue: 1185)
      case .numeric: TypeOID(rawValue: 1231)
      case .jsonb: TypeOID(rawValue: 3807)
      default: preconditionFailure("type \(rawValue) has no array here")
      }
    }
  }
#endif
