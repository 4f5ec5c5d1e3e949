/// A decoder that notes the members that a type asks for, and returns dummies.
final class Recorder: Decoder {
  /// A member that was asked for.
  struct Member {
    let name: String
    /// The name of its property, as far as the compiler has made the key.
    let property: String
    var shape: RecordedShape
    var isOptional: Bool
  }

  let recording: Recording
  private(set) var members: [Member] = []
  /// The shape of a type that is one value.
  var single: RecordedShape?
  /// The reason why the members cannot be known; nil if they can.
  var unknown: String?
  /// The error that ended the recording.
  var error: String?

  /// The member that was asked for null: an optional of a standard type is decoded after that question.
  var asked: String?

  /// The number of earlier recorders whose dummies the type has refused.
  let attempt: Int

  init(_ recording: Recording, _ attempt: Int) { (self.recording, self.attempt) = (recording, attempt) }

  /// A recorder of members inside.
  var inner: Recorder { Recorder(recording, attempt) }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedRecorder<Key>(recorder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    unknown = unknown ?? "an array has its values"
    return ListRecorder(recorder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleRecorder(recorder: self) }

  /// Notes a member. A member of two types is kept as JSON.
  func note(_ key: some CodingKey, _ shape: RecordedShape, isOptional: Bool) {
    guard let place = members.firstIndex(where: { $0.name == key.stringValue }) else {
      return members.append(
        Member(
          name: key.stringValue, property: key.propertyName, shape: shape,
          isOptional: isOptional || asked == key.stringValue))
    }
    if !members[place].shape.isSame(as: shape) { members[place].shape = .json(because: nil) }
  }

  /// A dummy of a member's type.
  func dummy<T: Decodable>(_ type: T.Type) throws -> T {
    if let value = type as? any CellValue.Type, let dummy = Dummy.value(of: value, attempt) as? T {
      return dummy
    }
    if let dummy = recording.known(of: type).dummy as? T { return dummy }
    let reason = "\(type) refuses all values that recording can make" + hint(type)
    error = error ?? reason
    throw RecordingError(description: reason)
  }

  private func hint(_ type: Any.Type) -> String {
    String(reflecting: type).hasPrefix("Foundation")
      ? "; import FastMapFoundation for types of Foundation" : ""
  }
}

/// Ends the recording of a type.
struct RecordingError: Error, CustomStringConvertible {
  let description: String
}

/// The members of a type that is recorded.
private struct KeyedRecorder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: Recorder

  var codingPath: [any CodingKey] { [] }

  /// A type that looks at the names has members of any name, as an enum with payloads does.
  var allKeys: [Key] {
    recorder.unknown = recorder.unknown ?? "it asks for the names of all members"
    return Dummy.plain(Key.self).map { [$0] } ?? []
  }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) -> Bool {
    recorder.asked = key.stringValue
    return false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    recorder.note(
      key, recorder.recording.shape(of: type), isOptional: type is any ExpressibleByNilLiteral.Type)
    return try recorder.dummy(type)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
    recorder.note(key, recorder.recording.shape(of: type), isOptional: true)
    return nil
  }

  // The value inside is JSON: it may depend on other values.

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    recorder.note(key, .json(because: nil), isOptional: true)
    return KeyedDecodingContainer(KeyedRecorder<Nested>(recorder: recorder.inner))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    recorder.note(key, .json(because: nil), isOptional: true)
    return ListRecorder(recorder: recorder.inner)
  }

  func superDecoder() -> any Decoder {
    recorder.note(NameKey(stringValue: "super"), .json(because: nil), isOptional: true)
    return recorder.inner
  }

  func superDecoder(forKey key: Key) -> any Decoder {
    recorder.note(key, .json(because: nil), isOptional: true)
    return recorder.inner
  }
}

/// One value of a type that is recorded.
private struct SingleRecorder: SingleValueDecodingContainer {
  let recorder: Recorder

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    recorder.single = recorder.single ?? recorder.recording.shape(of: type)
    return try recorder.dummy(type)
  }
}

/// An array without elements.
private struct ListRecorder: UnkeyedDecodingContainer {
  let recorder: Recorder

  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  mutating func decodeNil() -> Bool { false }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try recorder.dummy(type) }
  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedRecorder<Key>(recorder: recorder))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
  mutating func superDecoder() -> any Decoder { recorder }
}
