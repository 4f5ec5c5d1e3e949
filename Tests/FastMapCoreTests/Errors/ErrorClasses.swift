import FastMapCore

/// A property of every integer type.
final class Widths {
  var id = ""
  var int: Int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0

  static let mapping = Mapping(Widths.self, "Widths", primaryKey: "id", make: Widths.init) {
    Attribute("id", \.id)
    Attribute("int", \.int)
    Attribute("int8", \.int8)
    Attribute("int16", \.int16)
    Attribute("int32", \.int32)
    Attribute("int64", \.int64)
    Attribute("uint", \.uint)
    Attribute("uint8", \.uint8)
    Attribute("uint16", \.uint16)
    Attribute("uint32", \.uint32)
    Attribute("uint64", \.uint64)
  }
}

enum Sex: String, AttributeValue { case female = "f", male = "m" }
enum Grade: Int8, AttributeValue { case good = 1, bad = 5 }

/// Properties of the other types, optional and not.
final class Typed {
  var id = ""
  var bool = false
  var float: Float = 0
  var double = 0.0
  var string = ""
  var sex = Sex.female
  var grade = Grade.good
  var moment = Timestamp(seconds: 0)
  var bytes: [UInt8] = []
  var maybeInt8: Int8?
  var maybeString: String?
  var maybeSex: Sex?
  var maybeFloat: Float?

  static let mapping = Mapping(Typed.self, "Typed", primaryKey: "id", make: Typed.init) {
    Attribute("id", \.id)
    Attribute("bool", \.bool)
    Attribute("float", \.float)
    Attribute("double", \.double)
    Attribute("string", \.string)
    Attribute("sex", \.sex)
    Attribute("grade", \.grade)
    Attribute("moment", \.moment)
    Attribute("bytes", \.bytes)
    Attribute("maybeInt8", \.maybeInt8)
    Attribute("maybeString", \.maybeString)
    Attribute("maybeSex", \.maybeSex)
    Attribute("maybeFloat", \.maybeFloat)
  }
}

/// Properties that hold several values.
final class Collections {
  var id = ""
  var strings: [String] = []
  var small: [Int8] = []
  var big: [UInt64] = []
  var floats: [Float] = []
  var gaps: [Int?] = []
  var grid: [[Int]] = []
  var set: Set<Int> = []
  var sexes: [Sex] = []
  var moments: [Timestamp] = []
  var blobs: [[UInt8]] = []
  var maybe: [Int]?

  static let mapping = Mapping(Collections.self, "Collections", primaryKey: "id", make: Collections.init) {
    Attribute("id", \.id)
    Attribute("strings", \.strings, at: "in.strings")
    Attribute("small", \.small)
    Attribute("big", \.big)
    Attribute("floats", \.floats)
    Attribute("gaps", \.gaps)
    Attribute("grid", \.grid)
    Attribute("set", \.set)
    Attribute("sexes", \.sexes)
    Attribute("moments", \.moments)
    Attribute("blobs", \.blobs)
    Attribute("maybe", \.maybe)
  }
}

/// Properties that also take values not quite of their type.
final class LenientTyped {
  var id = ""
  var bool = false
  var int8: Int8 = 0
  var uint64: UInt64 = 0
  var float: Float = 0
  var double = 0.0
  var grade = Grade.good

  static let mapping = Mapping(LenientTyped.self, "LenientTyped", primaryKey: "id", make: LenientTyped.init) {
    Attribute("id", \.id)
    Attribute("bool", \.bool).lenient
    Attribute("int8", \.int8).lenient
    Attribute("uint64", \.uint64).lenient
    Attribute("float", \.float).lenient
    Attribute("double", \.double).lenient
    Attribute("grade", \.grade).lenient
  }
}

final class UnsignedKey {
  var id: UInt64 = 0
  var part: UnsignedKey?

  static let mapping: Mapping<UnsignedKey> =
    Mapping(UnsignedKey.self, "UnsignedKey", primaryKey: "id", make: UnsignedKey.init) {
      Attribute("id", \.id)
      ToOne("part", \.part, UnsignedKey.mapping)
    }
}

/// A key that null leaves alone.
final class SmallKey {
  var id: Int8 = 0
  var part: SmallKey?
  var whole: Whole?

  static let mapping: Mapping<SmallKey> =
    Mapping(SmallKey.self, "SmallKey", primaryKey: "id", make: SmallKey.init) {
      Attribute("id", \.id)
      ToOne("part", \.part, SmallKey.mapping)
      ToOne("whole", \.whole, Whole.mapping, at: .wholeValue)
    }

  final class Whole {
    var id = 0
    static let mapping = Mapping(Whole.self, "Whole", primaryKey: "id", make: Whole.init) {
      Attribute("id", \.id, at: "whole_id")
    }
  }
}
