public import FastMapCore

/// The stored targets that the changes of a batch need to know: those of relationships that they set.
///
///     var old = SQLOldTargets(of: batch.changes, binding)
///     for (index, question) in old.questions.enumerated() {
///       old.setAnswer(try targets(of: question.owners, entity: question.entity, fields: question.fields), to: index)
///     }
///     old.noteRemoved(by: index, of: &batch)
///     let change = old.listChange(of: field, by: index, of: batch)
///
/// A batch has few questions, however many objects it has: one for each set of relationships that its updates set.
/// New objects have no stored targets. A to-one relationship is asked for only if its policy is `replace`.
///
/// - Note: It has indices into the batch, and is valid as long as the batch has the same changes.
public struct SQLOldTargets: Sendable {
  /// A question for the targets of some relationships.
  ///
  ///     try targets(of: question.owners, entity: question.entity, fields: question.fields)
  public struct Question: Sendable {
    /// The number of the entity in the schema.
    public let entity: Int
    /// The numbers of its relationships, ascending.
    public let fields: [Int]
    /// The objects, in the order of the batch.
    public fileprivate(set) var owners: [ObjectID]
  }

  private struct Shape: Hashable {
    let entity: Int
    let fields: [Int]
  }

  /// What the store must answer. They are independent of each other, so a store may send all of them at once.
  public private(set) var questions: [Question] = []
  /// By question, by field, by owner.
  private var answers: [[[[ObjectID]]]] = []
  /// By change, its question and its place among the owners; nil if it needs none.
  private var places: [(question: Int, owner: Int)?] = []
  private let binding: SQLBinding

  /// Collects the questions of a batch.
  ///
  /// - Parameters:
  ///   - changes: The changes of one batch.
  ///   - binding: The binding of its schema.
  /// - Complexity: O(*n*) in the fields of all changes.
  public init(of changes: [ObjectChange], _ binding: SQLBinding) {
    self.binding = binding
    var known: [Shape: Int] = [:]
    places.reserveCapacity(changes.count)
    for change in changes {
      guard !change.isNew, let bound = binding[change.entity] else {
        places.append(nil)
        continue
      }
      let fields = bound.fields.indices.filter { Self.needsOld(change, $0, bound) }
      if fields.isEmpty {
        places.append(nil)
        continue
      }
      let shape = Shape(entity: change.entity, fields: fields)
      let question = known[shape] ?? questions.count
      if question == questions.count {
        known[shape] = question
        questions.append(Question(entity: shape.entity, fields: fields, owners: []))
        answers.append([])
      }
      places.append((question, questions[question].owners.count))
      questions[question].owners.append(change.id)
    }
  }

  private static func needsOld(_ change: ObjectChange, _ field: Int, _ bound: SQLBinding.Entity) -> Bool {
    guard let stored = bound.fields[field], stored.target != nil, !change.row[field].isMissing else {
      return false
    }
    return stored.isToMany || change.policy(of: field) == .replace
  }

  /// Sets the answer to a question.
  ///
  /// - Parameters:
  ///   - targets: By field and then by owner, as the store protocol's `targets` returns them.
  ///   - question: The index of the question.
  public mutating func setAnswer(_ targets: [[[ObjectID]]], to question: Int) {
    precondition(
      targets.count == questions[question].fields.count
        && targets.allSatisfy { $0.count == questions[question].owners.count },
      "an answer has a list for each field and owner")
    answers[question] = targets
  }

  /// The stored targets of a relationship, in order; empty for a new object, and if they were not asked for.
  ///
  /// - Parameters:
  ///   - field: The number of the relationship.
  ///   - change: The index of the change in its batch.
  public func targets(of field: Int, by change: Int) -> [ObjectID] {
    guard let place = places[change],
      let index = questions[place.question].fields.firstIndex(of: field)
    else { return [] }
    return answers[place.question][index][place.owner]
  }

  /// How a change alters a to-many relationship that it sets.
  ///
  /// - Parameters:
  ///   - field: The number of the relationship.
  ///   - index: The index of the change in its batch.
  ///   - batch: The batch.
  /// - Returns: Nil if the change leaves the relationship alone, and if the database has no table for it.
  public func listChange(of field: Int, by index: Int, of batch: ChangeBatch) -> SQLListChange? {
    let change = batch.changes[index]
    guard let stored = binding[change.entity]?.fields[field], stored.isToMany else { return nil }
    let lent = change.row[field]
    if lent.isMissing { return nil }
    return SQLListChange(
      from: targets(of: field, by: index), to: Array(lent.targets), policy: change.policy(of: field))
  }

  /// Tells the core the targets that the `replace` relationships of a change no longer have, each once and in the old
  /// order. The core deletes those that nothing refers to.
  ///
  /// - Parameters:
  ///   - index: The index of the change in its batch.
  ///   - batch: The batch.
  public func noteRemoved(by index: Int, of batch: inout ChangeBatch) {
    let change = batch.changes[index]
    guard let place = places[index] else { return }
    for field in questions[place.question].fields where change.policy(of: field) == .replace {
      let old = targets(of: field, by: index)
      if old.isEmpty { continue }
      let lent = change.row[field]
      var kept = Set(lent.targets)
      if let target = lent.target { kept.insert(target) }
      for target in old where kept.insert(target).inserted {
        batch.noteRemoved(target, from: field, of: change)
      }
    }
  }
}
