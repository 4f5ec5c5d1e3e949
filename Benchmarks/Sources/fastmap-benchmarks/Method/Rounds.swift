import Foundation

/// Runs the subjects of one suite in turn, round after round: A B C, A B C, …
///
/// What disturbs the machine for a while then disturbs all of them, and a ratio within one round stays true.
struct Rounds {
  let suite: Suite
  let size: Int
  let options: Options
  let folder: Folder

  func run() throws -> Results.Workload {
    let wanted = Set(options.subjects ?? suite.subjects.map(\.name))
    Console.progress("\(suite.name): making the workload")
    let prepared = try suite.make(size, wanted, folder)
    var samples = [[Sample]](repeating: [], count: prepared.subjects.count)
    var first = [Sample?](repeating: nil, count: prepared.subjects.count)
    for round in 0..<(options.warmUps + options.rounds) {
      let isWarmUp = round < options.warmUps
      let place = isWarmUp ? "warm-up" : "round \(round - options.warmUps + 1) of \(options.rounds)"
      for (index, subject) in prepared.subjects.enumerated() {
        Console.progress("\(suite.name): \(place), \(subject.name)")
        let sample = try measure(subject, rootCount: prepared.rootCount, isWarmUp: isWarmUp)
        if !isWarmUp { samples[index].append(sample) }
        if first[index] == nil { first[index] = sample }
        try Interruption.check()
      }
    }
    Console.endProgress()
    return Results.Workload(suite, prepared, samples, first: first)
  }

  private func measure(
    _ subject: (name: String, subject: any Subject), rootCount: Int, isWarmUp: Bool
  ) throws -> Sample {
    do {
      let work = try subject.subject.prepare()
      let before = folder.byteCount
      let (sample, count) = try Sample.measure(isCounted: !isWarmUp, work)
      try WrongOutcome.check(count == rootCount, "\(rootCount) root objects, found \(count)")
      var result = sample
      let written = folder.byteCount - before
      result.fileBytes = written > 0 ? written : nil
      return result
    } catch let outcome as WrongOutcome {
      throw WrongOutcome(description: "\(suite.name), \(subject.name): \(outcome)")
    }
  }
}
