import FastMapCore
import FastMapStoreTesting
import Synchronization

@testable import FastMapReading

/// A store on top of another that prefers sets, and may break a rule of the protocols.
final class SetsStore<Base: Store>: InterceptedStore {
  typealias Writer = SetsWriter<Base.Writer>

  let base: Base
  private let fault: StoreFault?
  /// The rows that writes asked for: all of them, and the most of one question.
  let rows = Mutex<(all: Int, most: Int)>((0, 0))

  init(_ base: Base, _ fault: StoreFault? = nil) {
    self.base = base
    self.fault = fault
  }

  func reader(on reader: Base.Reader, _ schema: Schema) -> SetsReader<Base.Reader> {
    SetsReader(reader, fault: fault)
  }

  func writer(on writer: Base.Writer, _ schema: Schema) -> Writer {
    SetsWriter(base: writer, fault: fault)
  }

  func willEnd(_ writer: Writer, commits: Bool) {
    rows.withLock { $0 = ($0.all + writer.count.rows, max($0.most, writer.count.mostRows)) }
  }
}

/// A writer on top of another that reads with a `SetsReader`.
struct SetsWriter<Base: StoreWriter>: InterceptedWriter {
  var base: Base
  let count = QuestionCount()
  let fault: StoreFault?

  var reader: SetsReader<Base.Reader> {
    get { SetsReader(base.reader, count, fault: fault) }
    set { base.reader = newValue.base }
  }

  mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    let reserved = try base.reserve(requests)
    switch fault {
    case .fewerNumbers:
      return zip(requests, reserved).map { request, numbers in
        .list((0..<request.count - 1).map { numbers[$0] })
      }
    case .lastNumbers: return requests.map { _ in .run(from: ObjectID(rawValue: .max)) }
    default: return reserved
    }
  }

  mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    guard fault == .farLeftovers else { return try base.claimLeftovers(of: keeper) }
    return [Leftover(id: ObjectID(rawValue: 1), entity: 99, isOwned: true, deletesShared: false)]
  }
}
