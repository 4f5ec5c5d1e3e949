/// The number by which a store knows one object of an entity: never 0, never given to another object of the
/// entity, the same after every update.
public typealias ObjectID = UInt64
