import FastMapCore
import FastMapStoreTesting

/// One thing that is done to a store of random forms.
public struct FormStep: CustomStringConvertible {
  enum Work {
    /// The least number of the items that the payload has all of; nil if it is not complete.
    case items([FormItemText], replacingFrom: Int?)
    case shelves([FormShelfText], isComplete: Bool)
    case deletion(shelf: String)
  }

  var work: Work
  var batchSize: Int?
  var commitInterval: Int?
  var isDryRun = false
  var isNDJSON = false

  /// The number of objects in the payload.
  var count: Int {
    switch work {
    case .items(let texts, _): texts.count
    case .shelves(let texts, _): texts.count
    case .deletion: 0
    }
  }

  /// The same in other batches and commits.
  public var otherwise: FormStep {
    var other = self
    other.commitInterval = commitInterval == nil ? 1 + count % 2 : nil
    other.batchSize = batchSize == nil ? 1 : nil
    return other
  }

  /// Whether the payload changes nothing the second time. These are known to do so: occurrences without an age or a kind beside others with
  /// one, two kinds of one object, and a deleted part below an occurrence that is older than a later one.
  var isRepeatable: Bool {
    if case .deletion = work { return false }
    guard case .items(let texts, _) = work else { return !isDryRun }
    var kinds: [FormKey: [Bool?]] = [:]
    var ages: [String: Set<Bool>] = [:]
    var deleting: Set<FormKey> = []
    for text in texts.flatMap(\.all) where !text.isReference {
      kinds[text.key, default: []].append(text.body.isBook)
      ages[text.key.text, default: []].insert(text.body.at.value != nil)
      for part in text.parts.value ?? [] {
        if part.isGone { deleting.insert(text.key) }
        ages["\(text.key.text) \(part.number)", default: []].insert(part.at.value != nil)
      }
    }
    return !isDryRun && ages.values.allSatisfy { $0.count == 1 }
      && kinds.allSatisfy { Set($1).count == 1 && ($1.count == 1 || !deleting.contains($0)) }
  }

  /// Whether no object is taken away and made again, so that a second import has nothing to count.
  var isPlain: Bool {
    guard case .items(let texts, _) = work else { return true }
    var counts: [FormKey: Int] = [:]
    for text in texts.flatMap(\.all) where text.body.isGone || text.parts.isGiven {
      counts[text.key, default: 0] += 1
    }
    return commitInterval == nil && counts.values.allSatisfy { $0 == 1 }
  }

  mutating func remove(at index: Int) {
    switch work {
    case .items(var texts, let least):
      texts.remove(at: index)
      work = .items(texts, replacingFrom: least)
    case .shelves(var texts, let isComplete):
      texts.remove(at: index)
      work = .shelves(texts, isComplete: isComplete)
    case .deletion: break
    }
  }

  var json: String {
    switch work {
    case .items(let texts, _):
      isNDJSON
        ? texts.map(\.json).joined(separator: "\n") : "[\(texts.map(\.json).joined(separator: ","))]"
    case .shelves(let texts, _): "{\(texts.map(\.json).joined(separator: ","))}"
    case .deletion(let shelf): "delete \(shelf)"
    }
  }

  var options: ImportOptions {
    get throws {
      var options = ImportOptions(commitInterval: commitInterval, isDryRun: isDryRun, batchSize: batchSize)
      if isNDJSON { options.format = .ndjson }
      switch work {
      case .items(_, let least?): options.replaces = .matching(try Filter("@.no >= \(least)"))
      case .shelves(_, true): options.replaces = .all
      default: break
      }
      return options
    }
  }

  public var description: String {
    var words = [json]
    if let batchSize { words.append("in batches of \(batchSize)") }
    if let commitInterval { words.append("in commits of \(commitInterval)") }
    if isDryRun { words.append("dry") }
    switch work {
    case .items(_, let least?): words.append("instead of those from \(least)")
    case .shelves(_, true): words.append("instead of all")
    default: break
    }
    return words.joined(separator: " ")
  }
}
