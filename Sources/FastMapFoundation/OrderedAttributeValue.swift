public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// A Decimal does not conform: stores keep it as text, and "10" comes before "9".
extension Date: OrderedAttributeValue {}
extension Data: OrderedAttributeValue {}
extension UUID: OrderedAttributeValue {}

/// URLs have the order of their text.
extension URL: OrderedAttributeValue {}
