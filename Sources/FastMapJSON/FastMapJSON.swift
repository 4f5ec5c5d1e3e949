// JSON as texts, trees and streams: reading it, places in it, and writing it.
// It knows values and rows, but no mapping and no store.
@_exported public import FastMapStoreKit
