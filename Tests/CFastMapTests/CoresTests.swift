import CFastMap
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct CoresTests {
  @Test func thereIsAtLeastOneCore() {
    #expect(fastmap_core_count() >= 1)
    #expect(fastmap_core_count() <= ProcessInfo.processInfo.processorCount)
  }

  #if canImport(Glibc)
    @Test func aThreadThatIsBoundToOneCoreHasOne() async {
      let count = await withCheckedContinuation { continuation in
        Thread {
          var cores = cpu_set_t()
          sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &cores)
          withUnsafeMutableBytes(of: &cores) { bytes in
            guard let first = bytes.firstIndex(where: { $0 != 0 }) else { return }
            let byte = bytes[first]
            bytes.copyBytes(from: repeatElement(0, count: bytes.count))
            bytes[first] = byte & (~byte &+ 1)
          }
          let status = sched_setaffinity(0, MemoryLayout<cpu_set_t>.size, &cores)
          continuation.resume(returning: status == 0 ? fastmap_core_count() : 1)
        }.start()
      }
      #expect(count == 1)
    }
  #endif
}
