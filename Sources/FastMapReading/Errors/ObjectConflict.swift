/// A field that you have changed in a context, and that another writer or an import has changed since it was read.
///
///     catch let error as SaveConflictError {
///       for conflict in error.conflicts { print(conflict) }     // Book 1.title: read "Dune", mine "Dune!", theirs "Dune 2"
///     }
public struct ObjectConflict: Equatable, Sendable, CustomStringConvertible {
  /// The content of a field.
  ///
  ///     if case .value(.string(let title)) = conflict.theirs { print(title) }
  public enum State: Equatable, Sendable, CustomStringConvertible {
    /// The value of an attribute; null for no value.
    case value(Value)
    /// The keys of the targets of a relationship, in order; nil for an object without a key.
    case targets([PrimaryKey?])

    public var description: String {
      switch self {
      case .value(.null): "no value"
      case .value(.boolean(let value)): "\(value)"
      case .value(.integer(let value)): "\(value)"
      case .value(.unsigned(let value)): "\(value)"
      case .value(.number(let value)): "\(value)"
      case .value(.decimal(let value)): "\(value)"
      case .value(.string(let text)): quoted(text)
      case .value(.date(let date)): date.text
      case .value(.data(let bytes)): Self.text(bytes)
      case .value(.json(let text)): shortened(text)
      case .targets(let keys): Self.text(keys.count) { keys[$0].map { "\($0)" } ?? "?" }
      }
    }

    /// The first targets of a relationship, and the number of the others: `1, 2, 3 and 17 more`.
    ///
    /// - Parameter target: The text of a target by its place.
    package static func text(_ count: Int, _ target: (Int) -> String) -> String {
      let most = 12
      if count == 0 { return "none" }
      let shown = (0..<(count > most ? most - 1 : count)).map(target).joined(separator: ", ")
      return count > most ? "\(shown) and \(count - most + 1) more" : shown
    }

    /// The number of bytes and the first of them: `9 bytes 0x0001020304050607…`.
    private static func text(_ bytes: [UInt8]) -> String {
      let count = bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
      if bytes.isEmpty { return count }
      let digits = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return "\(count) 0x\(digits)\(bytes.count > 8 ? "…" : "")"
    }
  }

  /// The entity of the object.
  public let entity: String
  /// Its primary key; nil for an object without one.
  public let key: PrimaryKey?
  /// The number of the object in the store.
  public let id: ObjectID
  /// The attribute or the relationship.
  public let field: String
  /// The object in messages: `Book 1`. An object without a key has its owner and its place there: `Book 1.chapters[0]`,
  /// or `Book 1.cover` in a to-one.
  ///
  /// A place below more than six relationships has the first three and the last three, and the number of the others:
  /// `Part 4.own.sub.sub.(1994 more).sub.sub.sub`. Several objects may have the same title.
  package let title: String
  /// The stored content when the context read it.
  public let read: State
  /// The content in the instance.
  public let mine: State
  /// The stored content now.
  public let theirs: State
  let numbers: Numbers

  package init(
    entity: String, key: PrimaryKey?, id: ObjectID, field: String, title: String, read: State, mine: State,
    theirs: State, numbers: Numbers
  ) {
    self.entity = entity
    self.key = key
    self.id = id
    self.field = field
    self.title = title
    self.read = read
    self.mine = mine
    self.theirs = theirs
    self.numbers = numbers
  }

  /// The numbers of targets, which tell those without a key apart.
  package struct Numbers: Equatable, Sendable {
    package var read: [ObjectID] = []
    var mine: [ObjectID] = []
    var theirs: [ObjectID] = []

    package init(read: [ObjectID] = [], mine: [ObjectID] = [], theirs: [ObjectID] = []) {
      self.read = read
      self.mine = mine
      self.theirs = theirs
    }
  }

  public var description: String {
    let places = Dictionary(
      zip(numbers.read, numbers.read.indices), uniquingKeysWith: { first, _ in first })
    // A target without a key is named by its place when the relationship was read.
    func text(_ state: State, _ ids: [ObjectID]) -> String {
      guard case .targets(let keys) = state, keys.contains(nil), keys.count == ids.count else {
        return "\(state)"
      }
      return State.text(keys.count) { place in
        keys[place].map { "\($0)" }
          ?? (ids[place] == .unset ? nil : places[ids[place]]).map { "[\($0)]" } ?? "new"
      }
    }
    return "\(title).\(escaped(field)): read \(text(read, numbers.read)), "
      + "mine \(text(mine, numbers.mine)), theirs \(text(theirs, numbers.theirs))"
  }
}
