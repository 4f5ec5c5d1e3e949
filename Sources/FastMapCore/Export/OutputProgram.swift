internal import CFastMap

/// The mappings of a plan as steps of writing.
///
/// The key paths of a mapping are merged into one tree, whose leaves are steps in the order in which they are
/// written:
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
/// A step begins the groups that it stands in, where no step before did; so a group without values is never
/// begun. An object has one source of values, itself, and one more for each relationship that is written into
/// it.
///
/// Several steps may write the same member: the first that has a value goes on at its `next`, behind the
/// others.
// @unchecked: nothing writes to the literals, and the pool keeps them.
final class OutputProgram: @unchecked Sendable {
  let layouts: [OutputLayout]
  /// What each layout writes.
  let contents: [OutputContent]
  let steps: [OutputStep]
  /// What a step's `rework` is a number of.
  let fields: [OutputField]
  let plan: Plan
  /// The key path of each step, for messages.
  let places: [[JSONPath.Step]]
  /// The names of groups: what a step's `groups` are numbers of.
  let groups: [Literal]
  /// What a step's `transform` is a number of.
  let transforms: [OutputTransform]
  /// Keeps the memory that steps point to.
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
}

/// What the mappings of one entity write of an object; those that write the same have the same number.
struct OutputContent: Sendable {
  var number: Int
  /// Those that include it.
  var fuller: [Int]
}

/// How the objects of one mapping are written.
// A class: a structure would be copied for each object.
final class OutputLayout: Sendable {
  /// The steps of an object's members.
  let steps: Range<Int>
  /// The steps of values that stand for the whole object, the key first.
  let bare: Range<Int>
  /// Those steps of the sources behind the first.
  let whole: Range<Int>
  /// Whether the text of an object is put together at its end.
  let isReworked: Bool
  /// Where the values come from; the first is the object itself.
  let sources: [OutputSource]
  /// The step of the primary key; nil without one, and where the key is a bare value.
  let key: Int?
  /// Whether the first bare value is the key.
  let isBareKey: Bool
  /// Whether that key may have been made of a whole object.
  let keyReadsObjects: Bool
  let entity: Int

  init(
    steps: Range<Int>, bare: Range<Int>, whole: Range<Int>, isReworked: Bool, sources: [OutputSource],
    key: Int?,
    isBareKey: Bool, keyReadsObjects: Bool
  ) {
    self.steps = steps
    self.bare = bare
    self.whole = whole
    self.isReworked = isReworked
    self.sources = sources
    self.key = key
    self.isBareKey = isBareKey
    self.keyReadsObjects = keyReadsObjects
    entity = sources[0].entity
  }
}

/// An object whose members stand in the object that is written.
struct OutputSource: Sendable {
  var mapping: Int
  var entity: Int
  /// The source that has it, and the relationship by which it does.
  var parent = 0
  var field = 0
  var isToMany = false
  /// The sources that lead to it and are not the object itself, with itself at the end.
  var chain: [Int] = []
}

/// One thing to write.
struct OutputStep {
  enum Kind: UInt8 {
    case attribute
    case toOne
    case toMany
    /// Ends the last of `groups`, if it was begun.
    case leave
  }

  enum Form {
    /// As its slot says.
    case plain
    case iso8601
    case epoch
    case epochMilliseconds
    case pattern(Literal)
  }

  var kind: Kind
  var form = Form.plain
  var isKey = false
  /// Whether no other step may still write the member.
  var isLast = true
  /// The number of the transform that writes it; none is below 0. A closure, or another payload of `form`, would make a
  /// step costly to copy.
  var transform: Int32 = -1
  /// The number of the field, where the text of the object is put together at its end; none is below 0.
  var rework: Int32 = -1
  var source = 0
  var field = 0
  /// The mapping of a relationship's targets.
  var destination = 0
  /// The name of the member, with quotes and colon.
  var name = Literal(start: nil, count: 0)
  var groups = 0..<0
  /// The step after this one has written something.
  var next = 0
}

/// Makes what is written of a value; nil where the attribute's type does not know the value.
typealias OutputTransform = @Sendable (FieldValue) -> Value?

/// Bytes that a program keeps.
typealias Literal = UnsafeBufferPointer<UInt8>

/// Memory for the literals of one program.
// @unchecked: only its maker adds to it, before anybody else sees it.
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
