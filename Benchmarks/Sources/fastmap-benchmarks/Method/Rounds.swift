import Foundation

/// Runs the subjects of one suite in turn, round after round: A B C, A B C, …
///
/// So a temporary disturbance of the machine affects all of them, and ratios within a round stay valid.
struct Rounds {
  let suite: Suite
  let size: Int
  let options: Options
  let folder: Folder

  func run() throws -> Results.Workload {
    let wanted = Set(options.subjects ?? suite.subjects.map(\.name))
    Console.progress("\(suite.name): making the workload")
    let prepared = try make(wanted)
    let subjects = prepared.subjects
    let first = try options.isAlone ? [] : subjects.map { try measureAlone($0.name) }
    var samples = [[Sample]](repeating: [], count: subjects.count)
    for round in 0..<(options.warmUps + options.rounds) {
      let isWarmUp = round < options.warmUps
      let place = isWarmUp ? "warm-up" : "round \(round - options.warmUps + 1) of \(options.rounds)"
      // Each round begins with another subject, so that none always follows the same one.
      for turn in subjects.indices {
        let index = (turn + round) % subjects.count
        Console.progress("\(suite.name): \(place), \(subjects[index].name)")
        let sample = try measure(subjects[index], rootCount: prepared.rootCount, isWarmUp: isWarmUp)
        if !isWarmUp { samples[index].append(sample) }
        try Interruption.check()
      }
    }
    Console.endProgress()
    return Results.Workload(suite, prepared, samples, first: first)
  }

  private func make(_ wanted: Set<String>) throws -> PreparedSuite {
    do {
      return try suite.make(size, wanted, folder)
    } catch let skipped as Skipped {
      throw skipped
    } catch {
      throw WrongOutcome(description: "\(suite.name), making the workload: \(error)")
    }
  }

  /// The first time of a subject in a separate process, with the memory of that process.
  private func measureAlone(_ subject: String) throws -> Sample? {
    Console.progress("\(suite.name): the first time, \(subject)")
    try Interruption.check()
    let results = try OwnProcess.run([
      "--workloads", suite.name, "--subjects", subject, "--roots", String(size), "--rounds", "1",
      "--warm-ups", "0",
    ])
    return results.workloads.first?.subjects.first?.samples?.first
  }

  private func measure(
    _ subject: (name: String, subject: any Subject), rootCount: Int, isWarmUp: Bool
  ) throws -> Sample {
    do {
      let work = try subject.subject.prepare()
      let before = folder.byteCount
      let (sample, count) = try Sample.measure(isCounted: !isWarmUp, isAlone: options.isAlone, work)
      try WrongOutcome.check(count == rootCount, "\(rootCount) root objects, found \(count)")
      var result = sample
      let written = folder.byteCount - before
      result.fileBytes = written > 0 ? written : nil
      return result
    } catch {
      throw WrongOutcome(description: "\(suite.name), \(subject.name): \(error)")
    }
  }
}
