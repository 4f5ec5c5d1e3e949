/// One value of an object: a line of a mapping.
///
///     Attribute("name", \.name)                          // of a class: its type is the property's
///     Attribute("email", \.email, at: "user_email")
///     Attribute("born", .date(.pattern("%Y-%m-%d")))     // of a record
///
/// A property may be a `Bool`, an integer of any width, a `Float`, a `Double`, a `String`, a `[UInt8]`, an
/// enum with raw values, an array or a set of these, or an optional of any: whatever is an
/// ``AttributeValue``.
///
/// Null clears an optional property and leaves any other alone.
public struct Attribute<Object>: Sendable {
  /// The attribute without the type of its object.
  public let description: AttributeDefinition

  init(_ description: AttributeDefinition) { self.description = description }

  /// The same attribute, which also takes `"12"`, `12.0`, and 0 or 1 for a boolean.
  public var lenient: Attribute {
    var description = description
    description.rules.isLenient = true
    return Attribute(description)
  }
}

extension Attribute where Object == Record {
  /// Makes an attribute of a record, whose key path is its name.
  public init(_ name: String, _ type: AttributeType) {
    description = AttributeDefinition(name, type)
  }

  /// Makes an attribute of a record.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - type: What it reads from JSON.
  ///   - keyPath: Where it stands; nil is the representation itself.
  public init(_ name: String, _ type: AttributeType, at keyPath: JSONKeyPath?) {
    description = AttributeDefinition(name, type, at: keyPath)
  }
}

// Each attribute has one closure, which captures a key path literal. Inlined into the caller's module, the optimiser
// turns it into plain loads and stores: about ten nanoseconds an attribute, where a key path that is looked up at run
// time costs 120 to 300. It is one closure for both ways, as the optimiser leaves a literal alone that two share.
extension Attribute where Object: AnyObject {
  /// Makes an attribute of a class, whose key path is its name.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(_ name: String, _ property: ReferenceWritableKeyPath<Object, V> & Sendable) {
    self.init(
      name, V.self, type: V.attributeType, keyPath: .named(name),
      access: Self.access(property))
  }

  /// Makes an attribute of a class.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  ///   - keyPath: Where it stands; nil is the representation itself.
  ///   - type: Its form in JSON, where it is not the property's own: a date's format.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, V> & Sendable, at keyPath: JSONKeyPath?,
    as type: AttributeType? = nil
  ) {
    self.init(
      name, V.self, type: type ?? V.attributeType, keyPath: keyPath, access: Self.access(property))
  }

  /// Makes an attribute of a class with another form in JSON than the property's own, whose key path is its
  /// name.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, V> & Sendable, as type: AttributeType
  ) {
    self.init(
      name, V.self, type: type, keyPath: .named(name), access: Self.access(property))
  }

  /// Makes an attribute of a class that is read and written by a transform.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  ///   - keyPath: Where it stands; nil is the representation itself.
  ///   - transform: Used in place of whatever a mapper has for the property's type, always.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, V> & Sendable, at keyPath: JSONKeyPath?,
    transform: Transform<V.Unwrapped>
  ) {
    self.init(
      name, V.self, type: V.attributeType, keyPath: keyPath, access: Self.access(property),
      transform: AnyTransform(transform))
  }

  /// Makes an attribute of a class that is read and written by a transform, whose key path is its name.
  @inlinable
  @inline(__always)
  public init<V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, V> & Sendable,
    transform: Transform<V.Unwrapped>
  ) {
    self.init(name, property, at: JSONKeyPath.named(name), transform: transform)
  }

  /// Sets the property to the field, writes it, or says which it is.
  @inlinable
  @inline(__always)
  static func access<V: AttributeValue>(
    _ property: ReferenceWritableKeyPath<Object, V> & Sendable
  ) -> AttributeClosure {
    { object, field, writer in
      if let writer {
        unsafeDowncast(object, to: Object.self)[keyPath: property].write(to: &writer.pointee)
      } else if let field {
        if let value = V(field) { unsafeDowncast(object, to: Object.self)[keyPath: property] = value }
      } else {
        return property
      }
      return nil
    }
  }
}

extension Attribute {
  @usableFromInline
  init<V: AttributeValue>(
    _ name: String, _ value: V.Type, type: AttributeType, keyPath: JSONKeyPath?,
    access: @escaping AttributeClosure, transform: AnyTransform? = nil
  ) {
    var description = AttributeDefinition(name, type, at: keyPath)
    description.access = AttributeAccess(
      access: access,
      normalise: { field, writer in
        guard let value = V(field) else { return false }
        value.write(to: &writer)
        return true
      },
      kind: V.attributeType.kind, typeName: "\(V.self)")
    description.rules.range = V.integerRange
    description.rules.takesUnsigned = V.takesUnsigned
    description.rules.isFloat = V.Unwrapped.self == Float.self
    description.rules.keepsOnNull = !V.isOptional
    if V.expectation != nil { description.rules.misfit = { V.misfit(in: $0) } }
    description.rules.reading = V.reading
    description.rules.transform = transform
    description.rules.valueType = ObjectIdentifier(V.Unwrapped.self)
    self.description = description
  }
}
