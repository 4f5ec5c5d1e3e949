/// The effect of one occurrence of an object, decided once. Everything after the decision only reads it.
///
///     {"id": 7, "at": 2, "t": "x"}       used
///     {"id": 7, "at": 1, "t": "y"}       stale
///     {"id": 7}                          reference
///     {"id": 7, "deleted": true}         deletes
///     {"id": 7}                          gone
///     {"id": 7, "at": 3}                 revives
enum Verdict: UInt8 {
  /// Its fields are the object's.
  case used
  /// It has the key alone. It may make the object, and gives it no values.
  case reference
  /// A fault or a rule of the mapping leaves it out, with all inside of it.
  case leftOut
  /// The mapping that reads its owner does not read it.
  case unread
  /// It is weak, and its object does not exist.
  case unresolved
  /// It is older than its object, or belongs to such an occurrence. Objects with a key of their own inside of it count.
  case stale
  /// It deletes its object.
  case deletes
  /// It makes an object again that the payload has deleted.
  case revives
  /// It names an object that the payload has deleted.
  case gone
  /// It is weak, and its object is deleted.
  case missed

  /// Whether all inside of the occurrence is left out with it.
  var hidesContents: Bool {
    switch self {
    case .leftOut, .unread, .unresolved, .deletes, .missed: true
    case .used, .reference, .stale, .revives, .gone: false
    }
  }

  /// Whether the occurrence names a deleted object, if its object is deleted then.
  var mayNameGone: Bool { self == .deletes || self == .missed || self == .gone || self == .stale }

  /// Whether objects that belong to the occurrence are left alone.
  var leavesOwnedAlone: Bool { self == .stale || self == .gone }
}

/// The verdicts on the occurrences of one batch.
struct UnitVerdicts {
  /// By occurrence.
  var verdicts: [Verdict]
  var kinds = UnitKinds()
  /// Weak occurrences before the making of their object.
  var late: Set<Int> = []
  /// Occurrences that name an object which is deleted at their place.
  var gone: Set<Int> = []

  init(count: Int) { verdicts = Array(repeating: .used, count: count) }
}

/// All that was decided about a batch.
struct Decisions {
  var verdicts: UnitVerdicts?
  /// The facts at the end of the batch, by the number of the object.
  var facts: [ObjectFacts] = []
  /// Objects that the batch deletes or makes again.
  var touched: Set<Int> = []
  /// Objects that the batch does not link, as they are gone.
  var unlinked: Set<Int> = []
  var revivals = Revivals()
  var contradictions = Contradictions()
  /// The faults of occurrences that the decision leaves out.
  var faults: [FaultReader.Fault] = []
}
