import FastMapCore

/// Draws a diagram as SVG. Its colours are the page's.
enum DiagramSVG {
  static func svg(of diagram: Diagram, _ description: Description) -> String {
    var parts = [
      "<svg role=\"img\" aria-label=\"Entities and relationships\" xmlns=\"http://www.w3.org/2000/svg\" "
        + "width=\"\(number(diagram.width))\" height=\"\(number(diagram.height))\" "
        + "viewBox=\"0 0 \(number(diagram.width)) \(number(diagram.height))\">",
      "<defs><marker id=\"end\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
        + "orient=\"auto\"><path d=\"M0 1L9 5L0 9z\"/></marker></defs>",
    ]
    let labels = diagram.lines.map { line -> String in
      let (path, middle) = line.from == line.to ? loop(diagram.boxes[line.from]) : curve(line, diagram)
      let isOwned = line.labels.allSatisfy(\.isOwned)
      parts.append(
        "<path class=\"\(isOwned ? "line owned" : "line")\" d=\"\(path)\" marker-end=\"url(#end)\"/>")
      return text(line, at: middle)
    }
    // First room around all labels, so that no line touches one.
    parts += labels.map { $0.replacing("class=\"label", with: "class=\"clear label") }
    for box in diagram.boxes {
      let entity = description.entities[box.entity]
      let middle = box.x + box.width / 2
      let note =
        entity.counts.map { counted($0.objectCount, "object") }
        ?? counted(entity.attributes.count, "attribute")
      parts.append(
        "<a href=\"#e\(box.entity)\"><rect class=\"box\" x=\"\(number(box.x))\" y=\"\(number(box.y))\" "
          + "width=\"\(number(box.width))\" height=\"\(number(Diagram.boxHeight))\" rx=\"8\"/>"
          + "<text class=\"name\" x=\"\(number(middle))\" y=\"\(number(box.y + 20))\">"
          + "\(DescriptionPage.escape(Diagram.name(entity.name)))</text>"
          + "<text class=\"note\" x=\"\(number(middle))\" y=\"\(number(box.y + 36))\">\(note)</text></a>")
    }
    return (parts + labels + ["</svg>"]).joined(separator: "\n")
  }

  private typealias Point = (x: Double, y: Double)

  private static func text(_ line: Diagram.Line, at middle: Point) -> String {
    let shown = line.labels.prefix(Diagram.mostLabels).map(\.shown)
    let rest = line.labels.count - shown.count
    let texts = rest > 0 ? shown + ["\(rest) more"] : Array(shown)
    let isLoop = line.from == line.to
    let top = middle.y - Double(texts.count - 1) * Diagram.lineHeight / 2 + 4
    return texts.enumerated().map { index, text in
      "<text class=\"label\(isLoop ? " start" : "")\" x=\"\(number(middle.x))\" "
        + "y=\"\(number(top + Double(index) * Diagram.lineHeight))\">\(DescriptionPage.escape(text))</text>"
    }.joined(separator: "\n")
  }

  /// A line from a box to itself, at its right side.
  private static func loop(_ box: Diagram.Box) -> (String, Point) {
    let x = box.x + box.width
    let (upper, lower) = (box.y + 12, box.y + Diagram.boxHeight - 12)
    return (
      "M\(number(x)) \(number(upper))C\(number(x + 30)) \(number(upper - 8)) \(number(x + 30)) \(number(lower + 8)) "
        + "\(number(x + 2)) \(number(lower))", (x + 28, box.y + Diagram.boxHeight / 2)
    )
  }

  /// A line through its turning points, and the place of its label.
  private static func curve(_ line: Diagram.Line, _ diagram: Diagram) -> (String, Point) {
    let (from, to) = (diagram.boxes[line.from], diagram.boxes[line.to])
    // Lines of one box leave it at different places, towards their targets.
    func port(_ box: Diagram.Box, towards x: Double) -> Double {
      let middle = box.x + box.width / 2
      return middle + max(-1, min(1, (x - middle) / 260)) * (box.width / 2 - 14)
    }
    let target = to.x + to.width / 2
    if from.y == to.y {
      // Beside each other: a bow below both.
      let (start, end) = (port(from, towards: target), line.end)
      let bottom = from.y + Diagram.boxHeight
      let depth = bottom + 40
      return (
        "M\(number(start)) \(number(bottom))C\(number(start)) \(number(depth)) \(number(end)) \(number(depth)) "
          + "\(number(end)) \(number(bottom + 2))", ((start + end) / 2, max(bottom + 30, line.labelHeight))
      )
    }
    let isDown = from.y < to.y
    let points = isDown ? line.points : line.points.reversed()
    let start: Point = (
      port(from, towards: points.first?.x ?? target), isDown ? from.y + Diagram.boxHeight : from.y
    )
    let end: Point = (line.end, isDown ? to.y - 2 : to.y + Diagram.boxHeight + 2)
    let stops = [start] + points + [end]
    var path = "M\(number(start.x)) \(number(start.y))"
    for (a, b) in zip(stops, stops.dropFirst()) {
      let half = (a.y + b.y) / 2
      path += "C\(number(a.x)) \(number(half)) \(number(b.x)) \(number(half)) \(number(b.x)) \(number(b.y))"
    }
    // The label stands on the last piece.
    let last = stops[stops.count - 2]
    let height = (line.labelHeight - last.y) / (end.y - last.y)
    return (path, (last.x + (end.x - last.x) * breadth(at: height), line.labelHeight))
  }

  /// How far across a piece of a line is, as a part of its breadth, where it is so far down.
  private static func breadth(at height: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<20 {
      let t = (low + high) / 2
      let y = 1.5 * (1 - t) * (1 - t) * t + 1.5 * (1 - t) * t * t + t * t * t
      if y < height { low = t } else { high = t }
    }
    return low * low * (3 - 2 * low)
  }

  /// A coordinate with one digit after the point.
  private static func number(_ value: Double) -> String { fixed(value, digits: 1) }
}
