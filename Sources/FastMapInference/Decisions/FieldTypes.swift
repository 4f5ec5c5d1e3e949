import FastMapCore

/// The type of an attribute, by its values.
struct FieldType {
  let tree: JSONTree
  /// A sentence about a decision that could have gone the other way.
  var note: String?

  private init(_ name: String, note: String? = nil) {
    tree = .string(name)
    self.note = note
  }

  private init(date format: String, note: String? = nil) {
    tree =
      format == "iso8601" ? .string("date") : .object(["type": .string("date"), "format": .string(format)])
    self.note = note
  }

  static let json = FieldType("json")

  /// The type for scalars, and `json` for anything else.
  init(_ shape: Shape) {
    let counts = shape.counts
    guard counts.all > 0, counts.all == counts.scalars else {
      self = .json
      return
    }
    if counts.booleans == counts.all {
      self.init("boolean")
    } else if counts.numbers == counts.all {
      self = Self.number(shape)
    } else if counts.strings == counts.all, let text = shape.text {
      self = Self.string(shape, text)
    } else {
      self.init("json", note: "json: " + Self.kinds(counts))
    }
  }

  /// `12 strings and 3 integers`.
  static func kinds(_ counts: Counts) -> String {
    let kinds = [
      (counts.booleans, "boolean"), (counts.numbers, "number"), (counts.strings, "string"),
      (counts.objects, "object"), (counts.lists, "list"),
    ]
    return list(kinds.filter { $0.0 > 0 }.map { "\(spaced($0.0)) \($0.1)\($0.0 == 1 ? "" : "s")" }, most: 5)
  }

  // MARK: Numbers

  private static func number(_ shape: Shape) -> FieldType {
    let counts = shape.counts
    if counts.integers == counts.all {
      return epoch(shape).map {
        FieldType(date: $0, note: "a date, by its name and values; the format is \($0)")
      }
        ?? FieldType("integer")
    }
    let all = spaced(counts.all)
    if counts.tooLong > 0 {
      let count = spaced(counts.tooLong)
      return FieldType("json", note: "json: \(count) of \(all) numbers do not fit into a decimal")
    }
    if counts.inexact > 0 {
      let count = spaced(counts.inexact)
      return FieldType(
        "decimal", note: "a decimal: a double would change the digits of \(count) of \(all) numbers")
    }
    return FieldType("number")
  }

  private static let timeWords = words(
    """
    at date time timestamp created updated modified start end expires expiry deadline since until datetime
    published ts ms utc
    """)

  /// The form of whole numbers that are dates by their name, all between 2000 and 2100.
  private static func epoch(_ shape: Shape) -> String? {
    guard let last = Words(shape.label).all.last, timeWords.contains(last) else { return nil }
    let years = Int64(946_684_800)...Int64(4_102_444_800)
    if years.contains(shape.smallest), years.contains(shape.largest) { return "epoch" }
    let milliseconds = (years.lowerBound * 1000)...(years.upperBound * 1000)
    return milliseconds.contains(shape.smallest) && milliseconds.contains(shape.largest) ? "epoch-ms" : nil
  }

  // MARK: Strings

  private static let dataWords = words(
    "data bytes blob base64 content binary image thumbnail signature certificate payload")

  private static func string(_ shape: Shape, _ text: TextFacts) -> FieldType {
    if let form = DateForms.chosen(text.dates) {
      let count = spaced(text.count)
      return FieldType(date: form, note: "a date: \(count) of \(count) strings are \(form)")
    }
    if text.dates != 0 {
      return FieldType("string", note: "a string: the order of day and month in its dates is ambiguous")
    }
    if text.isData(isExpected: dataWords.contains(Words(shape.label).all.last ?? "")) {
      let count = spaced(text.count)
      return FieldType("data", note: "data: \(count) of \(count) strings are base64")
    }
    return FieldType("string")
  }
}
