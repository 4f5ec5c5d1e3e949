package import FastMapStoreKit

/// The stored targets of the relationships that the changes of a batch set.
///
///     var old = SQLOldTargets(of: batch.changes, binding)
///     for (index, question) in old.questions.enumerated() {
///       old.setLinks(try links(of: question.owners, entity: question.entity, field: question.field), to: index)
///     }
///     old.recordRemoved(by: index, of: &batch)
///     let change = old.listChange(of: field, by: index, of: batch)
///
/// A batch has at most one question for each relationship, however many objects it has. New objects have no stored
/// targets. A to-one relationship is asked for only if its update is `replace`.
///
/// - Note: It has indices into the batch, and is valid as long as the batch has the same changes.
package struct SQLOldTargets: Sendable {
  /// A question for the targets of one relationship.
  ///
  ///     try links(of: question.owners, entity: question.entity, field: question.field)
  package struct Question: Sendable {
    package let entity: Int
    /// The number of the relationship.
    package let field: Int
    /// The objects, in the order of the batch.
    package fileprivate(set) var owners: [ObjectID] = []
    /// The indices of their changes, ascending.
    fileprivate var changes: [Int] = []
  }

  private struct Relationship: Hashable {
    let entity: Int
    let field: Int
  }

  /// The questions that the store must answer. None depends on another, so a store may send all of them at once.
  package private(set) var questions: [Question] = []
  private let binding: SQLBinding
  private var numbers: [Relationship: Int] = [:]
  /// By question, and by owner.
  private var answers: [[[SQLLink]]] = []

  /// Collects the questions of a batch.
  ///
  /// - Parameters:
  ///   - changes: The changes of one batch.
  ///   - binding: The binding of its schema. Relationships that the database does not have are left out.
  /// - Complexity: O(*n*) in the relationships of all changes.
  package init(of changes: [ObjectChange], _ binding: SQLBinding) {
    self.binding = binding
    for (index, change) in changes.enumerated() where !change.isNew {
      guard let bound = binding[change.entity] else { continue }
      for field in bound.relationships where !change.row[field].isMissing {
        let isToMany = bound.column(of: field) == nil
        guard isToMany || change.update(of: field) == .replace else { continue }
        let question = number(Relationship(entity: change.entity, field: field))
        questions[question].owners.append(change.id)
        questions[question].changes.append(index)
      }
    }
    answers = Array(repeating: [], count: questions.count)
  }

  private mutating func number(_ relationship: Relationship) -> Int {
    if let number = numbers[relationship] { return number }
    numbers[relationship] = questions.count
    questions.append(Question(entity: relationship.entity, field: relationship.field))
    return questions.count - 1
  }

  /// Sets the answer to a question.
  ///
  /// - Parameters:
  ///   - links: As many lists as the question has owners, in the same order. The links of an owner may be in any order.
  ///   - question: The index of the question.
  package mutating func setLinks(_ links: [[SQLLink]], to question: Int) {
    precondition(links.count == questions[question].owners.count, "an answer has a list for each owner")
    answers[question] = links
    for owner in links.indices where !links[owner].isAscending {
      answers[question][owner].sort { $0.position < $1.position }
    }
  }

  /// The stored targets of a relationship, in order; empty for a new object, and if they were not asked for.
  ///
  /// - Parameters:
  ///   - field: The number of the relationship.
  ///   - index: The index of the change in its batch.
  ///   - batch: The batch.
  package func links(of field: Int, by index: Int, of batch: ChangeBatch) -> [SQLLink] {
    let relationship = Relationship(entity: batch.changes[index].entity, field: field)
    guard let number = numbers[relationship], let owner = questions[number].changes.place(of: index) else {
      return []
    }
    return answers[number][owner]
  }

  /// How a change alters a to-many relationship that it sets.
  ///
  /// - Parameters:
  ///   - field: The number of the relationship.
  ///   - index: The index of the change in its batch.
  ///   - batch: The batch.
  /// - Returns: Nil if the change leaves the relationship alone.
  package func listChange(of field: Int, by index: Int, of batch: ChangeBatch) -> SQLListChange? {
    let change = batch.changes[index]
    let lent = change.row[field]
    if lent.isMissing { return nil }
    return SQLListChange(
      from: links(of: field, by: index, of: batch), to: Array(lent.targets), update: change.update(of: field))
  }

  /// Tells the core the targets that `replace` relationships no longer have, each once and in the old order. The core
  /// deletes the unreferenced ones.
  ///
  /// - Parameters:
  ///   - index: The index of the change in its batch.
  ///   - batch: The batch.
  package func recordRemoved(by index: Int, of batch: inout ChangeBatch) {
    let change = batch.changes[index]
    guard !change.isNew, let bound = binding[change.entity] else { return }
    for field in bound.relationships where change.update(of: field) == .replace {
      let old = links(of: field, by: index, of: batch)
      if old.isEmpty { continue }
      let lent = change.row[field]
      var kept = Set(lent.targets)
      if let target = lent.target { kept.insert(target) }
      for link in old where kept.insert(link.target).inserted {
        batch.recordRemoved(link.target, from: field, of: change)
      }
    }
  }
}

extension [SQLLink] {
  fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0.position <= $1.position } }
}

extension [Int] {
  /// Where a number is among ascending ones; nil if it is not there.
  fileprivate func place(of number: Int) -> Int? {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if self[middle] < number { lower = middle + 1 } else { upper = middle }
    }
    return lower < count && self[lower] == number ? lower : nil
  }
}
