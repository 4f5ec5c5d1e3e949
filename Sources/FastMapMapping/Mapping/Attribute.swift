internal import CFastMap

/// One value of an object: a line of a mapping.
///
///     Attribute(\.name)                                  // of a class: its name and its type are the property's
///     Attribute("mail", \.email, at: "user_email")       // another name
///     Attribute("born", .date(.pattern("%Y-%m-%d")))     // of a record
///
/// The property's type conforms to ``AttributeValue``: `Bool`, an integer of any width, `Float`, `Double`, `String` or
/// `[UInt8]`. Or an enum with raw values, or an array, a set or an optional of these.
///
/// Null clears an optional property and leaves any other alone.
public struct Attribute<Object>: Sendable {
  /// The attribute without the type of its object.
  package let definition: AttributeDefinition

  /// The same attribute, which takes other JSON that means a value of its type, such as `"12"` and `12.0` for 12.
  ///
  /// A string is first read as the JSON number that it exactly is: `"12"`, but not `" 12"` or `"012"`. Then it takes:
  ///
  /// - for an integer, a number without a fraction: `5.0`, `1e3`;
  /// - for a boolean, `0`, `1`, `"true"` and `"false"`;
  /// - for a string, a number or a boolean, as its text;
  /// - for a date in seconds or milliseconds, a number in a string;
  /// - for every type but a string, `""` as no value;
  /// - in an array or a set of values, the same for each element.
  ///
  /// A primary key, and a reference by key alone, are read the same way. An attribute with a transform is not changed.
  public var lenient: Attribute { Attribute(definition: definition.lenient) }

  /// The same attribute with a default: the value of a new object whose payload lacks the member.
  ///
  ///     Attribute("role", .string).default("guest")
  ///
  /// The default is stored like any value, so that filters, sorts, indexes and exports see it. Null in a payload gives
  /// no value, or leaves a property alone that is not optional. Such a property shows its default where the store has
  /// no value.
  ///
  /// A property has a default already if two new instances of the class have the same value. A property that is not optional and
  /// differs in new instances, such as `Date()`, needs one.
  ///
  /// - Parameter value: A value of the attribute's kind, and within the property's range; a plan refuses any other.
  public func `default`(_ value: some AttributeValue) -> Attribute {
    Attribute(definition: definition.default(Value(value)))
  }

  private init(definition: AttributeDefinition) { self.definition = definition }
}

extension Value {
  /// The stored form of a property's value; null for one without a form.
  init(_ value: some AttributeValue) {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    var writer = FieldWriter(&slot, &arena)
    value.write(to: &writer)
    self = slot.value ?? .null
  }
}

extension Attribute where Object == Record {
  /// Makes an attribute of a record.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - type: The form of its value in JSON.
  ///   - keyPath: The place of its value.
  ///   - was: Its earlier name, which the first import replaces in the store.
  public init(
    _ name: String, _ type: AttributeType, at keyPath: JSONKeyPath = .ownName, was: String? = nil
  ) {
    definition = AttributeDefinition(name, type, at: keyPath, was: was)
  }
}

extension Attribute where Object == Record {
  /// Makes an attribute with all members, at any depth, that no field of the mapping reads.
  ///
  ///     Attribute.rest("other")
  ///
  /// The rest is a JSON object, and an export writes its members back. An import merges the members that it has by
  /// their names into the stored ones, and null removes one. Numbers keep their text. An empty object that a key path
  /// goes through is not written back.
  ///
  /// - Parameter name: Its name in the store and in messages, not empty.
  public static func rest(_ name: String) -> Attribute { Attribute(definition: .rest(name)) }
}

extension Attribute where Object: AnyObject {
  /// Makes an attribute of a class with all members, at any depth, that no field of the mapping reads.
  ///
  ///     Attribute.rest("other", \.other)      // var other: JSONText?
  ///
  /// The property holds a JSON object, or nil for none. An import merges the members of a payload by their names into the ones that
  /// the object has, and null removes one. An export writes them back. Setting the property replaces all of them: a save refuses a
  /// value that is no JSON object, null in a member, and a new member that a field reads.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.other`, nil in a new instance. Its type is stored as JSON and can hold any object.
  @inlinable
  @inline(__always)
  public static func rest<V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, V?> & Sendable
  ) -> Attribute {
    Attribute(name, property).asRest
  }
}

// Each attribute has one closure, which captures a key path literal. The closure is inlined into the caller's module,
// where the optimiser turns it into plain loads and stores: about ten nanoseconds an attribute. A key path that is
// looked up at run time costs 120 to 300. One closure reads and writes, as the optimiser does not touch a literal that
// two closures share.
extension Attribute where Object: AnyObject {
  /// Makes an attribute of a class.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  ///   - keyPath: The place of its value.
  ///   - type: Its form in JSON, such as a date's format; nil for the form of the property's type.
  ///   - transform: Reads and writes the value. A mapper's transform for the property's type is not used then.
  ///   - was: Its earlier name, which the first import replaces in the store.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, V> & Sendable,
    at keyPath: JSONKeyPath = .ownName, as type: AttributeType? = nil,
    transform: Transform<V.Unwrapped>? = nil, was: String? = nil
  ) {
    self.init(named: name, property, keyPath, type, transform, was)
  }

  /// Makes an attribute of a class with the name of its property.
  ///
  ///     Attribute(\.email, at: "user_email")
  ///
  /// A plan refuses a property without a name of its own: a path of several properties, a computed property, and any in a build
  /// without reflection metadata. Write the name before the key path there.
  ///
  /// - SeeAlso: The attribute with another name, whose parameters it has.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(
    _ property: ReferenceWritableKeyPath<Object, V> & Sendable,
    at keyPath: JSONKeyPath = .ownName, as type: AttributeType? = nil,
    transform: Transform<V.Unwrapped>? = nil, was: String? = nil
  ) {
    self.init(named: nil, property, keyPath, type, transform, was)
  }

  @inlinable
  @inline(__always)
  init<V: AttributeValue>(
    named name: String?, _ property: ReferenceWritableKeyPath<Object, V> & Sendable,
    _ keyPath: JSONKeyPath, _ type: AttributeType?, _ transform: Transform<V.Unwrapped>?, _ was: String?
  ) {
    self.init(name, V.self, at: keyPath, as: type, transform: transform, was: was) { object, field, writer in
      if let writer {
        unsafeDowncast(object, to: Object.self)[keyPath: property].write(to: &writer.pointee)
        return nil
      }
      if !field.isMissing {
        if let value = V(field) {
          unsafeDowncast(object, to: Object.self)[keyPath: property] = value
          return nil
        }
        if field.isNull { return nil }
      }
      return property
    }
  }
}

extension Attribute {
  /// The same property, with the members that no field reads.
  @usableFromInline
  var asRest: Attribute { Attribute(definition: definition.asRest) }

  /// - Parameters:
  ///   - name: Nil for the property's own, empty if it has none: a plan refuses it.
  ///   - access: Sets the property to the field, writes it, or returns its key path.
  @usableFromInline
  init<V: AttributeValue>(
    _ name: String?, _ value: V.Type, at keyPath: JSONKeyPath, as type: AttributeType?,
    transform: Transform<V.Unwrapped>?, was: String?, access: @escaping AttributeClosure
  ) {
    let access = AttributeAccess(
      access: access,
      normalise: { field, writer in
        guard let value = V(field) else { return false }
        value.write(to: &writer)
        return true
      },
      kind: V.attributeType.kind, typeName: "\(V.self)", isOptional: V.isOptional,
      fallback: V.fallbackForm)
    var definition = AttributeDefinition(
      name ?? access.property?.propertyName ?? "", V.self, at: keyPath, as: type, was: was)
    definition.access = access
    definition.rules.transform = transform.map { AnyTransform($0) }
    self.definition = definition
  }
}

extension AttributeDefinition {
  /// An attribute with the values of a type, without a property that takes them.
  package init<V: AttributeValue>(
    _ name: String, _ value: V.Type, at keyPath: JSONKeyPath = .ownName, as type: AttributeType? = nil,
    was: String? = nil
  ) {
    self.init(name, type ?? V.attributeType, at: keyPath, was: was)
    rules.range = V.integerRange
    rules.takesUnsigned = V.takesUnsigned
    rules.isFloat = V.Unwrapped.self == Float.self
    rules.hasDecimalElements = V.collection?.hasDecimals ?? false
    rules.keepsOnNull = !V.isOptional
    if V.expectation != nil { rules.misfit = { V.misfit(in: $0) } }
    rules.reading = V.reading
    rules.writeElements = V.writeElements ?? rules.writeElements
    rules.valueType = ObjectIdentifier(V.Unwrapped.self)
  }
}
