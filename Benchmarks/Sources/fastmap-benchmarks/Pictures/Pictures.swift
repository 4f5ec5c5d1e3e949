import Foundation

/// The pictures of docs/images, from the figures of one run.
struct Pictures {
  let file: String
  let title: String
  let svg: String

  /// The pictures that the run has figures for.
  static func all(of results: Results) -> [Pictures] {
    [imports(results), readers(results), updates(results), growth(results)].compactMap { $0 }
  }

  /// The picture at the top of the README: from JSON to stored objects, and to objects in memory.
  private static func imports(_ results: Results) -> Pictures? {
    guard let families = results["families"] else { return nil }
    let title =
      "JSON in, objects out: \(Figures.grouped(families.objectCount)) objects, \(Figures.megabytes(families.byteCount)) of JSON"
    let groups = [
      group(
        "into a store on disk, beside C++ by hand", families,
        ["fastmap-lmdb", "fastmap-lmdb-one-core", "simdjson-sqlite"]),
      group(
        "the same, beside Foundation and SQLite", families,
        ["fastmap-lmdb", "fastmap-lmdb-one-core", "jsondecoder-sqlite", "sqlite-json-each"]),
      group(
        "into objects in memory", families,
        [
          "fastmap-objects", "fastmap-objects-one-core", "jsondecoder", "jsondecoder-classes",
          "jsonserialization-classes",
        ]),
    ].filter { $0.bars.count > 1 }
    guard groups.allSatisfy({ Set($0.bars.map(\.isOwn)).count > 1 }) else { return nil }
    return Pictures(
      file: "benchmark-imports.svg", title: title,
      svg: BarChart(title: title, remark: remark(results), groups: groups).svg)
  }

  private static func readers(_ results: Results) -> Pictures? {
    let workloads = results.workloads.filter { $0.name.hasPrefix("read-") }
    guard !workloads.isEmpty else { return nil }
    let title = "JSON text into a tree, and the tree freed: MB a second"
    let groups = workloads.map { workload in
      BarChart.Group(
        title: String(workload.name.dropFirst("read-".count)),
        bars: workload.subjects.map { subject in
          let rate = Double(workload.byteCount) / subject.seconds.median / 1e6
          return BarChart.Bar(
            words: subject.title, value: rate, figure: String(format: "%.0f MB/s", rate),
            isOwn: subject.name.hasPrefix("fastmap"))
        })
    }
    return Pictures(
      file: "benchmark-readers.svg", title: title,
      svg: BarChart(title: title, remark: "Longer is faster. " + remark(results), groups: groups).svg)
  }

  private static func updates(_ results: Results) -> Pictures? {
    let workloads = ["again", "update-1-percent", "update-all", "merge", "replace"].compactMap { results[$0] }
    guard !workloads.isEmpty else { return nil }
    let title = "The next payload, into a store that has the last one"
    let groups = workloads.map {
      group($0.title, $0, ["fastmap-lmdb", "simdjson-sqlite", "jsondecoder-sqlite"])
    }
    return Pictures(
      file: "benchmark-updates.svg", title: title,
      svg: BarChart(title: title, remark: remark(results), groups: groups).svg)
  }

  private static func growth(_ results: Results) -> Pictures? {
    guard let imports = results.growth?.imports, imports.count > 1 else { return nil }
    let title = "An import that grows"
    let times = imports.map {
      LineChart.Point(
        size: $0.records, value: $0.secondsPerRecord.median * 1e6,
        figure: String(format: "%.2f", $0.secondsPerRecord.median * 1e6))
    }
    let memory = imports.compactMap { point in
      point.peakAnonymousBytes.map {
        LineChart.Point(
          size: point.records, value: Double($0) / 1e6, figure: String(format: "%.0f", Double($0) / 1e6))
      }
    }
    return Pictures(
      file: "benchmark-growth.svg", title: title,
      svg: LineChart(
        title: title, remark: remark(results, ofRounds: false),
        panels: [
          LineChart.Panel(title: "µs a record, by records", points: times),
          LineChart.Panel(
            title: "MB of memory beside LMDB’s map", points: memory, limit: (64, "64 MB")),
        ]
      ).svg)
  }

  /// The bars of one workload. C++ by hand, where it is among them, is also the line to beat.
  private static func group(
    _ title: String, _ workload: Results.Workload, _ names: [String]
  ) -> BarChart.Group {
    BarChart.Group(
      title: title,
      bars: names.compactMap { workload[$0] }.map { subject in
        BarChart.Bar(
          words: words(subject), value: subject.seconds.median,
          figure: String(format: "%.0f ms", subject.seconds.median * 1000),
          isOwn: subject.name.hasPrefix("fastmap"))
      },
      mark: names.contains("simdjson-sqlite") ? workload["simdjson-sqlite"]?.seconds.median : nil)
  }

  private static func words(_ subject: Results.Measured) -> String {
    switch subject.name {
    case "fastmap-lmdb", "fastmap-objects": "FastMap, two cores"
    case "fastmap-lmdb-one-core", "fastmap-objects-one-core": "FastMap, one core"
    case "simdjson-sqlite": "C++ by hand: simdjson → SQLite"
    case "jsondecoder": "JSONDecoder → structs, not uniqued"
    default: subject.title
    }
  }

  private static func remark(_ results: Results, ofRounds: Bool = true) -> String {
    let words =
      "\(results.machine.processor), \(results.machine.cores) cores, \(results.machine.date.prefix(10))"
    return words + (ofRounds ? "; median of \(results.workloads.first?.rounds ?? 0) rounds" : "")
  }
}
