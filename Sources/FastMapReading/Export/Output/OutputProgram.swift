internal import CFastMap

/// The mappings of a plan, compiled into steps that write JSON.
///
/// The key paths of a mapping are merged into one tree. Its leaves are the steps, in the order of the output:
///
///     Book { id, pages<-"info.pages", author<-"info.author": Author, shelf<-null: Shelf }
///     Shelf { room<-"info.room" }
///
///       0 attribute id      "id"
///       1 attribute pages   "pages"   in info
///       2 toOne     author  "author"  in info
///       3 attribute room    "room"    in info, of source 1
///       4 leave             info
///
/// A step opens its groups, unless an earlier step has done so. So a group without values is never opened. An object
/// has one source of values, itself. Each relationship that is written into the object adds a source.
///
/// Several steps may write the same member. The first one with a value continues at its `next`, after the others.
// @unchecked: nothing writes to the literals, and the pool keeps them.
final class OutputProgram: @unchecked Sendable {
  let layouts: [OutputLayout]
  /// The content that each layout writes.
  let contents: [OutputContent]
  let steps: [OutputStep]
  /// The fields, indexed by a step's `rework`.
  let fields: [OutputField]
  let plan: Plan
  /// The key path of each step, for messages.
  let places: [[JSONPath.Step]]
  /// The names of groups, indexed by a step's `groups`.
  let groups: [Literal]
  /// The transforms, indexed by a step's `transform`.
  let transforms: [OutputTransform]
  /// Owns the memory that steps point to.
  private let literals: LiteralPool

  init(
    layouts: [OutputLayout], contents: [OutputContent], plan: Plan, steps: [OutputStep],
    fields: [OutputField],
    places: [[JSONPath.Step]], groups: [Literal], transforms: [OutputTransform], literals: LiteralPool
  ) {
    self.layouts = layouts
    self.contents = contents
    self.plan = plan
    self.steps = steps
    self.fields = fields
    self.places = places
    self.groups = groups
    self.transforms = transforms
    self.literals = literals
  }

  /// The reason why a root object cannot be written as one value; nil where it can.
  ///
  /// As the member of an object it has a name beside its value. A line has no room for both.
  var bareFault: String? {
    let root = plan.root
    guard root.keyedBy != nil, root.attributes.count + root.relationships.count > 1 else { return nil }
    return
      "the mapping \(quoted(root.name)) is keyed by \(quoted(root.keyedBy ?? "")), and an object alone has no member "
      + "that could have this name beside the value; export with a mapping whose attributes have key paths"
  }
}

/// The content that mappings of one entity write. Mappings that write the same content share its number.
struct OutputContent: Sendable {
  var number: Int
  /// The contents that include this one.
  var fuller: [Int]
}

/// How the objects of one mapping are written.
// A class, because a structure would be copied for each object.
final class OutputLayout: Sendable {
  /// The steps of an object's members.
  let steps: Range<Int>
  /// The steps of values that represent the whole object, the key first.
  let bare: Range<Int>
  /// The steps of values that represent the whole object of a source after the first.
  let whole: Range<Int>
  /// Whether the text of an object is assembled at its end.
  let isReworked: Bool
  /// Whether an object is an array, which is reworked.
  let isRow: Bool
  /// The sources of the values. The first is the object itself.
  let sources: [OutputSource]
  /// The step of the primary key; nil without a key, and for a key that is a bare value.
  let key: Int?
  /// The key with several parts; nil for any other.
  let joined: JoinedKey?
  let isBareKey: Bool
  let keyReadsObjects: Bool
  /// The step of the attribute that is the name of the member with the object; nil for other objects.
  let name: Int?
  /// The step that writes null for an object that has a kind and nothing else: its key alone would be a reference. Nil where that
  /// cannot be.
  let kindStep: Int?
  /// The mappings that write the objects in its place; nil for most mappings.
  let kinds: OutputKinds?
  let entity: Int
  /// The members that several fields write. One of these fields has a value.
  let shared: [SharedMember]
  /// Whether a value that represents the whole object excludes all others.
  let takesTurns: Bool
  /// Whether an object is written in full, even where another would be written as its key.
  package let isScoped: Bool

  init(
    steps: Range<Int>, bare: Range<Int>, whole: Range<Int>, isReworked: Bool, isRow: Bool,
    sources: [OutputSource], key: Int?, joined: JoinedKey?, isBareKey: Bool, keyReadsObjects: Bool,
    name: Int?, takesTurns: Bool, isScoped: Bool, kindStep: Int?, kinds: OutputKinds?, shared: [SharedMember]
  ) {
    self.shared = shared
    self.takesTurns = takesTurns
    self.steps = steps
    self.bare = bare
    self.whole = whole
    self.isReworked = isReworked
    self.isRow = isRow
    self.sources = sources
    self.key = key
    self.joined = joined
    self.isBareKey = isBareKey
    self.keyReadsObjects = keyReadsObjects
    self.name = name
    self.isScoped = isScoped
    self.kindStep = kindStep
    self.kinds = kinds
    entity = sources[0].entity
  }
}

/// The mappings that write objects of several kinds.
struct OutputKinds: Sendable {
  /// The field with the name of an object's mapping.
  let field: Int
  let mappings: [(name: [UInt8], mapping: Int)]
  /// Whether a reference is a bare key, as its kinds have their keys at several key paths.
  let refersByBareKey: Bool

  /// The mapping that writes an object; nil for an object without a kind.
  func mapping(of row: Row) -> Int? {
    guard let name = Field(row.slots[field]).bytes else { return nil }
    return mappings.first { name.elementsEqual($0.name) }?.mapping
  }
}

/// An object whose members are written into its owner's JSON object.
struct OutputSource: Sendable {
  var mapping: Int
  var entity: Int
  /// The owning source and its relationship to this one.
  var parent = 0
  var field = 0
  var isToMany = false
  /// The sources from the object to this one, without the object itself.
  var chain: [Int] = []
}

/// One step of the output.
struct OutputStep {
  enum Kind: UInt8 {
    case attribute
    case toOne
    case toMany
    /// Closes the last of `groups`, if it is open.
    case leave
  }

  var kind: Kind
  var form = JSONWriter.Form.plain
  var isKey = false
  /// Whether an object without the value is written with null, since a new object would get a default.
  var writesNull = false
  /// Whether no later step can write the member.
  var isLast = true
  /// The number of the transform that writes it; negative for none. A closure, or another payload of `form`, would
  /// make a step costly to copy.
  var transform: Int32 = -1
  /// The number of the field if the object's text is assembled at its end; negative otherwise.
  var rework: Int32 = -1
  var source = 0
  var field = 0
  /// The mapping of a relationship's targets.
  var destination = 0
  /// The name of the member, with quotes and colon.
  var name = Literal(start: nil, count: 0)
  var groups = 0..<0
  /// The step to continue with after this one has written a value.
  var next = 0
}

/// Converts a value for the output; nil if the attribute's type cannot read the value.
typealias OutputTransform = @Sendable (Field) -> Value?

/// Bytes that a program owns.
typealias Literal = UnsafeBufferPointer<UInt8>

/// The memory for the literals of one program.
// @unchecked: only its creator adds to it, before it is shared.
final class LiteralPool: @unchecked Sendable {
  private var arena = fastmap_arena()

  deinit { fastmap_arena_free(&arena) }

  func add(_ bytes: [UInt8]) -> Literal {
    guard let memory = fastmap_arena_alloc(&arena, max(1, bytes.count)) else {
      preconditionFailure("no memory for \(bytes.count) bytes of a serializer")
    }
    let copy = UnsafeMutableBufferPointer(
      start: memory.bindMemory(to: UInt8.self, capacity: bytes.count), count: bytes.count)
    _ = copy.initialize(from: bytes)
    return Literal(copy)
  }

  /// The name of a member: a JSON string and a colon.
  func add(name: String) -> Literal {
    var writer = JSONWriter()
    writer.name(name)
    return add(writer.bytes)
  }
}
