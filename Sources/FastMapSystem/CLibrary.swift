// The one import of the C library: every other file has `import FastMapSystem`. No product has this module, so users
// do not see it.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif
