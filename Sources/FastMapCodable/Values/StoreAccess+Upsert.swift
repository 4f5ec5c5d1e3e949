internal import FastMapContexts

extension StoreAccess where Self: ~Copyable {
  /// Stores values of a `Codable` type, and all that they contain: on a store in one transaction, on a transaction as a part of it.
  ///
  ///     try store.upsert([ada, charles], as: User.mapping)
  ///
  /// The values become a tree, which is imported without a text. An object with the key of a stored one updates it. A value has all of
  /// its fields: an optional without a value clears the field.
  ///
  /// - Parameters:
  ///   - values: A tree of all of them is in memory.
  ///   - mapping: The mapping of their type.
  ///   - options: How the import is done.
  /// - Returns: The report of the import.
  /// - Throws: `EncodingError`, and as an import of a ``Mapper``.
  @discardableResult
  public func upsert<Value: Codable>(
    _ values: some Sequence<Value>, as mapping: Mapping<Value>, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let (document, plan) = try mapping.tree(of: Array(values))
    return try Mapper(store).importJSON(document, as: plan, options: options)
  }

  /// Stores instances of a class that is `Codable`, too: by the properties that its mapping names, or by its coding.
  ///
  /// - SeeAlso: The calls for values and for instances.
  @discardableResult
  public func upsert<Value: Codable & AnyObject>(
    _ values: some Sequence<Value>, as mapping: Mapping<Value>
  ) throws -> ImportReport {
    if mapping.definition.recorded == nil { return try upsertInstances(values, as: mapping) }
    return try upsert(values, as: mapping, options: ImportOptions())
  }
}

extension Mapping where Object: Codable {
  /// The tree of values, and the plan that imports it.
  package func tree(of values: [Object]) throws -> (JSONDocument, Plan) {
    let plan = try definition.recorded?.encoded?.plan() ?? plan()
    return (try FastMapEncoder(writesNulls: true).encode(values), plan)
  }
}
