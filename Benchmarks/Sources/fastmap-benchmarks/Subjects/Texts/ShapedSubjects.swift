import FastMapCore
import FastMapLMDB
import FastMapMemory
import Foundation

/// FastMap: a shaped text into a new LMDB store.
struct FastMapShaped: Subject {
  let text: ShapedText
  let folder: Folder

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: folder.newPath("fastmap-shaped"))
    return {
      let report = try Mapper(store).importJSON(text.json, as: text.plan)
      let inserted = report.entities.reduce(0) { $0 + $1.counts.inserted }
      try WrongOutcome.check(inserted == text.objectCount, "\(text.objectCount) inserted, found \(inserted)")
      return report.rootObjects
    }
  }
}

/// FastMap: a shaped text into dynamic records in memory.
struct FastMapShapedRecords: Subject {
  let text: ShapedText

  func prepare() throws -> () throws -> Int {
    let store = MemoryStore()
    return { try Mapper(store).importJSON(text.json, as: text.plan).rootObjects }
  }
}

/// Foundation's `JSONDecoder`: a shaped text into structs with the same members.
struct FoundationShaped: Subject {
  let json: Data
  let decode: @Sendable (Data) throws -> Int

  init(_ text: ShapedText) {
    json = Data(text.json)
    decode = text.decode
  }

  func prepare() throws -> () throws -> Int { { try decode(json) } }
}
