import FastMapCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// An optimised build's traps do not say why.
private func require(_ isRight: Bool, _ message: @autoclosure () -> String) {
  if isRight { return }
  let line = "filter: \(message())\n"
  _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  abort()
}

/// An input is the text of a filter.
///
/// - It is read, or refused with one fault at a place in the text.
/// - A filter that was read is written as text that is read as the same filter.
@_cdecl("fastmap_fuzz_filter")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  guard let filter = read(text) else { return 0 }
  let written = filter.description
  require(read(written) == filter, "\(text)\nis written as another filter:\n\(written)")
  return 0
}

private func read(_ text: String) -> Filter? {
  do throws(FilterError) {
    return try Filter(text)
  } catch {
    let length = text.utf8.count
    require(error.faults.count == 1, "several faults: \(error)")
    for fault in error.faults {
      let (offset, column) = (fault.offset ?? -1, fault.column ?? -1)
      require((0...length).contains(offset), "a fault outside the text: \(offset) of \(length)")
      require((1...(offset + 1)).contains(column), "the column \(column) at \(offset)")
    }
    return nil
  }
}
