/// How instances of a class are made.
package struct ObjectAccess: Sendable {
  package let type: ObjectIdentifier
  package let typeName: String
  package let make: @Sendable () -> AnyObject
  package let isInstance: @Sendable (AnyObject) -> Bool
  /// Whether instances are made, read and set on the main actor alone.
  package var isOnMain = false

  init<Object: AnyObject>(type: Object.Type, make: @escaping @Sendable () -> Object) {
    self.type = ObjectIdentifier(type)
    typeName = "\(type)"
    self.make = { make() }
    isInstance = { $0 is Object }
  }

  init<Object: AnyObject>(onMain type: Object.Type, make: @escaping @MainActor () -> Object) {
    // As MainActor.assumeIsolated has it, without asking once more for each instance: see MainActorError.
    self.init(type: type, make: unsafeBitCast(make, to: (@Sendable () -> Object).self))
    isOnMain = true
  }
}

/// Writes a property where there is a writer, or sets it to a field. With a missing field it says which property it is, and looks
/// at no object: a key path that is kept beside the closure would not become a plain load and store in it.
@usableFromInline
package typealias AttributeClosure =
  @Sendable (AnyObject, Field, UnsafeMutablePointer<FieldWriter>?) -> AnyKeyPath?

/// How one property that is an attribute is set and read.
package struct AttributeAccess: Sendable {
  package let access: AttributeClosure

  /// Writes a field as the property would after it was set to it.
  ///
  /// Returns false where the property would be left alone.
  package let normalise: @Sendable (Field, inout FieldWriter) -> Bool
  /// What the property's type keeps in a store.
  package let kind: AttributeKind
  package let typeName: String

  /// Sets the property; a missing field must not come here.
  package func set(_ object: AnyObject, _ field: Field) { _ = access(object, field, nil) }

  package func get(_ object: AnyObject, _ writer: inout FieldWriter) {
    withUnsafeMutablePointer(to: &writer) { _ = access(object, .missing, $0) }
  }

  /// The property.
  var property: AnyKeyPath? { access(NoObject(), .missing, nil) }
}

/// In place of an object where none is looked at.
private final class NoObject {}

/// What is done with the property of a relationship.
@usableFromInline
enum RelationshipStep {
  case get
  /// Nil for null.
  case set([AnyObject]?)
  /// Which one it is; no object is looked at.
  case property
}

/// Does it; returns what was asked for, the targets that the property has or the property itself.
@usableFromInline
typealias RelationshipClosure = @Sendable (AnyObject, RelationshipStep) -> [AnyObject]

/// How one property that is a relationship is set and read.
package struct RelationshipAccess: Sendable {
  let access: RelationshipClosure
  /// What the property keeps of an order and of repeats.
  package let shape: RelatedObjectsShape

  /// Sets the targets; nil for null.
  package func set(_ object: AnyObject, _ targets: [AnyObject]?) { _ = access(object, .set(targets)) }

  package func get(_ object: AnyObject) -> [AnyObject] { access(object, .get) }

  /// The property.
  var property: AnyKeyPath? { access(NoObject(), .property).first as? AnyKeyPath }
}

/// How one property is set and read.
package enum FieldAccess: Sendable {
  case attribute(AttributeAccess)
  case relationship(RelationshipAccess)
}
