// Made by `fastmap swift` from a mapping file.
// swift-format-ignore-file

import FastMapCore

enum Hostile {
  /// The entity "class".
  final class Class {
    var selfValue = ""
    var initValue: Int?
    var `class`: Bool?
    var userName: String?
    var userName2: String?
    var userName3: String?
    var plus1: Int?
    var minus1: Int?
    var _2fa: Bool?
    var grinningFace: String?
    var avatarURL: String?
    var nodeID: String?
    var htmlParser: String?
    var userIDs: JSONText?
    var aBC: String?
    var aB: String?
    var é: String?
    var é2: String?
    var 日本: String?
    var starSlashSpaceRightCurlyBracket: String?
    var backslashLeftParenthesis1RightParenthesis: String?
    var dollar0: Int?
    var underscore: Int?
    var mapping: String?
    var type: String?
    var `if`: String?
    var name2: String?
    var name2_2: String?
    var underscoreUnderscore: Int?
    var `default`: Class?
    var `any`: [StringObject] = []
    var owner: _3DObject?

    static let mapping: Mapping<Class> = Mapping(Class.self, "class", primaryKey: "self", make: Class.init) {
      Attribute("self", \.selfValue)
      Attribute("init", \.initValue)
      Attribute("class", \.`class`)
      Attribute("user_name", \.userName)
      Attribute("userName", \.userName2)
      Attribute("UserName", \.userName3)
      Attribute("+1", \.plus1)
      Attribute("-1", \.minus1)
      Attribute("2fa", \._2fa)
      Attribute("😀", \.grinningFace)
      Attribute("avatar_url", \.avatarURL)
      Attribute("node_id", \.nodeID)
      Attribute("HTMLParser", \.htmlParser)
      Attribute("userIDs", \.userIDs)
      Attribute("a\"b\\c\n\u{7}\u{202E}", \.aBC)
      Attribute("a.b", \.aB)
      Attribute("é", \.é)
      Attribute("é", \.é2)
      Attribute("日本", \.日本)
      Attribute("*/ }", \.starSlashSpaceRightCurlyBracket)
      Attribute(#"\(1)"#, \.backslashLeftParenthesis1RightParenthesis)
      Attribute("$0", \.dollar0)
      Attribute("_", \.underscore)
      Attribute("mapping", \.mapping)
      Attribute("Type", \.type)
      Attribute("#if", \.`if`)
      Attribute("name 2", \.name2)
      Attribute("name2", \.name2_2)
      Attribute("__", \.underscoreUnderscore)
      ToOne("default", \.`default`, Class.mapping)
      ToMany("any", \.`any`, StringObject.mapping)
      ToOne("owner", \.owner, _3DObject.mapping, at: #"ow\.ner.x"#)
    }

    static let underscoreMapping: Mapping<Class> = Mapping(
      Class.self, "class_", entity: "class", primaryKey: "self", make: Class.init
    ) {
      Attribute("self", \.selfValue, at: .wholeValue)
    }

    static let mappingMapping: Mapping<Class> = Mapping(
      Class.self, "mapping", entity: "class", primaryKey: "self", make: Class.init
    ) {
      Attribute("self", \.selfValue, at: .wholeValue)
    }
  }

  /// The entity "String".
  final class StringObject {
    var int = 0
    var double: Double?

    static let mapping: Mapping<StringObject> = Mapping(
      StringObject.self, "String", primaryKey: "Int", make: StringObject.init
    ) {
      Attribute("Int", \.int)
      Attribute("Double", \.double)
    }
  }

  /// The entity "3D".
  final class _3DObject {
    var id = 0
    var classes: [Class] = []

    static let mapping: Mapping<_3DObject> = Mapping(
      _3DObject.self, "3D", primaryKey: "id", make: _3DObject.init
    ) {
      Attribute("id", \.id)
      ToMany("classes", \.classes, inverseOf: \.owner, of: Class.mapping)
    }
  }

  /// The entity "\n\u{0}".
  final class Object {
    var id = 0
    var value: String?

    static let mapping: Mapping<Object> = Mapping(
      Object.self, "\n\u{0}", primaryKey: "id", make: Object.init
    ) {
      Attribute("id", \.id)
      Attribute("\t", \.value)
    }
  }

  /// The entity "Class".
  final class Class2 {
    var x: Int?

    static let mapping: Mapping<Class2> = Mapping(Class2.self, "Class", make: Class2.init) {
      Attribute("x", \.x)
    }
  }

  /// The entity "CLASS".
  final class Class3 {
    var x: Int?

    static let mapping: Mapping<Class3> = Mapping(Class3.self, "CLASS", make: Class3.init) {
      Attribute("x", \.x)
    }
  }

  /// The entity "Any".
  final class AnyObject2 {
    var `any`: Int?

    static let mapping: Mapping<AnyObject2> = Mapping(AnyObject2.self, "Any", make: AnyObject2.init) {
      Attribute("Any", \.`any`)
    }
  }

  /// The entity "Self".
  final class SelfObject {
    var `nil`: Int?

    static let mapping: Mapping<SelfObject> = Mapping(SelfObject.self, "Self", make: SelfObject.init) {
      Attribute("nil", \.`nil`)
    }
  }

  /// The entity "Error".
  final class ErrorObject {
    var `is`: String?
    var `as`: String?
    var `in`: String?
    var `func`: String?
    var `async`: String?
    var `await`: String?
    var `throws`: String?
    var `extension`: String?
    var `protocol`: String?
    var dynamicType: String?
    var protocol2: String?
    var `super`: String?
    var `nonisolated`: String?
    var unsafe: String?
    var copy: String?
    var consume: String?
    var discard: String?
    var `each`: String?
    var `borrowing`: String?
    var `isolated`: String?
    var `sending`: String?
    var left: String?
    var none: String?
    var `some`: String?
    var `any`: String?
    var `true`: String?
    var `let`: String?
    var `operator`: String?
    var `get`: String?
    var `set`: String?
    var `willSet`: String?
    var `where`: String?
    var selfValue: String?
    var selfValue2: String?
    var hashValue: String?
    var description: String?
    var `deinit`: String?
    var `subscript`: String?
    var `import`: String?
    var `actor`: String?
    var `macro`: String?
    var `then`: String?
    var `yield`: String?
    var `package`: String?
    var module: String?
    var using: String?
    var `consuming`: String?
    var `precedencegroup`: String?
    var associativity: String?
    var file: String?
    var line: String?
    var column: String?
    var selector: String?
    var available: String?
    var unknown: String?

    static let mapping: Mapping<ErrorObject> = Mapping(ErrorObject.self, "Error", make: ErrorObject.init) {
      Attribute("is", \.`is`)
      Attribute("as", \.`as`)
      Attribute("in", \.`in`)
      Attribute("func", \.`func`)
      Attribute("async", \.`async`)
      Attribute("await", \.`await`)
      Attribute("throws", \.`throws`)
      Attribute("extension", \.`extension`)
      Attribute("protocol", \.`protocol`)
      Attribute("dynamicType", \.dynamicType)
      Attribute("Protocol", \.protocol2)
      Attribute("super", \.`super`)
      Attribute("nonisolated", \.`nonisolated`)
      Attribute("unsafe", \.unsafe)
      Attribute("copy", \.copy)
      Attribute("consume", \.consume)
      Attribute("discard", \.discard)
      Attribute("each", \.`each`)
      Attribute("borrowing", \.`borrowing`)
      Attribute("isolated", \.`isolated`)
      Attribute("sending", \.`sending`)
      Attribute("left", \.left)
      Attribute("none", \.none)
      Attribute("some", \.`some`)
      Attribute("Any", \.`any`)
      Attribute("true", \.`true`)
      Attribute("let", \.`let`)
      Attribute("operator", \.`operator`)
      Attribute("get", \.`get`)
      Attribute("set", \.`set`)
      Attribute("willSet", \.`willSet`)
      Attribute("where", \.`where`)
      Attribute("self_", \.selfValue)
      Attribute("Self", \.selfValue2)
      Attribute("hashValue", \.hashValue)
      Attribute("description", \.description)
      Attribute("deinit", \.`deinit`)
      Attribute("subscript", \.`subscript`)
      Attribute("import", \.`import`)
      Attribute("actor", \.`actor`)
      Attribute("macro", \.`macro`)
      Attribute("then", \.`then`)
      Attribute("yield", \.`yield`)
      Attribute("package", \.`package`)
      Attribute("module", \.module)
      Attribute("using", \.using)
      Attribute("consuming", \.`consuming`)
      Attribute("precedencegroup", \.`precedencegroup`)
      Attribute("associativity", \.associativity)
      Attribute("file", \.file)
      Attribute("line", \.line)
      Attribute("column", \.column)
      Attribute("selector", \.selector)
      Attribute("available", \.available)
      Attribute("unknown", \.unknown)
    }
  }

  /// All mappings, for plans that know the others: `allMappings.plan(for: "class")`.
  static let allMappings = MappingSet([
    Class.mapping.definition,
    Class.underscoreMapping.definition,
    Class.mappingMapping.definition,
    StringObject.mapping.definition,
    _3DObject.mapping.definition,
    Object.mapping.definition,
    Class2.mapping.definition,
    Class3.mapping.definition,
    AnyObject2.mapping.definition,
    SelfObject.mapping.definition,
    ErrorObject.mapping.definition,
  ])

  /// Any JSON value, as its text.
  struct JSONText: AttributeValue, Hashable, Sendable {
    var text: String

    init(_ text: String) { self.text = text }

    static var attributeType: AttributeType { .json }

    init?(_ field: Field) {
      guard let bytes = field.bytes else { return nil }
      text = String(decoding: bytes, as: UTF8.self)
    }

    func write(to field: inout FieldWriter) {
      var text = text
      text.withUTF8 { field.set(json: UnsafeRawBufferPointer($0)) }
    }
  }
}
