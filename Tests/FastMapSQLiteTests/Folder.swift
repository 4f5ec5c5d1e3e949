import Foundation

/// A temporary folder, which goes with its last owner.
final class Folder {
  private let url: URL
  private var count = 0

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(component: "fastmap-sqlite-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file that is not there yet.
  func newFile() -> String {
    count += 1
    return url.appending(component: "\(count).sqlite").path(percentEncoded: false)
  }
}
