import FastMapCore
import FastMapLMDB
import FastMapMemory
import Foundation
import PlainJansson

/// FastMap: page after page into a new LMDB store, with a durable commit each.
struct FastMapReplay: Subject {
  let replay: Replay
  let folder: Folder

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: folder.newPath("replay"))
    return {
      try replay.pages.reduce(0) { try $0 + Mapper(store).importJSON($1, as: replay.source.plan).rootObjects }
    }
  }
}

/// FastMap: page after page into dynamic records in memory.
struct FastMapReplayRecords: Subject {
  let replay: Replay

  func prepare() throws -> () throws -> Int {
    let store = MemoryStore()
    return {
      try replay.pages.reduce(0) { try $0 + Mapper(store).importJSON($1, as: replay.source.plan).rootObjects }
    }
  }
}

/// FastMap: the later payload, into a new store with the pages.
struct FastMapReplayAfter: Subject {
  let replay: Replay
  let folder: Folder

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: folder.newPath("replay-after"))
    for page in replay.pages { _ = try Mapper(store).importJSON(page, as: replay.source.plan) }
    return {
      var found = 0
      var changed = 0
      for page in replay.after {
        let report = try Mapper(store).importJSON(page, as: replay.source.plan)
        found += report.rootObjects
        changed += report.entities.reduce(0) {
          $0 + $1.counts.updated + $1.counts.inserted + $1.counts.deleted
        }
      }
      try WrongOutcome.check(changed > 0, "changed objects")
      return found
    }
  }
}

/// Foundation's `JSONSerialization`: parses the pages and nothing else.
struct FoundationReplay: Subject {
  let pages: [Data]

  init(_ pages: [[UInt8]]) { self.pages = pages.map { Data($0) } }

  func prepare() throws -> () throws -> Int {
    { try pages.reduce(0) { try $0 + ((JSONSerialization.jsonObject(with: $1) as? [Any])?.count ?? 0) } }
  }
}

/// jansson's own loader: parses the pages and nothing else.
struct JanssonReplay: Subject {
  let pages: [[UInt8]]

  func prepare() throws -> () throws -> Int {
    {
      pages.reduce(0) { count, page in
        page.withUnsafeBytes { bytes in
          let tree = json_loadb(bytes.baseAddress, bytes.count, 0, nil)
          defer { json_decref(tree) }
          return count + json_array_size(tree)
        }
      }
    }
  }
}
