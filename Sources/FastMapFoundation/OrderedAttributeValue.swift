public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Date: OrderedAttributeValue {}
extension Decimal: OrderedAttributeValue {}
extension Data: OrderedAttributeValue {}
extension UUID: OrderedAttributeValue {}

/// URLs have the order of their text.
extension URL: OrderedAttributeValue {}
