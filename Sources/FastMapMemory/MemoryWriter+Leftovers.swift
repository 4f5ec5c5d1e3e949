public import FastMapStoreKit
internal import Synchronization

/// The objects that one import in several transactions has unlinked and not deleted yet. The import removes them with
/// its last transaction. If it fails before, the next import or deletion does. Their entities are numbers of tables.
struct KeptLeftovers: Sendable {
  /// A list to which transactions append, so that none copies the entries of earlier ones. Entries of a rolled back
  /// transaction are beyond the count of the state, and the next transaction removes them.
  private final class Log: Sendable {
    let objects = Mutex<[Leftover]>([])
  }

  fileprivate let life: ImportLife
  private let log = Log()
  private var count = 0

  fileprivate init(_ life: ImportLife, _ objects: [Leftover]) {
    self.life = life
    append(objects)
  }

  fileprivate mutating func append(_ objects: [Leftover]) {
    let known = count
    log.objects.withLock {
      $0.removeLast($0.count - known)
      $0 += objects
    }
    count += objects.count
  }

  fileprivate var objects: [Leftover] { log.objects.withLock { Array($0.prefix(count)) } }
}

/// Whether an import is running, which ends with its owner, which nothing in the store retains.
private final class ImportLife: Sendable {
  let hasEnded = Atomic(false)

  final class Keeper {
    let life = ImportLife()
    deinit { life.hasEnded.store(true, ordering: .releasing) }
  }
}

extension MemoryWriter {
  public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    guard !leftovers.isEmpty else { return keeper }
    let keeper = keeper as? ImportLife.Keeper ?? ImportLife.Keeper()
    let objects = leftovers.map { $0.of(entity: table($0.entity)) }
    if let index = state.leftovers.firstIndex(where: { $0.life === keeper.life }) {
      state.leftovers[index].append(objects)
    } else {
      state.leftovers.append(KeptLeftovers(keeper.life, objects))
    }
    return keeper
  }

  public mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    if state.leftovers.isEmpty { return [] }
    let own = (keeper as? ImportLife.Keeper)?.life
    var taken: [Leftover] = []
    var left: [KeptLeftovers] = []
    for kept in state.leftovers where kept.life !== own {  // the import knows its own
      guard kept.life.hasEnded.load(ordering: .acquiring) else {
        left.append(kept)
        continue
      }
      var rest: [Leftover] = []
      for object in kept.objects {
        guard let entity = binding.entity(ofTable: object.entity), !object.isOwned || knowsLinks(of: entity)
        else {
          rest.append(object)  // for a write that can delete it completely
          continue
        }
        taken.append(object.of(entity: entity))
      }
      if !rest.isEmpty { left.append(KeptLeftovers(kept.life, rest)) }
    }
    state.leftovers = left
    return taken
  }

  private func knowsLinks(of entity: Int) -> Bool {
    binding.entities[entity].links.count == state.tables[table(entity)].linkCount
  }
}
