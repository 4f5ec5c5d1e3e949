/// A step that makes a file durable.
package enum FileStep: Sendable {
  /// The contents of an open file, or the names in an open directory, are on the disk.
  case synced(stat)
  /// A complete file got its final name.
  case named(stat)

  /// Called at each step of this task. Tests see by it that a file is synced before it gets its name. Beside a sync, the look
  /// at it costs nothing.
  @TaskLocal package static var observer: (@Sendable (FileStep) -> Void)?

  package static func didSync(_ descriptor: Int32) {
    guard let observer else { return }
    var status = stat()
    if fstat(descriptor, &status) == 0 { observer(.synced(status)) }
  }

  package static func didName(_ path: String) {
    guard let observer else { return }
    var status = stat()
    if stat(path, &status) == 0 { observer(.named(status)) }
  }
}
