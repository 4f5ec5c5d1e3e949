public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Data as JSON text, for example from a download.
///
///     let people = try Person.mapping.objects(from: data)
extension Data: JSONSource {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(body)
  }
}
