/// The kinds of an entity's objects, and the member whose value tells them.
struct KindChoice {
  let member: Shape
  /// In the order of their values.
  let kinds: [Kind]
  /// Members that objects of each kind have, by the hashes of their names.
  let common: Set<UInt64>
  let note: String

  struct Kind {
    let value: String
    /// By the hashes of their names: the members that some of its objects have.
    let members: Set<UInt64>
    /// By the name of a member: the members of the single objects there.
    let inner: [UInt64: Set<UInt64>]
  }

  /// A person's wish, from the overrides.
  enum Wish {
    case none
    case member(String)
  }
}

/// How well the values of a member tell which other members an object has.
///
/// A member *varies* if some objects lack it. A kind is an objects' value that is met again.
///
/// - The *gain* is the share of the varying members of kinds that all objects of the kind have.
/// - A member is a kind's *own* if all of its objects have it, and no others.
/// - The *spread* is the share of a kind's members that another kind lacks, on average.
struct KindEvidence {
  var objects = 0
  var values = 0
  /// The values that are met again.
  var kinds = 0
  var kindsWithOwn = 0
  var varying = 0
  var alwaysThere = 0
  var spread = 0.0

  var gain: Double { varying > 0 ? Double(alwaysThere) / Double(varying) : 0 }

  /// The fewest objects, in all and for each value.
  private static let fewest = (objects: 8, perValue: 3)

  var isRepeated: Bool {
    values >= 2 && objects >= Self.fewest.objects && objects >= values * Self.fewest.perValue
      && (values - kinds) * 4 <= values
  }

  var hasOwnMembers: Bool { kindsWithOwn >= 2 && kindsWithOwn * 2 >= kinds }

  /// Whether a person would want kinds. A meaningless name needs more.
  func isConvincing(isTypical: Bool) -> Bool {
    isRepeated && hasOwnMembers && spread >= 0.25 && gain >= (isTypical ? 0.66 : 0.9)
  }
}
