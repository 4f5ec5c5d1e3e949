import CFastMap
import Testing

@Suite struct FingerprintTests {
  /// The key 00 01 … 0f of the vectors that the authors of SipHash publish.
  private static let key = fastmap_fingerprint(high: 0x0f0e_0d0c_0b0a_0908, low: 0x0706_0504_0302_0100)

  /// The hashes of the bytes 00 01 …, read as two numbers with the lowest byte first.
  @Test(arguments: [
    (0, 0xe6a8_25ba_047f_81a3 as UInt64, 0x9302_55c7_1472_f66d as UInt64),
    (1, 0x44af_996b_d8c1_87da, 0x45fc_229b_1159_7634),
    (7, 0x53c1_dbd8_beeb_f1a1, 0x3982_f01f_a64a_b8c0),
    (8, 0x61f5_5862_baa9_623b, 0xb497_14f3_64e2_830f),
    (15, 0x11a8_b033_99e9_9354, 0xd9c3_cf97_0fec_087e),
    (63, 0x4a83_502f_77d1_5051, 0x7cbd_3f97_9a06_3e50),
  ])
  func itIsSipHashWith128Bits(_ length: Int, low: UInt64, high: UInt64) {
    let bytes = (0..<length).map { UInt8($0) }
    let made = bytes.withUnsafeBytes { fastmap_fingerprint_bytes(Self.key, $0.baseAddress, $0.count) }
    #expect(made.low == low && made.high == high)
  }

  private static func slot(_ tag: Int, _ integer: Int64 = 0, length: UInt32 = 0, policy: Int = 0)
    -> fastmap_slot
  {
    var slot = fastmap_slot()
    slot.tag = UInt8(tag)
    slot.policy = UInt8(policy)
    slot.length = length
    slot.integer = integer
    return slot
  }

  /// Rows of two fields that differ in one thing each.
  @Test func rowsThatDifferInAnythingHaveDifferentFingerprints() {
    let targets: [UInt64] = [1, 2, 1]
    targets.withUnsafeBufferPointer { targets in
      func list(_ count: Int, from first: Int = 0, policy: Int = FASTMAP_ASSIGN) -> fastmap_slot {
        var slot = Self.slot(FASTMAP_TARGETS, length: UInt32(count), policy: policy)
        slot.targets = targets.baseAddress.map { $0 + first }
        return slot
      }
      let text: [UInt8] = Array("ab\0".utf8)
      text.withUnsafeBufferPointer { text in
        func bytes(_ tag: Int, _ count: Int) -> fastmap_slot {
          var slot = Self.slot(tag, length: UInt32(count))
          slot.bytes = text.baseAddress
          return slot
        }
        let none = fastmap_slot()
        let rows: [[fastmap_slot]] = [
          [none, none], [Self.slot(FASTMAP_NULL), none], [none, Self.slot(FASTMAP_NULL)],
          [Self.slot(FASTMAP_INTEGER, 1), none], [none, Self.slot(FASTMAP_INTEGER, 1)],
          [Self.slot(FASTMAP_INTEGER, 2), none], [Self.slot(FASTMAP_BOOLEAN, 1), none],
          [Self.slot(FASTMAP_UNSIGNED, 1), none], [Self.slot(FASTMAP_TARGET, 1), none],
          [Self.slot(FASTMAP_TARGET, 1, policy: FASTMAP_MERGE), none],
          [Self.slot(FASTMAP_DATE, 1), none], [Self.slot(FASTMAP_DATE, 1, length: 1), none],
          [bytes(FASTMAP_STRING, 0), none], [bytes(FASTMAP_STRING, 2), none],
          [bytes(FASTMAP_STRING, 3), none],
          [bytes(FASTMAP_DATA, 2), none], [bytes(FASTMAP_JSON, 2), none],
          [list(0), none], [list(1), none], [list(2), none], [list(2, from: 1), none], [list(3), none],
          [list(2, policy: FASTMAP_MERGE), none], [list(1), list(1)],
        ]
        let prints = rows.map { row in
          let made = fastmap_fingerprint_row(Self.key, row, [7, 8], 2)
          return [made.high, made.low]
        }
        #expect(Set(prints).count == rows.count)
        let renamed = fastmap_fingerprint_row(Self.key, rows[3], [9, 8], 2)
        #expect(!prints.contains([renamed.high, renamed.low]), "of another field")
        let other = fastmap_fingerprint_row(fastmap_fingerprint(high: 1, low: 2), rows[3], [7, 8], 2)
        #expect(!prints.contains([other.high, other.low]), "of another store")
      }
    }
  }

  @Test func theContentOfARowHasNoPoliciesAndNoFieldsWithoutValues() {
    let targets: [UInt64] = [1, 2]
    targets.withUnsafeBufferPointer { targets in
      func list(_ count: Int, policy: Int = FASTMAP_ASSIGN) -> fastmap_slot {
        var slot = Self.slot(FASTMAP_TARGETS, length: UInt32(count), policy: policy)
        slot.targets = targets.baseAddress
        return slot
      }
      func content(_ row: [fastmap_slot], names: [UInt64] = [7, 8], order: [UInt32] = [0, 1]) -> UInt64 {
        fastmap_fingerprint_content(Self.key, row, names, order, 2).low
      }
      let none = fastmap_slot()
      let one = Self.slot(FASTMAP_INTEGER, 1)
      let null = Self.slot(FASTMAP_NULL)
      #expect(content([one, none]) == content([one, null]))
      #expect(content([one, none]) == content([one, list(0)]))
      #expect(content([one, list(2)]) == content([one, list(2, policy: FASTMAP_REPLACE)]))
      #expect(
        content([one, list(2)]) == content([list(2), one], names: [8, 7], order: [1, 0]), "another mapping")
      let rows = [
        [none, none], [one, none], [none, one], [Self.slot(FASTMAP_INTEGER, 2), none],
        [Self.slot(FASTMAP_TARGET, 1), none], [Self.slot(FASTMAP_DATE, 1), none],
        [Self.slot(FASTMAP_DATE, 1, length: 1), none], [list(1), none], [list(2), none], [list(1), list(1)],
      ]
      #expect(Set(rows.map { content($0) }).count == rows.count)
    }
  }
}
