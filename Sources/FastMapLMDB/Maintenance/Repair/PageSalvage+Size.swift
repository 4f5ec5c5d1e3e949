internal import CFastMap

extension PageSalvage {
  /// The size of the pages: the first header's size, or else the size at which most pages have their own numbers.
  ///
  /// - Returns: The size, and whether the header has this size, or none at all.
  static func pageSize(
    _ descriptor: CInt, size: Int, path: String
  ) throws -> (size: Int, isTold: Bool) {
    let first = try meta(descriptor, at: 0, path)
    let told = first.magic == MetaPage.lmdbMagic && first.hasPageSize ? first.pageSize : nil
    if let told, try fits(told, descriptor, path) { return (told, true) }
    var sizes = [MetaPage.usualPageSize, 8192, 16_384, 32_768]
    if let told { sizes.insert(told, at: 0) }
    var (best, most) = (sizes[0], 0)
    for candidate in sizes {
      let count = fitting(candidate, descriptor, size / candidate, path)
      if count > most { (best, most) = (candidate, count) }
    }
    return (best, told == nil || told == best)
  }

  private static func fits(_ pageSize: Int, _ descriptor: CInt, _ path: String) throws -> Bool {
    let second = try meta(descriptor, at: pageSize, path)
    return second.magic == MetaPage.lmdbMagic && second.header.number == 1
  }

  /// The number of pages that have their own number, among the first ones.
  private static func fitting(_ pageSize: Int, _ descriptor: CInt, _ count: Int, _ path: String) -> Int {
    (2..<max(2, min(count, 1000))).count { number in
      let header = try? FileSystem.bytes(
        of: descriptor, at: number * pageSize, count: PageHeader.size, path: path)
      return header?.withUnsafeBytes { PageHeader($0) }.number == UInt64(number)
    }
  }
}
