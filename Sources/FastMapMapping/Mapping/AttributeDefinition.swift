/// One value of an object, without the type of the object.
///
///     AttributeDefinition("city", .string, at: "address.city")
public struct AttributeDefinition: Sendable {
  /// Its name in the store, in records and in messages.
  public let name: String
  /// The type of its value, and its form in JSON.
  public let type: AttributeType

  /// The place of its value in the object's representation.
  package internal(set) var keyPath: JSONKeyPath

  /// The place of its value outside of the object's representation; nil for none. The value is written at `keyPath`.
  package private(set) var outerPath: JSONKeyPath?

  /// The place that was declared.
  package var place: JSONKeyPath { outerPath ?? keyPath }

  /// Whether it has the members that no field reads.
  package var isRest: Bool { source == .rest }

  /// The origin of a value.
  package enum Source {
    /// The value at the key path.
    case keyPath
    /// The name of the member that has the object: see ``MappingDefinition/named(by:)``.
    case memberName
    /// The parts of a primary key, joined: see ``KeyFields``.
    case parts
    /// The name of the mapping that a mapping with kinds chooses.
    case kind
    /// The members that no field reads.
    case rest
  }

  /// The origin of its value.
  package private(set) var source = Source.keyPath

  /// The primary key that joins several parts.
  ///
  /// - Parameter was: The earlier name of a part.
  init(joining key: KeyFields, _ was: (String) -> String?) {
    self.init(key.name, .string)
    source = .parts
    let earlier = KeyFields(names: key.names.map { was($0) ?? $0 }, isScoped: key.isScoped).name
    if !NameIndex.isSame(earlier, key.name) { self.was = earlier }
  }

  /// The same attribute, whose value is the name of the member that has the object.
  var asMemberName: AttributeDefinition {
    var attribute = self
    attribute.source = .memberName
    attribute.outerPath = nil
    if keyPath.isWhole { attribute.keyPath = JSONKeyPath.ownName.resolved(for: name) }
    return attribute
  }

  /// The attribute with all members that no field reads.
  package static func rest(_ name: String) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, .json, at: .wholeValue)
    attribute.source = .rest
    return attribute
  }

  /// The same property, with all members that no field reads. No transform of a mapper changes them.
  var asRest: AttributeDefinition {
    var attribute = Self.rest(name)
    attribute.was = was
    attribute.access = access
    attribute.rules = rules
    attribute.rules.valueType = nil
    return attribute
  }

  /// The attribute with the name of the chosen mapping.
  package static let kind: AttributeDefinition = {
    var attribute = AttributeDefinition(Kinds.fieldName, .string)
    attribute.source = .kind
    return attribute
  }()

  /// Whether its key path leads to its value.
  package var hasPlace: Bool { source == .keyPath }

  /// Whether it takes other JSON that means a value of its type, see ``lenient``.
  package var isLenient: Bool { rules.isLenient }

  /// The same attribute, which takes other JSON that means a value of its type: see ``Attribute/lenient``.
  package var lenient: AttributeDefinition { lenient(true) }

  func lenient(_ isLenient: Bool) -> AttributeDefinition {
    var attribute = self
    attribute.rules.isLenient = isLenient
    return attribute
  }

  /// The value of a new object whose payload lacks the member; nil for none.
  package var defaultValue: Value? { rules.defaultValue }

  /// The same attribute with a default: the value of a new object whose payload lacks the member.
  ///
  /// The default is stored like any value, so that filters, sorts, indexes and exports see it. Null in a payload gives
  /// no value. A plan refuses a value that the attribute cannot hold, and a default of a primary key.
  package func `default`(_ value: Value) -> AttributeDefinition {
    var attribute = self
    attribute.rules.defaultValue = value
    return attribute
  }

  /// Whether it stores a real by its text: `0.10`, `1E400`. The elements of a property that is a list are values of
  /// their type, which has a text of its own.
  package var keepsTextOfReals: Bool {
    if type == .decimal || hasDecimalElements { return true }
    return type == .json && rules.transform == nil && rules.reading == nil && rules.misfit == nil
  }

  /// Its earlier name, under which a store may still have it.
  package var was: String?

  /// The conditions on a value beyond its type, and how it is read.
  package var rules = AttributeRules()

  /// The property that takes it; nil in a record.
  package var access: AttributeAccess?

  /// Makes an attribute.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - type: The form of its value in JSON.
  ///   - keyPath: The place of its value.
  ///   - was: Its earlier name, under which a store may still have it.
  package init(
    _ name: String, _ type: AttributeType, at keyPath: JSONKeyPath = .ownName, was: String? = nil
  ) {
    self.name = name
    self.type = type
    self.was = was
    outerPath = keyPath.ifOuter?.inForm("\(type)")
    self.keyPath = (outerPath == nil ? keyPath : .ownName).resolved(for: name)
    rules.addElements(of: type, at: keyPath)
  }
}

/// The conditions on a value beyond its attribute's type, and how it is read.
package struct AttributeRules: Sendable {
  /// The integers that the property can hold; nil for all of 64 bits.
  package var range: ClosedRange<Int64>?
  /// Whether integers above `Int64.max` fit.
  package var takesUnsigned = false
  /// The value of a new object whose payload lacks the member.
  package var defaultValue: Value?
  /// Whether all that can be wrong with a number is that a `Float` cannot hold it.
  package var isFloat = false
  /// Whether other JSON is taken that means a value of the type.
  package var isLenient = false
  /// Writes an array with each element as its type has it, or as a lenient attribute reads it; nil if the property holds one
  /// value.
  package var writeElements: (@Sendable (JSONValue, _ isLenient: Bool, inout JSONWriter) -> Void)?
  package var hasDecimalElements = false
  /// Whether null leaves the value alone: the property has no way to say null.
  package var keepsOnNull = false
  /// Checks a value that has the right type; nil if every such value fits.
  package var misfit: (@Sendable (JSONValue) -> TypeMismatch?)?
  /// Reads JSON in place of the attribute's type, as the property's type defines it.
  package var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)?
  /// Reads and writes JSON in place of the attribute's type.
  package var transform: AnyTransform?
  /// The property's type without its optionality, for which a mapper may have a transform.
  package var valueType: ObjectIdentifier?
}
