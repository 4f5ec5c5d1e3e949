/// The classes of an entity whose objects have kinds.
///
///     kind "Push"  ──▶ PushEvent
///     kind "Watch" ──▶ WatchEvent
///     no kind      ──▶ Event        an object that was met by its key alone
///
/// The class of an instance decides its kind and its properties, and never changes.
package struct KindClasses: Sendable {
  /// The class of a kind.
  struct Class: Sendable {
    /// The name of the kind; nil for the base class, unless it is the class of a kind.
    var kind: String?
    var objects: ObjectAccess
    var values: [String] = []
    /// Whether the kind has the objects with any other value.
    var takesOthers = false
  }

  /// The field with the name of the kind.
  package let field: Int
  /// The base class, and after it the classes of the kinds, each after its superclasses.
  let classes: [Class]
  private let places: [ObjectIdentifier: Int]
  /// The values that choose a kind.
  private let allValues: Set<String>

  init(field: Int, base: Class, kinds: [Class]) {
    self.field = field
    let depths = kinds.map { kind in
      let instance = kind.objects.make()
      return kinds.count { $0.objects.isInstance(instance) }
    }
    var classes = [base]
    for place in kinds.indices.sorted(by: { (depths[$0], $0) < (depths[$1], $1) }) {
      if kinds[place].objects.type == base.objects.type {
        classes[0] = kinds[place]
      } else {
        classes.append(kinds[place])
      }
    }
    self.classes = classes
    var places: [ObjectIdentifier: Int] = [:]
    for (place, known) in classes.enumerated() {
      places[ObjectIdentifier(type(of: known.objects.make()))] = place
    }
    for (place, known) in classes.enumerated() { places[known.objects.type] = place }
    self.places = places
    allValues = Set(classes.flatMap(\.values))
  }

  /// The place of the class of an instance; nil for a class that the kinds do not name.
  package func place(of instance: AnyObject) -> Int? {
    places[ObjectIdentifier(type(of: instance))]
      ?? classes.lastIndex { $0.kind != nil && $0.objects.isInstance(instance) }
  }

  /// The kind of an instance; nil for one without.
  package func kind(of instance: AnyObject) -> String? { place(of: instance).flatMap { classes[$0].kind } }

  /// Makes an instance of the class of a kind, or of the base class.
  ///
  /// - Parameter kind: The field with the name of the kind. Another name is refused when the property is set to it.
  package func make(_ kind: Field) -> AnyObject {
    guard let name = kind.bytes else { return classes[0].objects.make() }
    return make(named: name)
  }

  package func make(named kind: some Sequence<UInt8>) -> AnyObject {
    let place = classes.firstIndex { $0.kind?.utf8.elementsEqual(kind) ?? false }
    return classes[place ?? 0].objects.make()
  }

  /// Makes an instance of the class of another one.
  package func make(like instance: AnyObject) -> AnyObject {
    classes[place(of: instance) ?? 0].objects.make()
  }

  /// The names of the classes that kinds have, in messages.
  package var names: String {
    list(classes.filter { $0.kind != nil }.map(\.objects.typeName), conjunction: "or")
  }

  /// The kind of an instance in messages about a stored one.
  package func expectation(of instance: AnyObject?) -> String {
    guard let instance else { return "the kinds \(list(classes.compactMap(\.kind).map(quoted)))" }
    return kind(of: instance).map { "the kind \(quoted($0))" }
      ?? "the class \(type(of: instance)), which has no kind"
  }

  // MARK: Properties

  /// A property of some of the classes.
  ///
  /// - Parameter own: The property of each class; nil where it has none. An object shows nothing then, and takes nothing.
  package func attribute(_ own: [AttributeAccess?]) -> AttributeAccess? {
    guard let first = own.lazy.compactMap(\.self).first else { return nil }
    let closures = own.map { $0?.access }
    return AttributeAccess(
      access: { object, field, writer in
        guard let place = place(of: object), let access = closures[place] else { return nil }
        return access(object, field, writer)
      }, normalise: first.normalise, kind: first.kind, typeName: first.typeName,
      isOptional: first.isOptional || own.contains { $0 == nil }, fallback: first.fallback)
  }

  func link(_ own: [RelationshipAccess?]) -> RelationshipAccess? {
    guard let first = own.lazy.compactMap(\.self).first else { return nil }
    let closures = own.map { $0?.access }
    return RelationshipAccess(
      access: { object, step in
        guard let place = place(of: object), let access = closures[place] else { return [] }
        return access(object, step)
      }, shape: first.shape)
  }

  /// The name of the kind, as a property that only takes the name of its own class.
  var kindAccess: AttributeAccess {
    AttributeAccess(
      access: { object, field, writer in
        let kind = kind(of: object)
        if let writer {
          if let kind { writer.pointee.set(string: kind) }
          return nil
        }
        if field.isMissing || field.isNull { return nil }
        let isSame = kind.map { kind in field.bytes.map { kind.utf8.elementsEqual($0) } ?? false }
        return isSame ?? false ? nil : \KindClasses.field
      }, normalise: Self.copyText, kind: .string, typeName: expectation(of: nil))
  }

  /// The value that chooses the kind. Where the property has no value of its kind, or there is no property, the class
  /// decides.
  func valueAccess(_ own: [AttributeAccess?]) -> AttributeAccess {
    let property = attribute(own)
    return AttributeAccess(
      access: { object, field, writer in
        guard let writer, let place = place(of: object) else {
          return property?.access(object, field, writer)
        }
        _ = property?.access(object, field, writer)
        let value = writer.pointee.written.string
        if let value, classes[place].values.contains(value) { return nil }
        if classes[place].takesOthers, value.map({ !allValues.contains($0) }) ?? true { return nil }
        if let first = classes[place].values.first { writer.pointee.set(string: first) }
        return nil
      }, normalise: property?.normalise ?? Self.copyText, kind: .string,
      typeName: property?.typeName ?? "String", isOptional: property?.isOptional ?? true,
      fallback: property?.fallback)
  }

  private static let copyText: @Sendable (Field, inout FieldWriter) -> Bool = { field, writer in
    guard let text = field.string else { return false }
    writer.set(string: text)
    return true
  }
}

extension ObjectAccess {
  package func make(_ row: Row) -> AnyObject {
    if let kinds { return kinds.make(row[kinds.field]) }
    return make()
  }

  /// Makes a new instance of the class of another one.
  package func make(like instance: AnyObject) -> AnyObject { kinds?.make(like: instance) ?? make() }

  /// The classes whose new instances are objects of the entity.
  package var types: [ObjectIdentifier] {
    kinds?.classes.filter { $0.kind != nil }.map(\.objects.type) ?? [type]
  }

  /// Whether instances of another mapping's class are among its own.
  package func has(_ other: ObjectAccess?) -> Bool {
    other.map { $0.type == type || types.contains($0.type) } ?? false
  }
}
