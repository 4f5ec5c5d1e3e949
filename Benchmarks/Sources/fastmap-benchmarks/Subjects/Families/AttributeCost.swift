@_spi(Benchmarks) import FastMapCore

/// An object with a property of each sort.
final class Sheet {
  var boolean = false
  var int16: Int16 = 0
  var int64: Int64 = 0
  var float: Float = 0
  var double = 0.0
  var string = ""
  var date = Timestamp(seconds: 0)
  var optional: Int?

  static let mapping = Mapping(Sheet.self, "Sheet", make: Sheet.init) {
    Attribute("boolean", \.boolean)
    Attribute("int16", \.int16)
    Attribute("int64", \.int64)
    Attribute("float", \.float)
    Attribute("double", \.double)
    Attribute("string", \.string)
    Attribute("date", \.date)
    Attribute("optional", \.optional)
  }

  static let values: [Value] = [
    .boolean(true), .integer(7), .integer(7_000_000_000), .number(1.5), .number(2.25), .string("lorem ipsum"),
    .date(Timestamp(seconds: 1_372_701_600)), .integer(5),
  ]

  /// The code that a careful user would write instead of attributes: a closure for each property.
  static let byHand: [@Sendable (AnyObject, Field) -> Void] = [
    { if let value = $1.boolean { sheet($0).boolean = value } },
    { if let value = $1.integer.flatMap({ Int16(exactly: $0) }) { sheet($0).int16 = value } },
    { if let value = $1.integer { sheet($0).int64 = value } },
    { if let value = $1.number { sheet($0).float = Float(value) } },
    { if let value = $1.number { sheet($0).double = value } },
    { if let value = $1.string { sheet($0).string = value } },
    { if let value = $1.date { sheet($0).date = value } },
    {
      if $1.isNull {
        sheet($0).optional = nil
      } else if let value = $1.integer {
        sheet($0).optional = Int(value)
      }
    },
  ]

  @inline(__always)
  private static func sheet(_ object: AnyObject) -> Sheet { unsafeDowncast(object, to: Sheet.self) }
}

/// Sets every property of many objects repeatedly. The closures are called one by one, as an import does.
struct AttributeCost: Subject {
  let objectCount: Int
  let isByHand: Bool

  static let sweeps = 100

  func prepare() throws -> () throws -> Int {
    let objects: [AnyObject] = (0..<objectCount).map { _ in Sheet() }
    return {
      for (place, attribute) in Sheet.mapping.definition.attributes.enumerated() {
        Sheet.values[place].withField { field in
          for _ in 0..<Self.sweeps {
            if isByHand {
              Self.set(Sheet.byHand[place], objects, field)
            } else {
              attribute.set(objects, to: field)
            }
          }
        }
      }
      return objects.count
    }
  }

  /// The optimiser does not know the closure.
  @inline(never)
  private static func set(
    _ closure: @Sendable (AnyObject, Field) -> Void, _ objects: [AnyObject], _ field: Field
  ) {
    for object in objects { closure(object, field) }
  }
}
