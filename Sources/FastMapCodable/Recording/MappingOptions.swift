/// The parts of a mapping that its type does not have.
struct MappingOptions {
  /// The property that is the key.
  enum Key {
    /// The stored property `id` of an `Identifiable` type.
    case identifiable
    case property(AnyKeyPath)
    case none
  }

  /// The name of the entity; nil for the name of the type.
  var name: String?
  var key: Key
  var rootPath = JSONKeyPath.wholeValue
  var newerBy: String?
  var deletedBy: DeletedBy?
  var was: String?
  var fields: [MappingField] = []
  /// Whether the caller asks for the mapping.
  var isRoot = false
}
