internal import CFastMap

extension PageSalvage {
  /// The size of the pages: the place of the second header, or else the first header's field.
  ///
  /// - Returns: The size, and whether the header has this size, or none at all.
  static func pageSize(_ descriptor: CInt, path: String) throws -> (size: Int, isTold: Bool) {
    let first = try meta(descriptor, at: 0, path)
    let told = first.magic == MetaPage.lmdbMagic && first.hasPageSize ? first.pageSize : nil
    let sizes = (told.map { [$0] } ?? []) + [MetaPage.usualPageSize, 8192, 16_384, 32_768]
    let found = try sizes.first { size in
      let second = try meta(descriptor, at: size, path)
      return second.magic == MetaPage.lmdbMagic && second.header.number == 1
    }
    let size = found ?? sizes[0]
    return (size, told == nil || told == size)
  }
}
