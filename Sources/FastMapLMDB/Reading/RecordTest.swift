internal import CFastMap
internal import FastMapStoreKit

/// Runs a test over records of one entity.
///
/// The fields that the test reads are decoded in one pass, into slots that are used again for each record. A scan does nothing else, so
/// this takes half the instructions of a row that looks for each field.
struct RecordTest: ~Copyable {
  private let test: RowTest
  /// One for each field of the schema. Fields that the test does not read are missing, or have the default of a new attribute.
  private let slots: UnsafeMutableBufferPointer<fastmap_slot>
  /// By the fields of the store, up to the last one that is read: the place among the slots, or -1.
  private let places: UnsafeMutableBufferPointer<Int>
  private let filled: UnsafeMutableBufferPointer<Int>
  private unowned(unsafe) let environment: Environment

  init(_ test: RowTest, _ bound: Binding.Entity, _ environment: Environment) {
    let fields = bound.fields
    self.test = test
    self.environment = environment
    let stored = test.fields.filter { fields[$0] >= 0 }
    slots = .allocate(capacity: max(1, fields.count))
    slots.initialize(repeating: fastmap_slot())
    for (field, value) in bound.defaults { slots[field] = value.slot }
    places = .allocate(capacity: (stored.map { fields[$0] }.max() ?? -1) + 1)
    places.initialize(repeating: -1)
    for field in stored { places[fields[field]] = field }
    filled = .allocate(capacity: stored.count)
    _ = filled.initialize(from: stored)
  }

  deinit {
    slots.deallocate()
    places.deallocate()
    filled.deallocate()
  }

  @inline(__always)
  func includes(_ record: RecordView) throws -> Bool {
    guard let start = slots.baseAddress else { return false }
    for place in filled { start[place].tag = UInt8(FASTMAP_MISSING) }
    guard record.decode(into: start, UnsafeBufferPointer(places)) else {
      throw Checksum.damaged(.records, record.key.bytes, "not a record", environment)
    }
    return try test.includes(record.id, slots: start)
  }
}
