#if !Postgres
  /// The store in PostgreSQL, which this build does not have.
  ///
  ///     .package(url: "…/fastmap", from: "1.0.0", traits: ["Postgres"])
  @available(
    *, unavailable,
    message:
      "enable the trait: .package(url: …, traits: [\"Postgres\"]) in Package.swift, or swift build --traits Postgres"
  )
  public struct PostgresStore: Sendable {}

  /// An error of the store in PostgreSQL, which this build does not have.
  ///
  ///     .package(url: "…/fastmap", from: "1.0.0", traits: ["Postgres"])
  @available(
    *, unavailable,
    message:
      "enable the trait: .package(url: …, traits: [\"Postgres\"]) in Package.swift, or swift build --traits Postgres"
  )
  public struct PostgresError: Error {}
#endif
