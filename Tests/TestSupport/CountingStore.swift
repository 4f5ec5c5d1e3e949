package import FastMapCore
package import FastMapStoreTesting
import Synchronization

/// Counts the questions that a store on another machine would answer in a round trip each.
///
///     let counter = TripCounter()
///     let store = counter.store(on: base)
///     _ = try Mapper(store).importJSON(json, as: plan)
///     #expect(counter.take().count <= 6)
///
/// A transaction begins with its first question. Its end is a question only if it commits.
package final class TripCounter: Sendable {
  private let questions = Mutex<[Question]>([])

  package init() {}

  /// A store on top of another that says that it prefers sets, and counts.
  package func store<Base: Store>(on base: Base) -> ObservedStore<Base> {
    var capabilities = base.capabilities
    capabilities.prefersSets = true
    return ObservedStore(base, capabilities: capabilities) { question in
      self.questions.withLock { $0.append(question) }
    }
  }

  /// The questions since the last time.
  package func take() -> Trips {
    questions.withLock { questions in
      defer { questions = [] }
      return Trips(questions: questions)
    }
  }
}

/// Questions, each of which is a round trip.
package struct Trips: CustomStringConvertible {
  package let questions: [Question]

  package var count: Int { questions.count }

  /// `9: resolve 2, reserve 2, apply 2, references 1, delete 1, commit 1`
  package var description: String {
    var counts: [(kind: Question.Kind, count: Int)] = []
    for question in questions {
      if let index = counts.firstIndex(where: { $0.kind == question.kind }) {
        counts[index].count += 1
      } else {
        counts.append((question.kind, 1))
      }
    }
    return "\(count): " + counts.map { "\($0.kind.rawValue) \($0.count)" }.joined(separator: ", ")
  }
}
