/// The reader of a snapshot whose call has returned: each question is an error, and nothing that was freed is read.
struct EndedReader: StoreReader {
  private var error: StoreContractError {
    StoreContractError("expected a snapshot in the call that lends it, found one after that call")
  }

  mutating func use(_ schema: Schema) throws { throw error }
  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] { throw error }
  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    throw error
  }
  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    throw error
  }
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout EndedReader, ObjectPage) throws -> Bool
  ) throws { throw error }
  package mutating func count(of entity: Int) throws -> Int { throw error }
}
