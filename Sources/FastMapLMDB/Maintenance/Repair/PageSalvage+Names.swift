internal import CFastMap
internal import FastMapStoreKit

/// The newest commit of a file, and the page with the names of its tables.
extension PageSalvage {
  struct Commit {
    let number: UInt64
    /// The header that leads to it; nil if that is lost. Without it, the free pages are not known.
    let header: MetaPage?
    /// The page with the names; nil if it cannot be read.
    var page: UInt64?
    var trees: [Table: TreeRecord] = [:]
  }

  private struct Names {
    let page: UInt64
    let commit: UInt64
    let trees: [Table: TreeRecord]
    /// The names of other tables.
    let others: [String]
  }

  /// The newest commit that a header, or a page of names, shows.
  ///
  /// The page of names has the commit's number, with a checksum. That number counts more than the number in a header,
  /// which has none.
  mutating func newestCommit(_ headers: [MetaPage]) throws -> Commit {
    let told = headers.map { names(on: $0.names.root) }
    let known = told.compactMap(\.self).max { $0.commit < $1.commit }
    guard let known else { return try commitWithoutNames(headers) }
    if let isNext = headers.firstIndex(where: { $0.commit == known.commit &+ 1 }) {
      // Its root may lead to another page than its names.
      if let next = newestNames(of: known.commit &+ 1) { return commit(next, headers) }
      if told[isNext] == nil { return commit(lost: headers[isNext]) }
    } else if !headers.contains(where: { Self.isHeader($0) && $0.commit + 1 == known.commit }) {
      // The header of the previous commit is lost, or the next commit's.
      if let next = newestNames(of: known.commit &+ 1) { return commit(next, headers) }
      reportLostHeader()
    }
    return commit(known, headers, told)
  }

  private mutating func commitWithoutNames(_ headers: [MetaPage]) throws -> Commit {
    let sound = headers.filter { Self.isHeader($0) && $0.names.root != TreeRecord.noRoot }
    guard let newest = sound.max(by: { $0.commit < $1.commit }) else {
      if let names = newestNames() { return commit(names, headers) }
      throw LMDBError(.damaged(place: "data.mdb", detail: "no commit was found"), path: path)
    }
    let isAlone = sound.count < headers.count
    if isAlone, let next = newestNames(of: newest.commit + 1) { return commit(next, headers) }
    if isAlone { reportLostHeader() }
    if let names = newestNames(of: newest.commit) { return commit(names, headers) }
    return commit(lost: newest)
  }

  private mutating func reportLostHeader() {
    report.add("data.mdb, headers", "one header is damaged; a newer commit may be lost")
  }

  private static func isHeader(_ page: MetaPage) -> Bool {
    page.magic == MetaPage.lmdbMagic && page.commit < .max && page.lastPage > 0
  }

  /// A commit whose page of names was read.
  ///
  /// - Parameter told: The names that each header leads to.
  private mutating func commit(_ names: Names, _ headers: [MetaPage], _ told: [Names?] = []) -> Commit {
    for name in names.others {
      report.add("data.mdb", "the table \(quoted(name)), which this FastMap does not know, is left out")
    }
    let leading = zip(headers, told).first { $0.1?.page == names.page }?.0
    return Commit(
      number: names.commit, header: leading ?? headers.first { $0.commit == names.commit },
      page: names.page, trees: names.trees)
  }

  private mutating func commit(lost header: MetaPage) -> Commit {
    report.add(
      "data.mdb, page \(header.names.root)",
      "the names of the tables are lost; all used pages were searched")
    return Commit(number: header.commit, header: header)
  }

  /// Searches all pages for the names of a commit, or of the newest one.
  private func newestNames(of commit: UInt64? = nil) -> Names? {
    var best: Names?
    for number in 2..<max(pageCount, 2) {
      guard let names = names(on: number), commit == nil || names.commit == commit else { continue }
      if names.commit > best?.commit ?? 0 { best = names }
    }
    return best
  }

  /// Reads a page of names.
  ///
  /// - Returns: Nil if it does not have the number of a commit.
  private func names(on number: UInt64) -> Names? {
    guard let page = page(number, isLeaf: true) else { return nil }
    var commit: UInt64?
    var trees: [Table: TreeRecord] = [:]
    var others: [String] = []
    for node in PageNode.all(on: page) {
      guard let value = node.value(on: page) else { continue }
      if commit == nil, node.key(on: page).elementsEqual(CommitRecord.key) {
        commit = value.withUnsafeBytes { CommitRecord.commit($0) }
      } else if value.count == TreeRecord.size {
        let name = String(decoding: node.key(on: page), as: UTF8.self)
        if let table = Table(name: name) {
          if trees[table] == nil { trees[table] = value.withUnsafeBytes { TreeRecord($0) } }
        } else {
          others.append(name)
        }
      }
    }
    return commit.map { Names(page: number, commit: $0, trees: trees, others: others) }
  }
}
