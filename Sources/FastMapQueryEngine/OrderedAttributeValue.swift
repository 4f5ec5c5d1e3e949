/// A type of properties whose stored values have the order of the type. Filters compare them with `<`, and queries sort
/// by them.
///
///     enum Level: Int, OrderedAttributeValue { case low, middle, high }
///
///     Task.mapping.where { $0.level >= .middle }.sorted(by: \.level, descending: true)
///
/// Numbers, ``DecimalNumber``, strings, ``Timestamp`` and `[UInt8]` conform. `FastMapFoundation` adds `Date`, `URL`, `UUID`, `Decimal` and `Data`. An
/// enum with raw values may declare it, and then has the order of its raw values. `Bool` does not conform.
///
/// Strings have the order of their UTF-8 bytes, not Swift's order: `"z"` comes before `"é"`.
public protocol OrderedAttributeValue: AttributeValue {}

extension Int: OrderedAttributeValue {}
extension Int8: OrderedAttributeValue {}
extension Int16: OrderedAttributeValue {}
extension Int32: OrderedAttributeValue {}
extension Int64: OrderedAttributeValue {}
extension UInt: OrderedAttributeValue {}
extension UInt8: OrderedAttributeValue {}
extension UInt16: OrderedAttributeValue {}
extension UInt32: OrderedAttributeValue {}
extension UInt64: OrderedAttributeValue {}
extension Double: OrderedAttributeValue {}
extension Float: OrderedAttributeValue {}
extension String: OrderedAttributeValue {}
extension Timestamp: OrderedAttributeValue {}
extension DecimalNumber: OrderedAttributeValue {}
extension [UInt8]: OrderedAttributeValue {}
