public import FastMapStoreKit
internal import Synchronization

/// The objects that one import in several transactions has unlinked and not deleted yet. The import removes them with
/// its last transaction. If it fails before, the next import or deletion does.
struct KeptLeftovers: Sendable {
  struct Object: Sendable {
    var table: Int
    var id: ObjectID
    var isOwned: Bool
    var deletesShared: Bool
  }

  /// A list to which transactions append, so that none copies the entries of earlier ones. Entries of a rolled back
  /// transaction are beyond the count of the state, and the next transaction removes them.
  private final class Log: Sendable {
    let objects = Mutex<[Object]>([])
  }

  fileprivate let life: ImportLife
  private let log = Log()
  private var count = 0

  fileprivate init(_ life: ImportLife, _ objects: [Object]) {
    self.life = life
    append(objects)
  }

  fileprivate mutating func append(_ objects: [Object]) {
    let known = count
    log.objects.withLock {
      $0.removeLast($0.count - known)
      $0 += objects
    }
    count += objects.count
  }

  fileprivate var objects: [Object] { log.objects.withLock { Array($0.prefix(count)) } }
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
    let objects = leftovers.map {
      KeptLeftovers.Object(
        table: table($0.entity), id: $0.id, isOwned: $0.isOwned, deletesShared: $0.deletesShared)
    }
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
      var rest: [KeptLeftovers.Object] = []
      for object in kept.objects {
        guard let entity = binding.entity(ofTable: object.table), !object.isOwned || knowsLinks(of: entity)
        else {
          rest.append(object)  // for a write that can delete it completely
          continue
        }
        taken.append(
          Leftover(
            id: object.id, entity: entity, isOwned: object.isOwned, deletesShared: object.deletesShared))
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
