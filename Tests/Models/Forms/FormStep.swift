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
