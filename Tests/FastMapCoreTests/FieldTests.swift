import FastMapCore
import Testing

@testable import FastMapStoreKit

/// A field reads the value that a store lends: the tags of inlined code equal the tags of slots.
@Suite struct FieldTests {
  @Test func aFieldReadsBackItsValue() {
    #expect(Field.boolean(true).boolean == true)
    #expect(Field.integer(-7).integer == -7)
    #expect(Field.integer(7).unsigned == 7)
    #expect(Field.unsigned(.max).unsigned == .max)
    #expect((Field.number(0.5).number, Field.integer(2).number) == (0.5, 2))
    let date = Timestamp(seconds: -1, nanoseconds: 5)
    #expect(Field.date(date).date == date)
    #expect(Field.missing.isMissing)
    #expect(Field.target(ObjectID(rawValue: 9)).target == ObjectID(rawValue: 9))
    Array("text".utf8).withUnsafeBytes { bytes in
      #expect(Field.bytes(bytes, as: .string).string == "text")
      #expect(Field.bytes(bytes, as: .data).value == .data(Array("text".utf8)))
      #expect(Field.bytes(bytes, as: .json).bytes.map { Array($0) } == Array("text".utf8))
      #expect(Field.bytes(bytes, as: .string).key == "text")
    }
  }

  @Test func aCopiedFieldIsTheSame() {
    var first = RowBuffer()
    var second = RowBuffer()
    let values: [Value] = [
      .null, .boolean(false), .integer(1), .unsigned(.max), .number(-0.0), .string("é"), .data([0, 1]),
      .json("[]"),
      .date(Timestamp(seconds: 3, nanoseconds: 4)),
    ]
    first.reset(count: values.count)
    second.reset(count: values.count)
    for (index, value) in values.enumerated() {
      first.set(value, at: index)
      second.copy(first.row[index], at: index)
      #expect(second.row[index].value == value)
    }
    #expect(first.row[0].isNull)
    let areWhole = first.isWhole && second.isWhole
    #expect(areWhole)
    first.reset(count: 0)
  }

  @Test(arguments: [1 << 33, 1 << 62])
  func aValueWithoutMemoryIsMissingAndTheBufferSaysSo(_ count: Int) {
    var buffer = RowBuffer()
    buffer.reset(count: 2)
    buffer.set(.integer(1), at: 0)
    let slots = buffer.slots
    buffer.copy(repeatElement(0, count: count), as: Int(FieldTag.string), to: &slots[1])
    var isWhole = buffer.isWhole
    #expect(!isWhole)
    let (other, value) = (buffer.row[0].integer, buffer.row[1])
    #expect(value.isMissing && other == 1)
    #expect(throws: SystemError.self) { try buffer.checkWhole() }
    buffer.reset(count: 1)
    isWhole = buffer.isWhole
    #expect(isWhole)
  }
}
