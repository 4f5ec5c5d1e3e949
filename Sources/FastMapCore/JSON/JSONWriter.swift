public struct JSONWriter { public private(set) var bytes: [UInt8] = []; mutating func removeAll(keepingCapacity: Bool) {}; mutating func append(_ n: JSONNode) {} }
