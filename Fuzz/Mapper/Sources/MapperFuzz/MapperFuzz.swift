import CFastMapJansson
import FastMapCore
import FastMapMemory

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// An optimised build's traps do not say why.
private func require(_ isRight: Bool, _ message: @autoclosure () -> String) {
  if !isRight { fail(message()) }
}

private func fail(_ message: String) -> Never {
  let line = "mapper: \(message)\n"
  _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  abort()
}

/// The first bytes of an input choose a mapping, the rest is a payload.
///
/// - An import succeeds or throws a typed error; then the store is as empty as before.
/// - The text and its tree, be it ours or jansson's own, and the text in one transaction and in many, have the same verdict and make the same store.
/// - Where nothing is appended or deleted, the payload again changes nothing.
@_cdecl("fastmap_fuzz_mapper")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  guard count > RandomMappings.byteCount else { return 0 }
  var mappings = RandomMappings(input.prefix(RandomMappings.byteCount))
  let plan: Plan
  do {
    plan = try MappingSet(file: Array(mappings.text().utf8)).plan(for: "A")
  } catch {
    fail("a mapping that is right was refused: \(error)\n\(mappings.text())")
  }
  let text = UnsafeRawBufferPointer(rebasing: input[RandomMappings.byteCount...])
  let whole = Outcome { try Mapper($0).importJSON(text, as: plan) }
  let tree = Outcome { try Mapper($0).importJSON(try JSONDocument(parsing: text), as: plan) }
  whole.check(against: tree, plan, "as a tree")
  checkOwnTree(of: text, plan, whole)

  var options = ImportOptions()
  options.commitInterval = 1
  let parts = Outcome { try Mapper($0).importJSON(text, as: plan, options: options) }
  // Owned objects and deletions are settled at the end of a transaction.
  if mappings.isPlain { whole.check(against: parts, plan, "object by object") }
  if whole.report == nil {
    require(whole.isEmpty(plan), "an error, and a changed store")
  } else if mappings.isPlain {
    whole.checkAgain(text, plan)
  }
  return 0
}

/// We and jansson take the same texts, but for integers beyond 64 bits, NUL in names and depth: there one is stricter.
private func checkOwnTree(of text: UnsafeRawBufferPointer, _ plan: Plan, _ whole: Outcome) {
  let bytes = text.baseAddress?.assumingMemoryBound(to: CChar.self)
  guard let own = json_loadb(bytes, text.count, Int(JSON_DECODE_ANY | JSON_ALLOW_NUL), nil) else { return }
  let document = JSONDocument(unsafeAdopting: own)
  let tree = Outcome { try Mapper($0).importJSON(document, as: plan) }
  whole.check(against: tree, plan, "as a tree of jansson's own")
}

/// An import into a new store.
private struct Outcome {
  let store = MemoryStore()
  var report: ImportReport?
  var error: (any Error)?

  init(_ run: (MemoryStore) throws -> ImportReport) {
    do {
      report = try run(store)
    } catch {
      require(error is MappingError || error is JSONSyntaxError, "an error of another type: \(error)")
      self.error = error
    }
  }

  func check(against other: Outcome, _ plan: Plan, _ how: String) {
    require(
      (report == nil) == (other.report == nil),
      "\(how): \(error.map { "\($0)" } ?? "taken"); \(other.error.map { "\($0)" } ?? "taken")")
    guard report != nil else { return }
    require(report?.entities == other.report?.entities, "\(how): another report")
    require(export(plan) == other.export(plan), "\(how): another store")
  }

  func checkAgain(_ text: UnsafeRawBufferPointer, _ plan: Plan) {
    let before = export(plan)
    do {
      let again = try Mapper(store).importJSON(text, as: plan)
      let isChanged = again.entities.contains {
        $0.counts.inserted + $0.counts.updated + $0.counts.deleted > 0
      }
      require(!isChanged && export(plan) == before, "the payload again changes something")
    } catch {
      fail("the payload again is refused: \(error)")
    }
  }

  func isEmpty(_ plan: Plan) -> Bool {
    do {
      return try store.read(plan) { reader in
        try plan.schema.entities.allSatisfy { try reader.count(of: $0.name) == 0 }
      }
    } catch {
      fail("a store that cannot be read: \(error)")
    }
  }

  private func export(_ plan: Plan) -> [UInt8] {
    var text: [UInt8] = []
    do {
      try store.read(plan.schema) { reader in
        _ = try Serializer(plan).export(from: &reader) { text += $0 }
      }
    } catch {
      fail("an object that cannot be written: \(error)")
    }
    return text
  }
}
