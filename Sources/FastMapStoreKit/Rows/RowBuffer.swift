public import CFastMap  // for code that is inlined in other modules; users see no name of it

/// A row that owns its values. A store fills it to answer a read.
///
///     var buffer = RowBuffer()
///     buffer.reset(count: 3)
///     buffer.set(.string("Dune"), at: 1)
///
/// Reuse it for many rows, because it keeps its memory.
public struct RowBuffer: ~Copyable {
  /// Borrowed like `row`.
  @usableFromInline package private(set) var slots: UnsafeMutablePointer<fastmap_slot>
  private var capacity: Int
  @usableFromInline package var count = 0
  private var arena = fastmap_arena()

  /// Whether each value since the last ``reset(count:)`` has found memory. A value that has not is missing in the row, so
  /// such a row must not be taken for the object's.
  ///
  /// FastMap checks the buffers that it hands to a store. A store that lends the row of a buffer of its own checks this.
  @usableFromInline package private(set) var isWhole = true

  /// Makes a buffer without fields.
  public init() {
    capacity = 16
    slots = .allocate(capacity: capacity)
  }

  deinit {
    slots.deallocate()
    var arena = self.arena
    fastmap_arena_free(&arena)
  }

  /// Sets the number of fields, makes all of them missing, and releases their bytes.
  public mutating func reset(count: Int) {
    if count > capacity {
      slots.deallocate()
      capacity = count
      slots = .allocate(capacity: count)
    }
    self.count = count
    slots.initialize(repeating: fastmap_slot(), count: count)
    fastmap_arena_reset(&arena)
    isWhole = true
  }

  /// The fields, borrowed until the next change.
  public var row: Row {
    @_lifetime(borrow self)
    get { Row(slots: slots, count: count) }
  }

  /// The same for a caller that keeps the buffer as it is.
  @inlinable
  package var unsafeRow: Row {
    @_lifetime(immortal)
    get { Row(slots: slots, count: count) }
  }

  /// - Throws: ``SystemError`` if memory has run out for one of the values.
  @inlinable
  package func checkWhole() throws(SystemError) {
    if !isWhole { throw SystemError.outOfMemory }
  }

  /// Copies a value into a field. If there is no memory for it, the field stays missing.
  public mutating func set(_ value: Value, at field: Int) {
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    var slot = fastmap_slot()
    switch value {
    case .null: slot.tag = UInt8(FASTMAP_NULL)
    case .boolean(let value): slot.set(FASTMAP_BOOLEAN, integer: value ? 1 : 0)
    case .integer(let value): slot.set(FASTMAP_INTEGER, integer: value)
    case .unsigned(let value): slot.set(FASTMAP_UNSIGNED, integer: Int64(bitPattern: value))
    case .number(let value):
      slot.tag = UInt8(FASTMAP_NUMBER)
      slot.number = value
    case .decimal(let value): copy(value.text.utf8, as: FASTMAP_DECIMAL, to: &slot)
    case .string(let text): copy(text.utf8, as: FASTMAP_STRING, to: &slot)
    case .data(let bytes): copy(bytes, as: FASTMAP_DATA, to: &slot)
    case .json(let text): copy(text.utf8, as: FASTMAP_JSON, to: &slot)
    case .date(let instant):
      slot.set(FASTMAP_DATE, integer: instant.seconds)
      slot.length = instant.nanoseconds
    }
    slots[field] = slot
  }

  /// Copies a lent field, including its bytes, without making a string. If there is no memory for them, the field stays
  /// missing: see ``isWhole``.
  package mutating func copy(_ lent: Field, at field: Int) {
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    guard let bytes = lent.bytes else {
      slots[field] = lent.slot
      return
    }
    var slot = fastmap_slot()
    copy(bytes, as: Int(lent.slot.tag), to: &slot)
    slots[field] = slot
  }

  /// Sets a field to a lent value without copying its bytes, which must stay in place as long as the field has them.
  @inline(__always)
  package mutating func borrow(_ lent: Field, at field: Int) {
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    slots[field] = lent.slot
  }

  /// Copies all fields of a lent row, including their bytes.
  public mutating func copy(_ row: Row) {
    reset(count: row.count)
    for field in 0..<row.count { copy(row[field], at: field) }
  }

  /// Writes into a field. Null leaves it missing, as in a store.
  package mutating func write<Result>(at field: Int, _ body: (inout FieldWriter) -> Result) -> Result {
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    var writer = FieldWriter(slots + field, &arena)
    let result = body(&writer)
    if !writer.isWhole { isWhole = false }
    if slots[field].tag == FASTMAP_NULL { slots[field] = fastmap_slot() }
    return result
  }

  /// Sets the target of a relationship to one, as an import does; nil is null.
  package mutating func setTarget(_ target: ObjectID?, update: ListUpdate, at field: Int) {
    guard let target else { return setNull(update: update, at: field) }
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    slots[field] = fastmap_slot()
    slots[field].policy = update.code
    slots[field].set(target)
  }

  /// Copies the targets of a relationship to many into a field, as an import does; nil is null. If there is no memory for
  /// them, the field stays missing.
  package mutating func setTargets(_ targets: [ObjectID]?, update: ListUpdate, at field: Int) {
    guard let targets else { return setNull(update: update, at: field) }
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    let size = max(targets.count, 1) * MemoryLayout<ObjectID>.stride
    guard let memory = fastmap_arena_alloc(&arena, size)?.assumingMemoryBound(to: ObjectID.self) else {
      isWhole = false
      return
    }
    for (index, target) in targets.enumerated() { memory[index] = target }
    slots[field].policy = update.code
    slots[field].set(memory, count: targets.count)
  }

  /// Clears a relationship, as an import of null does.
  package mutating func setNull(update: ListUpdate, at field: Int) {
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    slots[field].tag = UInt8(FASTMAP_NULL)
    slots[field].policy = update.code
  }

  /// Stores a slot without a copy. Its bytes must outlive the row.
  package mutating func setBorrowed(_ slot: fastmap_slot, at field: Int) {
    slots[field] = slot
  }

  /// Copies bytes after a slot. Without memory for them it stays as it is; a slot has room for 4 GiB.
  package mutating func copy(_ bytes: some Collection<UInt8>, as tag: Int, to slot: inout fastmap_slot) {
    let count = bytes.count
    guard let length = UInt32(exactly: count), let memory = fastmap_arena_alloc(&arena, max(count, 1)) else {
      isWhole = false
      return
    }
    let target = UnsafeMutableRawBufferPointer(start: memory, count: count)
    target.copyBytes(from: bytes)
    slot.tag = UInt8(tag)
    slot.length = length
    slot.bytes = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
  }
}
