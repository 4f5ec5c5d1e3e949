import FastMapCore

/// A place of objects in the payload, with the places below it.
final class Place {
  enum Role {
    case root, one, many, keyed
  }

  /// The shape of its objects; of its values, if `isValue`.
  let shape: Shape
  /// The object whose names are the keys; nil if the place is not keyed.
  let collection: Shape?
  let name: String
  let path: String
  let role: Role
  /// Whether its objects are scalars with a key.
  let isValue: Bool
  private(set) weak var owner: Place?
  /// By the names of members.
  private(set) var children: [[UInt8]: Place] = [:]
  private(set) var forms: [[UInt8]: Form] = [:]
  /// The number of its class; see ``Classes``.
  var number = 0

  init(
    _ shape: Shape, collection: Shape? = nil, name: String, path: String, role: Role, isValue: Bool = false,
    owner: Place? = nil
  ) {
    self.shape = shape
    self.collection = collection
    self.name = name
    self.path = path
    self.role = role
    self.isValue = isValue
    self.owner = owner
    if !isValue { addChildren() }
  }

  /// The singular of its name, as the name of an entity.
  var entity: String { Words.entity(of: name) }

  var all: [Place] {
    [self] + children.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap(\.value.all)
  }

  private func addChildren() {
    for member in shape.members {
      let form = member.form()
      forms[member.name] = form
      children[member.name] = Place(member, form, path: path + step(member), owner: self)
    }
  }

  private func step(_ member: Shape) -> String {
    "." + JSONKeyPath(components: [member.label]).description
  }

  /// The place of objects below a value; nil if there is none.
  convenience init?(_ value: Shape, _ form: Form, path: String, name: String? = nil, owner: Place?) {
    let name = name ?? value.label
    switch form {
    case .object: self.init(value, name: name, path: path, role: .one, owner: owner)
    case .list:
      guard let items = value.items else { return nil }
      // Elements may be keyed collections themselves, which are JSON then.
      guard KeyedForm.of(items) == .object else { return nil }
      self.init(items, name: name, path: path + "[]", role: .many, owner: owner)
    case .keyed, .keyedScalars:
      guard let all = value.collected else { return nil }
      if form == .keyed, KeyedForm.of(all) != .object { return nil }
      self.init(
        all, collection: value, name: name, path: path + ".*", role: .keyed, isValue: form == .keyedScalars,
        owner: owner)
    case .mixed:
      // Objects here and their keys there.
      guard !value.isCut, value.counts.objects > 0, value.counts.lists == 0, KeyedForm.of(value) == .object
      else { return nil }
      self.init(value, name: name, path: path, role: .one, owner: owner)
    case .nothing, .scalar, .scalars: return nil
    }
  }

  /// The member by which its objects were sampled: the best name that all of them have, with a string or an integer.
  lazy var recordKey: Shape? = {
    shape.members.filter { $0.keyRank <= KeyNames.suffixRank && isKeyLike($0) }
      .min { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) }
  }()

  /// Some of its objects, by this member.
  lazy var sample = recordKey.map { ObjectSample(shape, key: $0) } ?? ObjectSample()

  /// Whether all objects have the member, with a string or an integer.
  func isKeyLike(_ member: Shape) -> Bool {
    let isString = member.counts.strings > 0
    return member.presence == shape.counts.objects && member.counts.nulls == 0
      && (isString ? member.counts.strings : member.counts.integers) == member.counts.all
      && (member.text.map { $0.empties == 0 && $0.longest <= 256 } ?? true)
  }

  func member(_ name: [UInt8]) -> Shape? { shape.members.first { $0.name == name } }
}
