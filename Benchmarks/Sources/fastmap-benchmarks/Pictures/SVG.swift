import Foundation

/// A picture on its own card, light or dark like the reader's system.
struct SVG {
  let width: Int
  let height: Int
  private var body = ""

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  enum Anchor: String {
    case start, middle, end
  }

  /// - Parameter style: A class of the style sheet below.
  mutating func text(
    _ words: String, x: Double, y: Double, style: String = "text", anchor: Anchor = .start
  ) {
    body +=
      "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor.rawValue)\">"
    body += words.replacing("&", with: "&amp;").replacing("<", with: "&lt;") + "</text>\n"
  }

  mutating func bar(x: Double, y: Double, width: Double, height: Double, style: String) {
    body +=
      "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(max(width, 1)))\" "
    body += "height=\"\(number(height))\" rx=\"2\"/>\n"
  }

  mutating func line(_ points: [(x: Double, y: Double)], style: String) {
    let places = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    body += "<polyline class=\"\(style)\" points=\"\(places)\"/>\n"
  }

  mutating func dot(x: Double, y: Double, style: String) {
    body += "<circle class=\"\(style)\" cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"3.5\"/>\n"
  }

  /// The complete file.
  func document(title: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
    role="img" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">
    <title>\(title)</title>
    <style>
    .card { fill: #ffffff; stroke: #d0d7de } .title { fill: #1f2328; font-size: 15px; font-weight: 600 }
    .text { fill: #1f2328; font-size: 12.5px } .strong { fill: #1f2328; font-size: 12.5px; font-weight: 600 }
    .faint { fill: #59636e; font-size: 11.5px }
    .own { fill: #0a69da } .other { fill: #afb8c1 } .axis { fill: none; stroke: #d0d7de }
    .mark { fill: none; stroke: #d4832a; stroke-width: 2; stroke-dasharray: 4 3 }
    .c0 { fill: #0a69da } .c1 { fill: #afb8c1 } .c2 { fill: #d4832a } .c3 { fill: #6b8f3c } .c4 { fill: #8250df }
    .l0 { fill: none; stroke: #0a69da; stroke-width: 2 } .l2 { fill: none; stroke: #d4832a; stroke-width: 2 }
    .l1 { fill: none; stroke: #afb8c1; stroke-width: 2 } .l3 { fill: none; stroke: #6b8f3c; stroke-width: 2 }
    .l4 { fill: none; stroke: #8250df; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d } .title, .text, .strong { fill: #f0f6fc } .faint { fill: #9198a1 }
    .own, .c0 { fill: #4493f8 } .other, .c1 { fill: #656c76 } .c2 { fill: #e09b4d } .c3 { fill: #8fb45a }
    .c4 { fill: #ab7df8 } .axis { stroke: #3d444d } .l0 { stroke: #4493f8 } .l2 { stroke: #e09b4d }
    .l1 { stroke: #656c76 } .l3 { stroke: #8fb45a } .l4 { stroke: #ab7df8 }
    }
    </style>
    <rect class="card" x="0.5" y="0.5" width="\(width - 1)" height="\(height - 1)" rx="8"/>
    \(body)</svg>

    """
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
