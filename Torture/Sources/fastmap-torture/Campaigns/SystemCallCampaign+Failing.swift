import CProcess
import FastMapCore
import FastMapLMDB
import Foundation

extension SystemCallCampaign {
  private struct Failure: CustomStringConvertible {
    let description: String
    let error: Int32
    var shortBy: Int32 = 0
    /// Callers repeat an interrupted call, without limit if necessary.
    var timesForEver: Int32 { error == EINTR ? 100 : .max }
    static let all = [
      Failure(description: "EIO", error: EIO), Failure(description: "ENOSPC", error: ENOSPC),
      Failure(description: "EDQUOT", error: EDQUOT), Failure(description: "EINTR", error: EINTR),
      Failure(description: "EAGAIN", error: EAGAIN), Failure(description: "ENOMEM", error: ENOMEM),
      Failure(description: "a write of 1 byte", error: 0),
      Failure(description: "a write of all bytes but 1", error: 0, shortBy: 1),
    ]
  }

  /// In the long form, a round runs every n-th case of each piece of work, so that none waits for another. This many
  /// rounds run all cases.
  static let failureStep = 11

  func failures() throws {
    let ways = 2 * Failure.all.count
    try eachInTurn { scenario, calls in
      run.size.isShort
        ? sample(22, of: calls * ways, scenario)
        : Array(stride(from: round % Self.failureStep, to: calls * ways, by: Self.failureStep))
    } _: { scenario, number in
      let failure = Failure.all[number % ways / 2]
      try fail(in: scenario, at: number / ways + 1, failure, isForEver: number % 2 == 1)
    }
  }

  private enum Verdict: UInt8 {
    case survived = 1, otherError, failedAgain, typedError
  }

  private func fail(in scenario: Scenario, at: Int, _ failure: Failure, isForEver: Bool) throws {
    try prepare(scenario)
    // Half of the time, the state after the failure is checked before the work is repeated.
    let isLookedAt = at % 2 == 0 && scenario.start != nil
    let what = "round \(round), \(scenario.name), \(failure) \(isForEver ? "from" : "at") call \(at)"
    let (answer, ending) = Child.run { [scratch] in
      var order = torture_shim_order(
        mode: Shim.Mode.fail.rawValue, times: isForEver ? failure.timesForEver : 1, at: Int64(at),
        error: failure.error,
        shortBy: failure.shortBy, recordTo: 0, dropsSyncs: 0)
      torture_shim_arm(&order)
      var committed: UInt8 = 0
      func answer(_ verdict: Verdict, _ text: String = "", _ again: Again = .succeeded) -> [UInt8] {
        [verdict.rawValue, committed, again.rawValue] + Array(text.utf8)
      }
      do {
        try scenario.play(at: scratch.store) { committed = UInt8($0) }
        torture_shim_disarm()
        return answer(.survived)
      } catch {
        torture_shim_disarm()
        // The same process continues after the fault.
        guard error is LMDBError || error is SystemError else {
          return answer(.otherError, "\(type(of: error)): \(error)")
        }
        if isLookedAt { return answer(.typedError) }
        do {
          let again = try Again.play(scenario, at: scratch.store, from: Int(committed))
          return answer(.typedError, "\(error)", again)
        } catch let second {
          return answer(.failedAgain, "\(error); and then again: \(second)")
        }
      }
    }
    run.add(to: "failures")
    guard ending == .returned, answer.count >= 3, let verdict = Verdict(rawValue: answer[0]) else {
      run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
      return
    }
    let (committed, text) = (Int(answer[1]), String(decoding: answer.dropFirst(3), as: UTF8.self))
    switch verdict {
    case .survived: run.add(to: "survived")
    case .otherError: run.violation("\(what): an error of another type: \(text)")
    case .failedAgain: run.violation("\(what): \(text)")
    case .typedError:
      run.add(to: "typed errors")
      var again = Again(rawValue: answer[2])
      if isLookedAt {
        look(scenario, done: committed...committed + 1, "\(what), what it left")
        again = finish(scenario, what, from: committed)
      }
      again?.count(in: run)
      // If all later calls fail, too, the copy cannot be removed.
      if again == .copyWasThere, !isForEver { run.violation("\(what): left a copy behind an error") }
    }
    look(scenario, done: scenario.steps.count...scenario.steps.count, what)
  }
}
