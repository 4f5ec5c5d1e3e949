// Codable types: their mappings, and their values in JSON trees and in stores.
// No context is known here, and no Foundation.
@_exported public import FastMapImport
