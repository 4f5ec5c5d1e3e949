/// The start of the process, under the name that the package manager gives to `main`.
///
/// The system hands over the words. `CommandLine` would read them from `/proc`, which a bare chroot may lack.
///
/// - Returns: The exit status.
@_cdecl("fastmap_main")
func start(_ count: Int32, _ words: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  Tool.run(UnsafeBufferPointer(start: words, count: Int(count))).rawValue
}
