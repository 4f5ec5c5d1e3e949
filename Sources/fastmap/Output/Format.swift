import FastMapCore

func megabytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1e6, digits: 1) }

extension JSONWriter {
  mutating func member(_ name: String, _ value: Int) {
    self.name(name)
    integer(Int64(value))
  }

  mutating func member(_ name: String, _ value: String) {
    self.name(name)
    string(forTerminal: value)
  }

  mutating func member(_ name: String, _ value: Bool) {
    self.name(name)
    boolean(value)
  }

  mutating func member(_ name: String, _ values: [String]) {
    self.name(name)
    beginArray()
    for value in values { string(forTerminal: value) }
    endArray()
  }
}
