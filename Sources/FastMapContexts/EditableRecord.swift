/// An object of an entity without a class, in an ``ObjectContext``.
///
///     let context = try ObjectContext(store, for: plan)
///     defer { context.end() }
///     if let book = try context.record("Book", key: 5, including: ["author"]) {
///       book["title"] = "Dune"
///       try book.set("author", to: nil)
///       try context.save()
///     }
///
/// A context has one record for each such object, and reads, changes and saves it like an instance of a class. Its
/// attributes are values by name, and its relationships are other records.
///
/// Nothing is looked at before the save when you set an attribute. The save refuses a name that the entity does not have, and a
/// value of another kind. A relationship that was not loaded is an error where you read it.
///
/// - Note: Thread rule: not `Sendable`. Use a record where its context was made.
public final class EditableRecord {
  let fields: RecordFields
  /// The attributes, by place. A value of another kind stays as the caller has set it.
  var contents: [Value?]
  /// The targets of relationships and inverses, by place.
  var related: [[AnyObject]]
  private var loaded: [Bool]
  /// Attributes that have a value of another kind. The save refuses them, because a subscript that sets cannot throw.
  private var unfit: Set<Int> = []
  /// Values for names that the entity does not have.
  private var misnamed: Set<ByteName> = []
  /// The values as the context has read them; nil for a new record.
  var stored: OwnedRow?
  private var hasEnded = false

  /// - Parameter isNew: Whether it is not stored, so that it has defaults and its relationships are known.
  init(_ fields: RecordFields, isNew: Bool) {
    self.fields = fields
    contents = fields.attributes.map { isNew ? $0.defaultValue : nil }
    related = Array(repeating: [], count: fields.links.count)
    loaded = fields.links.map { _ in isNew }
  }

  /// The name of its entity.
  public var entity: String { fields.entity }

  /// The primary key that it has now; nil for an object without one.
  public var key: PrimaryKey? {
    for place in fields.keys {
      switch contents[place] {
      case .integer(let value): return .integer(value)
      case .string(let text): return .string(text)
      default: continue
      }
    }
    return nil
  }

  // MARK: Attributes

  /// The value of an attribute; nil if it has none.
  ///
  ///     book["title"] = "Dune"
  ///     book["price"] = nil
  ///
  /// An integer may be set where the attribute is a number, if a `Double` can hold it. Null is no value.
  ///
  /// A name that the entity does not have reads as nil. Setting it makes the save fail. Set it to nil to take that
  /// back.
  ///
  /// - Complexity: O(1).
  public subscript(name: String) -> Value? {
    get { fields.attribute(name).flatMap { contents[$0] } }
    set {
      let value = newValue == .null ? nil : newValue
      guard let place = fields.attribute(name) else {
        let isTakenBack = value == nil && misnamed.remove(ByteName(name)) != nil
        if !isTakenBack { misnamed.insert(ByteName(name)) }
        return
      }
      unfit.remove(place)
      contents[place] = nil
      guard let value else { return }
      if let fitted = value.fitted(to: fields.attributes[place].kind) {
        contents[place] = fitted == .null ? nil : fitted
      } else {
        unfit.insert(place)
        contents[place] = value
      }
    }
  }

  /// The attributes with a value, in the order of the schema.
  public var values: [(name: String, value: Value)] {
    zip(fields.attributes, contents).compactMap { attribute, value in value.map { (attribute.name, $0) } }
  }

  // MARK: Relationships

  /// The target of a to-one relationship or inverse, or the first of a to-many; nil if it has none.
  ///
  ///     let name = try book.target("author")?["name"]
  ///
  /// - Parameters:
  ///   - name: A relationship or an inverse.
  ///   - type: The class of the target if its entity has one.
  /// - Throws: ``ContextError`` for a relationship that was not loaded. ``UnknownNameError``
  ///   for another name. ``ContextError`` for another class, and if the context has ended.
  public func target<Object: AnyObject>(
    _ name: String, as type: Object.Type = EditableRecord.self
  ) throws -> Object? {
    try targets(name, as: type).first
  }

  /// The targets of a relationship, in order. The objects of an inverse ascend by key.
  ///
  /// - Parameters:
  ///   - name: A relationship or an inverse.
  ///   - type: The class of the targets if their entity has one.
  /// - Throws: As ``target(_:as:)``.
  public func targets<Object: AnyObject>(
    _ name: String, as type: Object.Type = EditableRecord.self
  ) throws -> [Object] {
    let place = try link(name)
    let link = fields.links[place]
    let isRight =
      link.objects.map { $0.type == ObjectIdentifier(type) || $0.types.contains(ObjectIdentifier(type)) }
      ?? (type == EditableRecord.self)
    guard isRight else {
      throw ContextError.otherClass(
        entity: fields.schema.entities[link.target].name, expected: link.objects?.typeName ?? "records",
        found: "\(type)")
    }
    if !loaded[place], related[place].isEmpty || link.isToMany { throw notLoaded(place) }
    return related[place].compactMap { $0 as? Object }
  }

  /// Sets the target of a to-one relationship.
  ///
  ///     try book.set("author", to: jane)
  ///
  /// - Parameters:
  ///   - name: A relationship, loaded if `target` is nil.
  ///   - target: A record of the same context, or an instance of the class of the target's entity. Nil clears the relationship.
  /// - Throws: ``ContextError`` or ``UnknownNameError``. Nothing is changed then.
  public func set(_ name: String, to target: AnyObject?) throws {
    let place = try editableLink(name)
    if fields.links[place].isToMany {
      throw wrongValue(name, "a list of objects", target == nil ? "nil" : "one object")
    }
    if let target {
      try check(target, place)
    } else if !loaded[place] {
      throw notLoaded(place)
    }
    related[place] = target.map { [$0] } ?? []
  }

  /// Sets the targets of a to-many relationship, in order.
  ///
  ///     try book.set("editors", to: book.targets("editors").reversed())
  ///
  /// - Parameters:
  ///   - name: A relationship that was loaded.
  ///   - targets: Records of the same context, or instances of the class of the targets' entity.
  /// - Throws: ``ContextError`` or ``UnknownNameError``. Nothing is changed then.
  public func set(_ name: String, to targets: [AnyObject]) throws {
    let place = try editableLink(name)
    if !fields.links[place].isToMany { throw wrongValue(name, "one object or nil", "a list") }
    if !loaded[place] { throw notLoaded(place) }
    for target in targets { try check(target, place) }
    related[place] = targets
  }
}

// MARK: - Checks

extension EditableRecord {
  private func link(_ name: String) throws -> Int {
    if hasEnded { throw ContextError.hasEnded }
    return try fields.link(name)
  }

  private func editableLink(_ name: String) throws -> Int {
    let place = try link(name)
    if let relationship = fields.links[place].inverseOf {
      throw ContextError.editedInverse(
        entity: entity, key: storedKey, title: title, inverse: name, relationship: relationship)
    }
    return place
  }

  private func check(_ target: AnyObject, _ place: Int) throws {
    let link = fields.links[place]
    if let objects = link.objects {
      if objects.isInstance(target) { return }
      throw wrongValue(link.name, "an instance of \(objects.typeName)", "one of \(type(of: target))")
    }
    let expected = "a record of \(escaped(fields.schema.entities[link.target].name))"
    guard let record = target as? EditableRecord else {
      throw wrongValue(link.name, expected, "an instance of \(type(of: target))")
    }
    if record.fields.graph != fields.graph || record.hasEnded {
      throw wrongValue(link.name, expected, "one of another context")
    }
    if record.fields.number != link.target {
      throw wrongValue(link.name, expected, "one of \(escaped(record.entity))")
    }
  }

  /// The key in messages: the stored one, because the caller may have set another object's.
  private var storedKey: PrimaryKey? {
    guard let stored else { return key }
    return fields.keyFields.lazy.compactMap { PrimaryKey(slot: stored.slots[$0]) }.first
  }

  private var title: String { ContextError.title(entity, storedKey) }

  private func notLoaded(_ place: Int) -> ContextError {
    .notLoaded(entity: entity, key: storedKey, title: title, relationship: fields.links[place].name)
  }

  private func wrongValue(_ field: String, _ expected: String, _ found: String) -> ContextError {
    .wrongValue(
      entity: entity, key: storedKey, title: title, field: field, expected: expected, found: found)
  }
}

// MARK: - For the context

extension EditableRecord {
  func show(_ field: Field, at place: Int) {
    contents[place] = field.isNull ? nil : field.value
    unfit.remove(place)
  }

  func setLoaded(at place: Int) { loaded[place] = true }

  /// The key of a new object; nil if the attribute has a value of another kind.
  var newKey: PrimaryKey? { unfit.isDisjoint(with: fields.keys) ? key : nil }

  /// - Parameter object: Returns the stored key and the name for messages. The record may show another key.
  /// - Throws: ``UnknownNameError``, or ``ContextError``, for values that cannot be saved.
  func check(_ object: () -> (key: PrimaryKey?, title: String)) throws {
    if let name = misnamed.map(\.text).min() { throw fields.unknownAttribute(name) }
    guard let place = unfit.min(), let value = contents[place] else { return }
    let (attribute, (key, title)) = (fields.attributes[place], object())
    throw ContextError.wrongValue(
      entity: entity, key: key, title: title, field: attribute.name,
      expected: attribute.kind.expectation(for: value), found: value.found)
  }

  /// Forgets unknown names that the caller has set.
  func forgetMisnamed() { misnamed = [] }

  /// Empties the relationships. They cannot be read any more.
  func end() {
    hasEnded = true
    related = Array(repeating: [], count: related.count)
  }
}

extension AttributeKind {
  fileprivate func expectation(for value: Value) -> String {
    switch (self, value) {
    case (.data, _): "data"
    case (.json, _): "JSON text"
    case (.number, .integer), (.number, .unsigned): "a number that a Double can hold"
    default: noun
    }
  }
}
