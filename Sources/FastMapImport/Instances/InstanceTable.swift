internal import CFastMap

/// The instances of one entity that a payload makes or finds, each under a number, and under its key if it has one.
final class InstanceTable {
  let entity: Int
  let fieldCount: Int
  let attributes: [ClassAttribute]
  let relationships: [ClassRelationship]
  let links: [ClassRelationship]
  /// The attributes, for reading.
  private let readable: [(number: Int, access: AttributeAccess)]
  private let makeInstance: @Sendable () -> AnyObject
  /// The classes of the kinds; nil for an entity without kinds.
  let kinds: KindClasses?
  /// The defaults that a mapping names. The plan has their memory.
  private let defaults: [(access: AttributeAccess, value: Field)]
  private let plan: Plan
  /// The property of the primary key, or the properties of its parts; none without a key, or with a relationship as a part.
  private let keyProperties: [AttributeAccess]

  // @exclusivity(unchecked): only the methods below change them, and these call nothing else while they do.

  /// By number.
  @exclusivity(unchecked)
  private(set) var instances: [AnyObject] = []
  @exclusivity(unchecked)
  private(set) var keys = KeyTable()
  /// The keys of objects whose kind is known, before their instances are made.
  @exclusivity(unchecked)
  private var kindKeys = KeyTable()
  /// The mapping of each of these objects, which is a kind.
  @exclusivity(unchecked)
  private var kindMappings: [Int] = []
  /// The numbers of to-one targets without a key, by their owners in this table: see `holder`.
  @exclusivity(unchecked)
  private var owned = ObjectTable<Int32>()

  /// A field of an instance.
  private final class Scratch {
    private var buffer = RowBuffer()

    /// The value of a property, valid until the next one is read.
    func read(_ access: AttributeAccess, _ instance: AnyObject) -> fastmap_slot {
      buffer.reset(count: 1)
      buffer.set(access, of: instance, at: 0)
      return buffer.slots[0]
    }

    /// The primary key, valid as long as a value of `read`.
    func readKey(_ properties: [AttributeAccess], _ instance: AnyObject) -> fastmap_slot {
      if properties.count == 1 { return read(properties[0], instance) }
      let last = properties.count
      buffer.reset(count: last + 1)
      for (index, access) in properties.enumerated() { buffer.set(access, of: instance, at: index) }
      guard let key = PrimaryKey(joining: Array(0..<last), of: buffer.row) else { return fastmap_slot() }
      buffer.set(.string(key.memberName), at: last)
      return buffer.slots[last]
    }

    /// The value that a property would have after it is set to a field; nil if it would be left alone.
    func normalise(_ field: Field, _ access: AttributeAccess) -> fastmap_slot? {
      buffer.reset(count: 1)
      return buffer.normalise(field, access, at: 0) ? buffer.slots[0] : nil
    }
  }

  private let scratch = Scratch()
  private let normal = Scratch()
  /// Has the key of a new instance; made when it is asked for.
  private var blank: (memory: Scratch, key: fastmap_slot)?

  init(_ plan: Plan, entity: Int) {
    let layout = plan.schema.entities[entity]
    let own = plan.classes[entity]
    guard let objects = own.objects else { preconditionFailure("a class refers to classes") }
    self.entity = entity
    fieldCount = layout.fields.count
    attributes = own.attributes
    relationships = own.relationships
    links = own.links
    readable = layout.fields.indices.compactMap { number in own.attribute(number).map { (number, $0) } }
    makeInstance = objects.make
    kinds = objects.kinds
    self.plan = plan
    defaults = plan.compiled.defaults[entity].compactMap { value in
      guard own.namesDefault[value.field], let access = own.attribute(value.field) else {
        return nil
      }
      return (access, Field(value.slot))
    }
    let parts = plan.traits.partFields[entity]
    let keyFields = parts.isEmpty ? Array(plan.traits.keyFields[entity].prefix(1)) : parts
    let properties = keyFields.compactMap { own.attribute($0) }
    keyProperties = properties.count == keyFields.count && !plan.traits.isScoped[entity] ? properties : []
  }

  // MARK: Instances

  /// Makes an instance without a key.
  ///
  /// - Parameter row: Has its kind.
  /// - Returns: Its number.
  @inline(__always)
  func make(_ row: UnsafeMutablePointer<fastmap_batch_slot>?) -> Int {
    guard let kinds, let row else { return add(newInstance()) }
    return add(newInstance(kinds.make(Field(row[kinds.field].value))))
  }

  @inline(__always)
  private func newInstance() -> AnyObject { newInstance(makeInstance()) }

  @inline(__always)
  private func newInstance(_ instance: AnyObject) -> AnyObject {
    for value in defaults { value.access.set(instance, value.value) }
    return instance
  }

  /// Adds an instance of the caller.
  ///
  /// - Returns: Its number.
  @inline(__always)
  func add(_ instance: AnyObject) -> Int {
    instances.append(instance)
    return instances.count - 1
  }

  /// The number of the instance with a key, which is made if there is none.
  @inline(__always)
  func number(of key: fastmap_slot) throws(SystemError) -> (number: Int, isNew: Bool) {
    let next = instances.count
    let number = try keys.add(next, for: key)
    if number < next { return (number, false) }
    if let kinds, let mapping = kind(of: key), let name = plan.mappings[mapping].kind {
      instances.append(newInstance(kinds.make(named: name.utf8)))
    } else {
      instances.append(newInstance())
    }
    return (number, true)
  }

  /// Gives a key to an instance.
  ///
  /// - Returns: Whether the key was free.
  func setKey(_ key: fastmap_slot, of number: Int) throws(SystemError) -> Bool {
    try keys.add(number, for: key) == number
  }

  @inline(__always)
  func setAttributes(of number: Int, to row: UnsafeMutablePointer<fastmap_batch_slot>) {
    let instance = instances[number]
    attributes.withUnsafeBufferPointer { attributes in
      for index in attributes.indices {
        let slot = row[attributes[index].number].value
        if slot.tag != FASTMAP_MISSING { _ = attributes[index].access(instance, Field(slot), nil) }
      }
    }
  }

  /// Sets the properties of an instance of the caller whose attributes are in a row, unless they have the value. Observers
  /// hear of differences alone.
  func setDifferentAttributes(of number: Int, to row: UnsafeMutablePointer<fastmap_batch_slot>) {
    let instance = instances[number]
    for (number, access) in readable {
      let new = Field(row[number].value)
      if new.isMissing { continue }
      let old = scratch.read(access, instance)
      if old.isIdentical(to: new.slot) || new.isNull && old.tag == FASTMAP_MISSING { continue }
      // A property may hold another form of the value: 5.0 for 5.
      guard let normal = normal.normalise(new, access), !normal.isIdentical(to: old) else { continue }
      access.set(instance, new)
    }
  }

  /// The JSON text of an attribute; nil for none.
  func json(of number: Int, _ field: Int) -> [UInt8]? {
    guard let access = readable.first(where: { $0.number == field })?.access else { return nil }
    let slot = scratch.read(access, instances[number])
    return slot.tag == FASTMAP_JSON ? Array(slot.span) : nil
  }

  /// Copies the attributes of an instance.
  func read(_ instance: AnyObject, into buffer: inout RowBuffer) {
    buffer.reset(count: fieldCount)
    for (number, access) in readable { buffer.set(access, of: instance, at: number) }
  }

  /// Sets the attributes of an instance to the values that were read from it.
  func restore(_ instance: AnyObject, from row: Row) {
    for (number, access) in readable { access.set(instance, row[number].isMissing ? .null : row[number]) }
  }

  // MARK: Kinds

  /// The mapping of the object with a key, which is a kind; nil if it is not known.
  func kind(of key: fastmap_slot) -> Int? { kindKeys[key].map { kindMappings[$0] } }

  /// Records the mapping of an object. Its last one counts.
  func setKind(_ mapping: Int, of key: fastmap_slot) throws(SystemError) {
    let place = try kindKeys.add(kindMappings.count, for: key)
    if place == kindMappings.count { kindMappings.append(mapping) } else { kindMappings[place] = mapping }
  }

  /// The number of an object that may have changed its kind: its own, or the number of a copy of the class of its new kind.
  func number(_ old: Int, as row: UnsafeMutablePointer<fastmap_batch_slot>?) -> Int {
    guard let kinds, let row, let kind = Field(row[kinds.field].value).string,
      kinds.kind(of: instances[old]) != kind
    else { return old }
    let new = make(row)
    var values = RowBuffer()
    read(instances[old], into: &values)
    restore(instances[new], from: values.row)
    for property in relationships {
      let targets = property.access.get(instances[old])
      if !targets.isEmpty { property.access.set(instances[new], targets) }
    }
    return new
  }

  // MARK: To-one targets without a key

  /// The number of an owner's target, in the table of the targets.
  func owned(by number: Int, _ field: Int) -> Int? { owned[holder(number, field)].map { Int($0) } }

  func setOwned(_ target: Int, by number: Int, _ field: Int) {
    owned.set(Int32(target), for: holder(number, field))
  }

  private func holder(_ number: Int, _ field: Int) -> ObjectID {
    ObjectID(rawValue: UInt64(number * fieldCount + field + 1))
  }

  // MARK: Keys of the caller's instances

  /// Lends the key of an instance to `body`. A key is set if it differs from a new instance's.
  func withSetKey<R>(of instance: AnyObject, _ body: (fastmap_slot?) throws -> R) rethrows -> R {
    if keyProperties.isEmpty { return try body(nil) }
    let new: fastmap_slot
    if let blank {
      new = blank.key
    } else {
      let memory = Scratch()
      new = memory.readKey(keyProperties, makeInstance())
      blank = (memory, new)
    }
    let key = scratch.readKey(keyProperties, instance)
    let isSet = (key.tag == FASTMAP_INTEGER || key.tag == FASTMAP_STRING) && !key.isIdentical(to: new)
    return try body(isSet ? key : nil)
  }

  func hasSetKey(_ instance: AnyObject) -> Bool { withSetKey(of: instance) { $0 != nil } }
}
