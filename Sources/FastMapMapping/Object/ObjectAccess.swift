/// Creates instances of a class.
package struct ObjectAccess: Sendable {
  package let type: ObjectIdentifier
  package let typeName: String
  package let make: @Sendable () -> AnyObject
  package let isInstance: @Sendable (AnyObject) -> Bool
  /// Whether instances are created, read and set only on the main actor.
  package var isOnMain = false
  /// Whether an instance of any subclass is stored with the fields of this class.
  package var takesSubclasses: Bool
  /// The classes of its kinds; nil for a class without kinds.
  package var kinds: KindClasses?

  init<Object: AnyObject>(
    type: Object.Type, takesSubclasses: Bool, make: @escaping @Sendable () -> Object
  ) {
    self.type = ObjectIdentifier(type)
    typeName = "\(type)"
    self.make = { make() }
    self.takesSubclasses = takesSubclasses
    isInstance = { $0 is Object }
  }

  init<Object: AnyObject>(
    onMain type: Object.Type, takesSubclasses: Bool, make: @escaping @MainActor () -> Object
  ) {
    // Like MainActor.assumeIsolated, but without a check for each instance: see MainActorError.
    self.init(
      type: type, takesSubclasses: takesSubclasses,
      make: unsafeBitCast(make, to: (@Sendable () -> Object).self))
    isOnMain = true
  }

  /// Whether an instance can be stored without losing fields of a subclass. A class that `make` chooses is the mapping's own.
  package func stores(_ instance: AnyObject) -> Bool {
    if let kinds {
      guard let place = kinds.place(of: instance), kinds.classes[place].kind != nil else { return false }
      return kinds.classes[place].objects.stores(instance)
    }
    let found = ObjectIdentifier(Swift.type(of: instance))
    return found == type || takesSubclasses || found == ObjectIdentifier(Swift.type(of: make()))
  }
}

/// Writes a property if there is a writer, and otherwise sets it to a field. With a missing field, it returns the key
/// path and uses no object. A key path stored beside the closure would prevent its optimisation into a plain load and
/// store.
///
/// This also returns the key path if the property cannot hold the value of the field, and leaves the property alone.
/// Null in a property without null leaves it alone, too, and returns nil.
@usableFromInline
package typealias AttributeClosure =
  @Sendable (AnyObject, Field, UnsafeMutablePointer<FieldWriter>?) -> AnyKeyPath?

/// Sets and reads a property that is an attribute.
package struct AttributeAccess: Sendable {
  package let access: AttributeClosure

  /// Writes the value that the property would have after it is set to a field.
  ///
  /// Returns false if the property would be left alone.
  package let normalise: @Sendable (Field, inout FieldWriter) -> Bool
  /// The stored kind of the property's type.
  package let kind: AttributeKind
  package let typeName: String
  package var isOptional = true
  /// The fallback that the type shows for a stored value without a case of its own; nil for a type without a fallback.
  package var fallback: Fallback?

  package init(
    access: @escaping AttributeClosure, normalise: @escaping @Sendable (Field, inout FieldWriter) -> Bool,
    kind: AttributeKind, typeName: String, isOptional: Bool = true, fallback: Fallback? = nil
  ) {
    self.access = access
    self.normalise = normalise
    self.kind = kind
    self.typeName = typeName
    self.isOptional = isOptional
    self.fallback = fallback
  }

  /// Sets the property. The field must not be missing.
  ///
  /// - Returns: Whether the property can hold the value. Otherwise it stays as it is. Null leaves a property without null alone.
  @discardableResult
  package func set(_ object: AnyObject, _ field: Field) -> Bool { access(object, field, nil) == nil }

  package func get(_ object: AnyObject, _ writer: inout FieldWriter) {
    withUnsafeMutablePointer(to: &writer) { _ = access(object, .missing, $0) }
  }

  package var property: AnyKeyPath? { access(NoObject(), .missing, nil) }
}

/// A placeholder if no object is used.
private final class NoObject {}

/// An operation on the property of a relationship.
@usableFromInline
package enum RelationshipStep {
  case get
  /// Nil for null.
  case set([AnyObject]?)
  /// Returns the key path, without an object.
  case property
}

/// Runs the operation. Returns the targets of the property, or its key path.
@usableFromInline
package typealias RelationshipClosure = @Sendable (AnyObject, RelationshipStep) -> [AnyObject]

/// Sets and reads a property that is a relationship.
package struct RelationshipAccess: Sendable {
  package let access: RelationshipClosure
  /// Whether the property keeps order and repeats.
  package let shape: RelatedObjectsShape

  package init(access: @escaping RelationshipClosure, shape: RelatedObjectsShape) {
    self.access = access
    self.shape = shape
  }

  /// Sets the targets; nil for null.
  package func set(_ object: AnyObject, _ targets: [AnyObject]?) { _ = access(object, .set(targets)) }

  package func get(_ object: AnyObject) -> [AnyObject] { access(object, .get) }

  package var property: AnyKeyPath? { access(NoObject(), .property).first as? AnyKeyPath }
}

/// Sets and reads a property.
package enum FieldAccess: Sendable {
  case attribute(AttributeAccess)
  case relationship(RelationshipAccess)
}
