import CFastMap
import Testing

@Suite struct ChecksumTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let crc: UInt32
    var testDescription: String { name }
  }

  @Test(arguments: [
    Vector(name: "nothing", bytes: [], crc: 0),
    Vector(name: "a", bytes: Array("a".utf8), crc: 0xc1d0_4330),
    Vector(name: "the check value", bytes: Array("123456789".utf8), crc: 0xe306_9283),
    Vector(name: "RFC 3720, zeros", bytes: Array(repeating: 0, count: 32), crc: 0x8a91_36aa),
    Vector(name: "RFC 3720, ones", bytes: Array(repeating: 0xff, count: 32), crc: 0x62a8_ab43),
    Vector(name: "RFC 3720, incrementing", bytes: Array(0..<32), crc: 0x46dd_794e),
    Vector(name: "RFC 3720, decrementing", bytes: (0..<32).reversed(), crc: 0x113f_db5c),
    Vector(name: "RFC 3720, SCSI read", bytes: scsiRead, crc: 0xd996_3a56),
  ])
  func knownVectorsAreMet(_ vector: Vector) { #expect(crc32c(vector.bytes) == vector.crc) }

  @Test func everyLengthAndAlignmentMeetsTheDefinition() {
    let bytes = (0..<220).map { UInt8(truncatingIfNeeded: $0 * 167 + 13) }
    for start in 0..<8 {
      for end in start...bytes.count {
        let slice = bytes[start..<end]
        #expect(crc32c(slice) == bitwiseCRC32C(slice))
      }
    }
  }

  /// From 384 bytes on, three parts are summed side by side.
  @Test func longBytesMeetTheDefinition() {
    let bytes = (0..<2_400).map { UInt8(truncatingIfNeeded: $0 * 151 + $0 / 7) }
    for end in [383, 384, 385, 391, 511, 767, 768, 775, 1_151, 1_152, 2_030, 2_400] {
      for start in 0..<3 {
        let slice = bytes[start..<end]
        #expect(crc32c(slice) == bitwiseCRC32C(slice), "\(start)..<\(end)")
      }
    }
  }

  @Test func theSeedContinuesAnEarlierChecksum() {
    let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 31) }
    let whole = crc32c(bytes)
    for split in 0...bytes.count {
      #expect(crc32c(bytes[split...], seed: crc32c(bytes[..<split])) == whole)
    }
  }
}

private let scsiRead: [UInt8] = [
  0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
  0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
]

private func crc32c(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt32 {
  bytes.withContiguousStorageIfAvailable { fastmap_crc32c(seed, $0.baseAddress, $0.count) }
    ?? crc32c(Array(bytes), seed: seed)
}

/// The definition, one bit at a time.
private func bitwiseCRC32C(_ bytes: some Sequence<UInt8>) -> UInt32 {
  var crc = UInt32.max
  for byte in bytes {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0x82f6_3b78 : 0) }
  }
  return ~crc
}
