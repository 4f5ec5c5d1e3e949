#if Postgres
  internal import FastMapStoreKit

  /// The items that were sent in pipeline mode and are not answered, oldest first.
  struct ExpectedAnswers {
    enum Item {
      /// A statement whose answer somebody wants, by its number.
      case answer(Int)
      /// A statement whose rows are not needed, such as BEGIN.
      case quiet
      /// The preparation of a statement with this text.
      case preparation(ByteName)
      /// The end of a pipeline.
      case sync
    }

    private var items: [(item: Item, subject: Subject?)] = []
    private var head = 0
    private var next = 0
    /// Whether something was sent after the last sync.
    private(set) var isOpen = false

    var isEmpty: Bool { head == items.count }
    var first: Item? { isEmpty ? nil : items[head].item }
    /// The table that the first statement makes or writes; nil if the statement names none.
    var subject: Subject? { isEmpty ? nil : items[head].subject }

    /// A new number for a statement.
    mutating func number() -> Int {
      next += 1
      return next
    }

    mutating func append(_ item: Item, about subject: Subject? = nil) {
      if case .sync = item { isOpen = false } else { isOpen = true }
      items.append((item, subject))
    }

    mutating func removeFirst() {
      head += 1
      if head == items.count {
        items.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 1024, head * 2 > items.count {
        // With questions sent ahead, the queue may never become empty.
        items.removeFirst(head)
        head = 0
      }
    }
  }

  /// A statement that was sent, for its answer.
  struct Ticket {
    let number: Int
  }
#endif
