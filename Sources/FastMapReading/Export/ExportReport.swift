/// The result of an export.
///
///     let report = try serializer.exportFile("people.ndjson", from: store)
///     print(report.objects, "objects")
public struct ExportReport: Equatable, Sendable {
  /// The number of root objects.
  public internal(set) var objects = 0
  /// The size of the whole text, in bytes.
  public internal(set) var bytes = 0
}
