/// A mapping file of two mappings, chosen by some bytes.
struct RandomMappings {
  static let byteCount = 12

  private let bytes: [UInt8]
  private var bits: UInt64 = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Every object has a key, and relationships assign: nothing depends on the end of a batch or on earlier objects.
  var isPlain: Bool { bytes[0] & 1 == 0 }

  mutating func text() -> String {
    bits = bytes.dropFirst().reduce(UInt64(bytes[0] >> 1)) { $0 &* 257 &+ UInt64($1) }
    let rootPath = pick(4) == 0 ? #""rootPath": "a.b", "# : ""
    let keyed: Set = isPlain || pick(2) == 0 ? ["A", "B"] : ["A"]
    return """
      {"fastmap": 1, "mappings": {
        "A": {\(rootPath)\(body("A", keyed))},
        "B": {\(body("B", keyed))}}}
      """
  }

  private mutating func pick(_ count: UInt64) -> Int {
    bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((bits >> 33) % count)
  }

  private mutating func body(_ mapping: String, _ keyed: Set<String>) -> String {
    let hasKey = keyed.contains(mapping)
    var attributes: [String] = []
    if hasKey {
      let path = pick(8) == 0 ? "null" : #""id""#
      attributes.append(#""id": {"type": "\#(pick(2) == 0 ? "integer" : "string")", "keyPath": \#(path)}"#)
    }
    for name in ["a", "b", "c"] where pick(3) > 0 {
      let path = ["\(name)", "x.\(name)", "y.z.\(name)", "\(name)\\\\.x"][pick(4)]
      attributes.append(#""\#(name)": {\#(type()), "keyPath": "\#(path)"}"#)
    }
    let relationships = ["r", "s"].filter { _ in pick(3) > 0 }.map { name in
      let policy = isPlain ? "assign" : ["assign", "merge", "replace"][pick(3)]
      let target = ["A", "B"][pick(2)]
      let isWeak = !isPlain && keyed.contains(target) && pick(4) == 0
      let path = pick(6) == 0 ? "x.\(name)" : name
      return
        #""\#(name)": {"mapping": "\#(target)", "toMany": \#(pick(2) == 0), "keyPath": "\#(path)", "policy": "\#(policy)", "weak": \#(isWeak)}"#
    }
    return (hasKey ? #""primaryKey": "id", "# : "")
      + #""attributes": {\#(attributes.joined(separator: ", "))}, "relationships": {\#(relationships.joined(separator: ", "))}"#
  }

  private mutating func type() -> String {
    let types = ["boolean", "integer", "number", "string", "data", "json"]
    let formats = ["iso8601", "epoch", "epoch-ms", "%Y-%m-%d", "%d %b %Y %H:%M"]
    let number = pick(UInt64(types.count + formats.count))
    if number < types.count { return #""type": "\#(types[number])""# }
    return #""type": "date", "format": "\#(formats[number - types.count])""#
  }
}
