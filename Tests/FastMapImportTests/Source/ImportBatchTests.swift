import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Synchronization
import Testing

/// The limits of a batch, so that an import takes the same memory whatever its text makes of a byte: trees and rows
/// count as well as the text.
@Suite struct ImportBatchTests {
  private static let item = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("json", .json)
  }

  enum Source: CaseIterable {
    case bytes, readAhead, pieces
  }

  /// How many root objects each batch has.
  private func batches(_ text: String, _ mapping: Mapping<Record>, _ source: Source) async throws -> [Int] {
    let ends = Mutex<[Int]>([0])
    var options = ImportOptions(readsAhead: source == .readAhead)
    options.alwaysReadsAhead = source == .readAhead
    options.onProgress = { step in ends.withLock { $0.append(step.rootObjects) } }
    let mapper = Mapper(MemoryStore())
    if source == .pieces {
      let bytes = Array(text.utf8)
      let chunks = AsyncStream { continuation in
        for start in stride(from: 0, to: bytes.count, by: 10_007) {
          continuation.yield(Array(bytes[start..<min(start + 10_007, bytes.count)]))
        }
        continuation.finish()
      }
      _ = try await mapper.importJSON(chunks, as: mapping, options: options)
    } else {
      _ = try await mapper.importJSON(text, as: mapping, options: options)
    }
    let found = ends.withLock { $0 }
    return zip(found.dropFirst(), found).map { $0 - $1 }.filter { $0 > 0 }
  }

  private static func payload(_ count: Int, _ json: String) -> String {
    "[" + (0..<count).map { #"{"id":\#($0),"json":\#(json)}"# }.joined(separator: ",") + "]"
  }

  /// An empty array takes three bytes of text and more than a hundred of memory.
  @Test(arguments: Source.allCases)
  func aBatchEndsWhenItsTreesAreLarge(_ source: Source) async throws {
    let many = "[" + Array(repeating: "[]", count: 200).joined(separator: ",") + "]"
    let count = TestSize.count(small: 900, whole: 6000)
    let sizes = try await batches(Self.payload(count, many), Self.item, source)
    #expect(sizes.reduce(0, +) == count)
    // 200 × 112 bytes and some more each.
    #expect(sizes.allSatisfy { $0 < (8 << 20) / (200 * 112) + 2 })
    #expect(sizes.count { $0 > 300 } >= count / 400, "\(sizes)")
  }

  @Test func batchesAreTheSameHoweverTheTextArrives() async throws {
    let value = #"[],{},[1.5,"text",{"a":18446744073709551616}],[[[]]],[]"#
    let text = Self.payload(
      TestSize.count(small: 1600, whole: 5000),
      "[" + Array(repeating: value, count: 12).joined(separator: ",") + "]")
    let sizes = try await batches(text, Self.item, .bytes)
    for source in [Source.readAhead, .pieces] {
      #expect(try await batches(text, Self.item, source) == sizes)
    }
    #expect(sizes.count > 1)
  }

  /// A row has a place for each field of its entity, whether the object has it or not.
  @Test(arguments: Source.allCases)
  func aBatchEndsWhenItsRowsAreLarge(_ source: Source) async throws {
    let wide = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      for number in 1..<1024 { Attribute("f\(number)", .integer) }
    }
    let count = TestSize.count(small: 1000, whole: 4000)
    let sizes = try await batches(
      "[" + (0..<count).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]", wide, source)
    #expect(sizes.reduce(0, +) == count)
    #expect(sizes.allSatisfy { $0 <= 512 })
    #expect(sizes.contains(512))
  }
}
