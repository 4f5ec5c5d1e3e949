public import FastMapCore

extension FilterObject {
  /// Whether the object has a key, or for nil whether there is no object.
  public static func == (a: FilterObject, b: PrimaryKey?) -> Filter { a.comparing(.equal, b) }
  public static func == (a: FilterObject, b: (some PrimaryKeyConvertible)?) -> Filter {
    a.comparing(.equal, b?.primaryKey)
  }
  /// Whether two relationships have the same target, or both have none.
  public static func == (a: FilterObject, b: FilterObject) -> Filter {
    Filter(.compare(.path(a.filterPath), .equal, .path(b.filterPath)))
  }

  /// Whether the object has another key, or for nil whether there is an object.
  public static func != (a: FilterObject, b: PrimaryKey?) -> Filter { a.comparing(.notEqual, b) }
  public static func != (a: FilterObject, b: (some PrimaryKeyConvertible)?) -> Filter {
    a.comparing(.notEqual, b?.primaryKey)
  }
  public static func != (a: FilterObject, b: FilterObject) -> Filter {
    Filter(.compare(.path(a.filterPath), .notEqual, .path(b.filterPath)))
  }

  private func comparing(_ comparison: BoundFilter.Comparison, _ key: PrimaryKey?) -> Filter {
    FilterTerm.path(filterPath).comparing(comparison, key?.literal ?? .null)
  }
}
