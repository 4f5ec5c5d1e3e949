import FastMapCore
import TestSupport
import Testing

/// Choices of classes that the mappings refuse.
@Suite struct KindDefinitionTests {
  private typealias Commit = KindClassesTests.Commit
  private typealias Event = KindClassesTests.Event

  class Shape {
    var id = 0
    var width = 1
    var kind = ""
  }
  final class Square: Shape {
    var side: Int? = 0
    override init() {
      super.init()
      width = 2
    }
  }
  final class Round: Shape { var side: Int = 0 }

  /// Makes a mapping of shapes whose kind "a" is made by `kind`.
  private static func failure(
    _ second: [String: RelationshipDefinition.Destination] = [:], id: String = "id", base: Bool = false,
    _ make: @escaping @Sendable (Mapping<Shape>) -> MappingDefinition
  ) -> String? {
    let place = Cell()
    let shape = Mapping(
      Shape.self, "Shape", primaryKey: "id",
      kinds: Kinds("type", ["a": .mapping { place.kind }]), make: { Shape() }
    ) {
      Attribute("id", \.id)
      if base { Attribute("width", \.width) }
    }
    place.set(make(shape))
    return message { _ = try shape.plan() }
  }

  // @unchecked: one test uses it.
  private final class Cell: @unchecked Sendable {
    private var found: MappingDefinition?
    var kind: MappingDefinition { found ?? Commit.mapping.definition }
    func set(_ kind: MappingDefinition) { found = kind }
  }

  @Test func aChoiceOfClassesThatCannotBeMadeIsRefused() throws {
    #expect(
      Self.failure { _ in
        Mapping("Square", entity: "Shape", primaryKey: "id") { Attribute("id", .integer) }.definition
      }?.contains(#"expected a mapping of a class, found "Square", which has records"#) == true)
    #expect(
      Self.failure { _ in
        Mapping(Square.self, "Square", entity: "Shape", primaryKey: "id", make: { Square() }) {
          Attribute("id", \.id)
        }.definition
      }?.contains(#"expected a mapping that is made with kindOf and "Shape", found "Square""#) == true)
    #expect(
      Self.failure { Mapping(Commit.self, "Commit", kindOf: $0, make: { Commit() }) {}.definition }?.contains(
        #"expected a subclass of Shape, found "Commit" with the class Commit"#) == true)
    #expect(
      Self.failure {
        Mapping(Square.self, "Square", kindOf: $0, make: { Square() }) { Attribute("kind", \.kind) }
          .definition
      }?.contains(#""kind" is the name of the chosen mapping"#) == true)
    #expect(
      Self.failure(base: true) {
        Mapping(Square.self, "Square", kindOf: $0, make: { Square() }) {}.definition
      }?
      .contains(
        #""width" is the number 2 in new instances of Square and the number 1 in instances of another kind"#)
        == true)
    let lost = Mapping(Square.self, "Lost", kindOf: Event.mapping, make: { Square() }) {}
    #expect(
      message { _ = try lost.plan() }?.contains(
        #"expected one of the kinds of "Any", found a mapping that its kinds do not name"#) == true)
  }

  private struct Twins: Sendable {
    static let shape: Mapping<Shape> = Mapping(
      Shape.self, "Shape", primaryKey: "id",
      kinds: Kinds("type", ["a": .mapping(Twins.a), "b": .mapping(Twins.b), "c": .mapping(Twins.c)]),
      make: { Shape() }
    ) { Attribute("id", \.id) }
    static let a = Mapping(Square.self, "A", kindOf: shape, make: { Square() }) { Attribute("side", \.side) }
    static let b = Mapping(Square.self, "B", kindOf: shape, make: { Square() }) {}
    static let c = Mapping(Round.self, "C", kindOf: shape, make: { Round() }) { Attribute("side", \.side) }
    static let typed: Mapping<Shape> = Mapping(
      Shape.self, "Shape", primaryKey: "id",
      kinds: Kinds("type", ["a": .mapping(Twins.d), "c": .mapping(Twins.e)]), make: { Shape() }
    ) { Attribute("id", \.id) }
    static let d = Mapping(Square.self, "D", kindOf: typed, make: { Square() }) { Attribute("side", \.side) }
    static let e = Mapping(Round.self, "E", kindOf: typed, make: { Round() }) { Attribute("side", \.side) }
  }

  @Test func eachKindHasAClassOfItsOwnAndAFieldHasOneType() {
    #expect(
      message { _ = try Twins.shape.plan() }?.contains(
        #"expected another class than Square, which the kind "A" has"#) == true)
    #expect(
      message { _ = try Twins.typed.plan() }?.contains(
        #""side" is of the type Int here and Optional<Int> in the mapping "D"; a field has one type in all kinds"#
      )
        == true)
  }
}
