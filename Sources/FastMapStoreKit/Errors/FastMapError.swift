/// An error of FastMap. All its public errors conform: a code that stays the same, a place, and a message.
///
///     do { try run() } catch let error as any FastMapError {
///       log("\(error.code) at \(error.place ?? "no place"): \(error)")
///     }
///
/// The article *Errors* has a table of all codes. The message is the description.
public protocol FastMapError: Error, CustomStringConvertible {
  /// A word for the kind of error, which stays the same: `not-unique`.
  var code: String { get }
  /// The file, the value, the entity or the field of the error; nil for none.
  var place: String? { get }
}

extension FastMapError {
  public var place: String? { nil }
}

extension SchemaMismatchError: FastMapError {
  public var code: String { "schema-mismatch" }
  public var place: String? { field.map { "\(entity).\($0)" } ?? entity }
}

extension StoreContractError: FastMapError {
  public var code: String { "store-contract" }
}

extension UniquenessError: FastMapError {
  public var code: String { "not-unique" }
  public var place: String? { entity }
}

extension UnknownNameError: FastMapError {
  public var code: String { "unknown-name" }
}

extension ConflictError: FastMapError {
  public var code: String { "conflict" }
}

extension UnknownOutcomeError: FastMapError {
  public var code: String { "unknown-outcome" }
}

extension RefusedKeysError: FastMapError {
  public var code: String { "refused-keys" }
}

extension SystemError: FastMapError {
  public var code: String { "system" }
  public var place: String? { path }
}

extension TransactionError: FastMapError {
  public var code: String { "transaction" }
}
