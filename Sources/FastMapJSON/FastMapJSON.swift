// JSON as texts, trees and streams: reading it, places in it, and writing it.
// No mapping and no store is known here.
@_exported public import FastMapStoreKit
