import CJansson
import CLMDB
import FastMapCore
import FastMapLMDB

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

let person = Mapping("Person", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("name", .string)
  ToMany("friends", .named("Person"))
}

var template = Array("/tmp/fastmap-probe-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else { fatalError("no temporary directory") }
let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
defer {
  for name in ["data.mdb", "lock.mdb"] { unlink("\(directory)/store/\(name)") }
  rmdir("\(directory)/store")
  rmdir(directory)
}

let store = try LMDBStore(at: "\(directory)/store")
let plan = try MappingSet([person]).plan(for: "Person")
let json = Array(#"[{"id": 1, "name": "Ada", "friends": [{"id": 2, "name": "Grace"}]}]"#.utf8)
let report = try Mapper(store).importJSON(json, as: plan)
guard report["Person"] == ImportReport.Counts(inserted: 2) else { fatalError("unexpected report \(report)") }
print(report.entities)

// A tree of the program's own, made through its own module of jansson.
guard let tree = json_loads(#"[{"id": 3, "name": "Mary"}]"#, 0, nil) else { fatalError("no tree") }
do {
  let document = JSONDocument(unsafeAdopting: tree)
  let report = try Mapper(store).importJSON(document, as: plan)
  guard report["Person"] == ImportReport.Counts(inserted: 1) else {
    fatalError("unexpected report \(report)")
  }
}
guard MDB_VERSION_MAJOR == 0 else { fatalError("another LMDB") }
