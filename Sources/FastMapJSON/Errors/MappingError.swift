/// A value in a payload that does not match its mapping.
///
///     $[417].price: expected a number, found the string "n/a" (line 2503, column 14)
public struct MappingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the value in the payload. For a missing value, the path where it should be.
  public let path: JSONPath

  /// The line and column of the value, or of the object that lacks it; nil for a tree without text.
  public let location: TextLocation?

  /// The file with the value, where an import has ``JSONInput/files(_:)``.
  public package(set) var file: String?

  /// The expectation that failed, and the value that was found.
  public let reason: Reason

  /// The relationship that the error leaves as it is; nil if there is none.
  package let kept: Kept?

  /// A relationship that an import with ``ImportOptions/FaultPolicy/skip`` leaves as it is, because a faulty element may be any
  /// of its targets.
  package enum Kept: Equatable, Sendable {
    /// A list. The elements that could be read may have been added.
    case list
    /// A to-one relationship.
    case target
  }

  /// The kind of mismatch.
  ///
  ///     if case .missingKey(_, let entity, _) = error.reason { print("no key:", entity) }
  public enum Reason: Equatable, Sendable {
    /// A value with the wrong type, format or range.
    case unexpected(expected: String, found: String)
    /// A missing or null primary key.
    case missingKey(kind: AttributeKind, entity: String, isNull: Bool)
    /// A root path that does not exist.
    case missingRoot(JSONPath)
    /// A value that the store refused, such as a key that it cannot hold.
    case refused(String)
    /// A line that is not JSON, and why: see ``JSONSyntaxError/reason``.
    case notJSON(String)
    /// Values that another object has too, in a unique index.
    case notUnique(UniquenessError)
  }

  package init(
    path: JSONPath, location: TextLocation?, reason: Reason, kept: Kept? = nil, file: String? = nil
  ) {
    self.path = path
    self.file = file
    self.location = location
    self.reason = reason
    self.kept = kept
  }

  /// The expectation and the value found, without the path.
  public var message: String {
    switch kept {
    case .list: "\(fault); nothing was removed from this list"
    case .target: "\(fault); this relationship stays as it was"
    case nil: fault
    }
  }

  private var fault: String {
    switch reason {
    case .unexpected(let expected, let found):
      "expected \(expected), found \(found)"
    case .missingKey(let kind, let entity, isNull: true):
      "expected \(kind.noun), the primary key of \(escaped(entity)), found null"
    case .missingKey(let kind, let entity, isNull: false):
      "expected \(kind.noun), the primary key of \(escaped(entity)), found nothing"
    case .missingRoot:
      "expected the objects to map at this root path, found nothing"
    case .refused(let why), .notJSON(let why):
      why
    case .notUnique(let error):
      error.message
    }
  }

  public var description: String {
    (file.map { $0 + ": " } ?? "") + "\(path): \(message)" + (location.map { " (\($0))" } ?? "")
  }
}

extension MappingError: FastMapError {
  public var code: String {
    switch reason {
    case .unexpected: "unexpected-value"
    case .missingKey: "missing-key"
    case .missingRoot: "missing-root"
    case .refused: "refused-value"
    case .notJSON: "not-json"
    case .notUnique: "not-unique"
    }
  }

  public var place: String? {
    [file, "\(path)", location.map { "\($0)" }].compactMap(\.self).joined(separator: ", ")
  }
}
