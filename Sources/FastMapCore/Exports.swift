// Users import FastMapCore alone: the types that stores and users share come with it.
@_exported public import FastMapStoreKit
