/// How instances of a class are made.
package struct ObjectAccess: Sendable {
  package let type: ObjectIdentifier
  package let typeName: String
  package let make: @Sendable () -> AnyObject

  init<Object: AnyObject>(type: Object.Type, make: @escaping @Sendable () -> Object) {
    self.type = ObjectIdentifier(type)
    typeName = "\(type)"
    self.make = { make() }
  }
}

/// How one property that is an attribute is set and read.
package struct AttributeAccess: Sendable {
  /// Sets the property; a missing field must not come here.
  package let set: @Sendable (AnyObject, FieldValue) -> Void
  package let get: @Sendable (AnyObject, inout FieldWriter) -> Void
  /// Writes a field as the property would after it was set to it.
  ///
  /// Returns false where the property would be left alone.
  package let normalise: @Sendable (FieldValue, inout FieldWriter) -> Bool
  /// What the property's type keeps in a store.
  package let kind: AttributeKind
  package let typeName: String
}

/// How one property that is a relationship is set and read.
package struct RelationshipAccess: Sendable {
  /// Sets the targets; nil for null.
  package let set: @Sendable (AnyObject, [AnyObject]?) -> Void
  package let get: @Sendable (AnyObject) -> [AnyObject]
  /// What the property keeps of an order and of repeats.
  package let shape: RelatedObjectsShape
}

/// How one property is set and read.
package enum FieldAccess: Sendable {
  case attribute(AttributeAccess)
  case relationship(RelationshipAccess)
}
