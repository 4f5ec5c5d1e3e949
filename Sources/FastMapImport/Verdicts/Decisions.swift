/// All that was decided about a batch.
struct Decisions {
  /// The objects that the payload has deleted before; nil if no mapping lets it.
  var tombstones: Tombstones?
  var verdicts: UnitVerdicts?
  /// The facts at the end of the batch, by the number of the object.
  var facts: [ObjectFacts] = []
  /// Objects that the batch deletes or makes again.
  var touched: Set<Int> = []
  /// Objects that the batch does not link, as they are gone.
  var unlinked: Set<Int> = []
  /// Owned objects without a kind, where that is a fault.
  var kindless: Set<Int> = []
}
