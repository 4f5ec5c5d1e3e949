import CFastMap
import Foundation
import Testing

@Suite struct CoresTests {
  @Test func thereIsAtLeastOneCore() {
    #expect(fastmap_core_count() >= 1)
    #expect(fastmap_core_count() <= ProcessInfo.processInfo.processorCount)
  }

  #if os(Linux)
    private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer?) -> CInt

    /// A function that the headers show to GNU's programs only.
    private static func affinity(_ name: String) throws -> Affinity {
      unsafeBitCast(try #require(dlsym(nil, name)), to: Affinity.self)
    }

    @Test func aThreadThatIsBoundToOneCoreHasOne() async throws {
      let get = try Self.affinity("sched_getaffinity")
      let set = try Self.affinity("sched_setaffinity")
      let (status, count) = await withCheckedContinuation { continuation in
        Thread {
          var cores = [UInt64](repeating: 0, count: 16)
          var status = get(0, 128, &cores)
          if let word = cores.firstIndex(where: { $0 != 0 }) {
            let first = cores[word] & (~cores[word] &+ 1)
            cores = [UInt64](repeating: 0, count: 16)
            cores[word] = first
            status = set(0, 128, &cores)
          }
          continuation.resume(returning: (status, fastmap_core_count()))
        }.start()
      }
      #expect(status == 0)
      #expect(count == 1)
    }
  #endif
}
