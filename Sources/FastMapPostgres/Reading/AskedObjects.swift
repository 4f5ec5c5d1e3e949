#if Postgres
  internal import FastMapStoreKit

  /// The statements of a question about objects.
  struct AskedObjects {
    let places: ObjectPlaces
    let tickets: [Ticket]
  }

  /// The places of objects in a list that a caller has given.
  struct ObjectPlaces {
    /// Ascending and without repeats: the server walks its index once, and mostly answers in this order.
    let ids: [ObjectID]
    /// The places of all objects, by the objects; nil if the list is ascending and without repeats itself.
    private let order: [Int]?
    /// For each of `ids`, its first place in `order`.
    private let starts: [Int]
    /// Where the next object is expected.
    private var next = 0

    init(_ list: [ObjectID]) {
      if zip(list, list.dropFirst()).allSatisfy({ $0 < $1 }) {
        (ids, order, starts) = (list, nil, [])
        return
      }
      let order = list.indices.sorted { list[$0] < list[$1] }
      var ids: [ObjectID] = []
      var starts: [Int] = []
      for (start, place) in order.enumerated() where ids.last != list[place] {
        ids.append(list[place])
        starts.append(start)
      }
      self.ids = ids
      self.order = order
      self.starts = starts + [order.count]
    }

    /// Calls `body` with each place of an object in the list.
    @inline(__always)
    mutating func forEachPlace(of id: ObjectID, _ body: (Int) throws -> Void) rethrows {
      guard let index = index(of: id) else { return }
      guard let order else { return try body(index) }
      for place in order[starts[index]..<starts[index + 1]] { try body(place) }
    }

    private mutating func index(of id: ObjectID) -> Int? {
      if next < ids.count, ids[next] == id {
        next += 1
        return next - 1
      }
      var (low, high) = (0, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if ids[middle] < id { low = middle + 1 } else { high = middle }
      }
      guard low < ids.count, ids[low] == id else { return nil }
      next = low + 1
      return low
    }
  }

  /// The questions of a reader that were sent and not asked yet.
  final class AnticipatedQuestions {
    private var rows: [(ids: [ObjectID], entity: Int, question: AskedObjects)] = []
    private var targets: [(owners: [ObjectID], entity: Int, fields: [Int], questions: [AskedObjects?])] = []

    /// The row of the object that a key led to last. A caller who looks up one key mostly reads its object next.
    private var found: (id: ObjectID, entity: Int, question: AskedObjects)?

    /// - Returns: The tickets of the row before it, still unread.
    func add(rowOf id: ObjectID, _ entity: Int, _ question: AskedObjects) -> [Ticket] {
      let last = found?.question.tickets ?? []
      found = (id, entity, question)
      return last
    }

    func has(rowsOf ids: [ObjectID], _ entity: Int) -> Bool {
      found.map { ids == [$0.id] && entity == $0.entity } ?? false
    }

    func add(rowsOf ids: [ObjectID], _ entity: Int, _ question: AskedObjects) {
      rows.append((ids, entity, question))
    }

    func add(targetsOf owners: [ObjectID], _ entity: Int, _ fields: [Int], _ questions: [AskedObjects?]) {
      targets.append((owners, entity, fields, questions))
    }

    /// Takes the question for exactly these objects; nil if it was not sent.
    func rows(of ids: [ObjectID], _ entity: Int) -> AskedObjects? {
      if has(rowsOf: ids, entity) {
        defer { found = nil }
        return found?.question
      }
      guard let index = rows.firstIndex(where: { $0.entity == entity && $0.ids == ids }) else { return nil }
      return rows.remove(at: index).question
    }

    func targets(of owners: [ObjectID], _ entity: Int, _ fields: [Int]) -> [AskedObjects?]? {
      let index = targets.firstIndex { $0.entity == entity && $0.fields == fields && $0.owners == owners }
      return index.map { targets.remove(at: $0).questions }
    }

    /// - Returns: The tickets of answers that were not read.
    func removeAll() -> [Ticket] {
      let tickets =
        (found?.question.tickets ?? []) + rows.flatMap(\.question.tickets)
        + targets.flatMap { $0.questions.flatMap { $0?.tickets ?? [] } }
      found = nil
      rows.removeAll()
      targets.removeAll()
      return tickets
    }
  }
#endif
