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
  /// It has the key alone. It may make the object, and gives it neither age nor kind.
  case reference
  /// A fault or a rule of the mapping leaves it out, with all inside of it.
  case leftOut
  /// The kind of its owner does not read it.
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
  /// It is older than the deletion of its object.
  case staleAndGone

  /// Whether all inside of the occurrence is left out with it.
  var hidesContents: Bool {
    switch self {
    case .leftOut, .unread, .unresolved, .deletes, .missed: true
    case .used, .reference, .stale, .revives, .gone, .staleAndGone: false
    }
  }

  /// Whether objects that belong to the occurrence are left alone.
  var leavesOwnedAlone: Bool { self == .stale || self == .staleAndGone || self == .gone }
}

/// The state of an object at one point of the payload: stored values, and then the occurrences that were used.
struct ObjectFacts {
  /// Whether it is stored or made, and not deleted.
  var exists = false
  /// Whether the payload has deleted it.
  var isGone = false
  /// Whether it is deleted when the payload ends, as far as an earlier run has found out.
  var fate: Bool?
  /// How often the payload has made it again, and how often its owner when an occurrence of it was last used.
  var revivals = 0
  var revivalsOfOwner = 0
  /// Whether nothing but references has made it.
  var isBare = true
  /// The mapping of its kind; nil while it has none.
  var kind: Int?
  /// Whether it is an instance of the caller, which keeps the kind of its class.
  var isOfClass = false
  /// The values that decide on its age, in the order of `OccurrenceRules.ageFields`. Empty for none.
  var ages: [Value?] = []
  /// Whether it was there when the payload deleted it.
  var hadObject = false
}
