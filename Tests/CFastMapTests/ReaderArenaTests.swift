import CFastMap
import CFastMapJansson
import FastMapStoreTesting
import FastMapSystem
import Testing

/// An arena, freed with its owner.
private struct Arena: ~Copyable {
  let handle = fastmap_tree_arena_new()

  deinit { fastmap_tree_arena_free(handle) }

  /// Reads a text into the arena; nil if it is wrong.
  func read(_ text: String) -> Node? {
    var text = text, result = fastmap_read_result()
    text.withUTF8 { _ = fastmap_read(handle, $0.baseAddress, $0.count, nil, &result) }
    return result.tree?.assumingMemoryBound(to: json_t.self)
  }
}

private func load(_ text: String) -> Node? { json_loadb(text, text.utf8.count, Int(JSON_DECODE_ANY), nil) }

/// Whether a tree equals the tree that json_loadb makes of a text.
private func isTree(_ tree: Node?, of text: String) -> Bool {
  let other = load(text)
  defer { json_decref(other) }
  return json_equal(tree, other) == 1
}

@Suite struct ReaderArenaTests {
  @Test func aTreeLiesInItsArena() {
    let arena = Arena()
    let tree = arena.read(#"{"a":[1,2.5,"three"],"b":null}"#)
    #expect(fastmap_tree_arena_holds(tree))
    #expect(fastmap_tree_arena_holds(json_array_get(json_object_get(tree, "a"), 2)))
    #expect(!fastmap_tree_arena_holds(json_object_get(tree, "b")))  // jansson's one null
    #expect(isTree(tree, of: #"{"a":[1,2.5,"three"],"b":null}"#))
  }

  @Test func otherTreesAreNotTouched() {
    let before = load("[1,[2],{\"three\":3}]")
    let arena = Arena()
    let tree = arena.read("[4]")
    let during = load("[5]")
    #expect(!fastmap_tree_arena_holds(before) && !fastmap_tree_arena_holds(during))
    // Made larger, so that jansson frees memory from before the arena.
    for number in 0..<100 { json_array_append_new(before, json_integer(json_int_t(number))) }
    let object = json_object()
    for number in 0..<100 { json_object_set_new(object, "\(number)", json_integer(json_int_t(number))) }
    fastmap_tree_arena_reset(arena.handle)
    _ = arena.read("[\"all new\"]")
    #expect(json_array_size(before) == 103)
    #expect(json_integer_value(json_object_get(object, "57")) == 57)
    #expect(isTree(during, of: "[5]"))
    _ = tree
    json_decref(before)
    json_decref(during)
    json_decref(object)
  }

  @Test func countingReferencesToANodeDoesNoHarm() {
    let arena = Arena()
    let tree = arena.read(#"{"a":[1,2,3],"b":"text"}"#)
    let array = json_object_get(tree, "a")
    json_incref(array)
    json_decref(array)
    json_object_del(tree, "b")
    json_decref(tree)  // the last reference: jansson frees it all, to no effect
    #expect(json_array_size(array) == 3)
  }

  @Test func memoryIsUsedAgain() {
    let arena = Arena()
    let text =
      "[" + Array(repeating: #"{"name":"value","number":1.5}"#, count: 2_000).joined(separator: ",") + "]"
    let first = arena.read(text)
    let used = fastmap_tree_arena_used(arena.handle), capacity = fastmap_tree_arena_capacity(arena.handle)
    #expect(used > 2_000 * 100)
    for _ in 0..<20 {
      fastmap_tree_arena_reset(arena.handle)
      #expect(fastmap_tree_arena_used(arena.handle) == 0)
      #expect(arena.read(text) == first)
      #expect(fastmap_tree_arena_used(arena.handle) == used)
      #expect(fastmap_tree_arena_capacity(arena.handle) == capacity)
    }
  }

  @Test func memoryOfTreesDependsOnTheirTextsAlone() {
    let texts = (1...TestSize.count(small: 20, whole: 60)).map {
      "[" + Array(repeating: #"["a text",1.5]"#, count: $0 * 97).joined(separator: ",") + "]"
    }
    func used(_ arena: borrowing Arena) -> [Int] {
      texts.map { text in
        _ = arena.read(text)
        _ = arena.read(text.dropLast() + ",x]")  // which fails, and takes nothing
        return fastmap_tree_arena_used(arena.handle)
      }
    }
    let first = used(Arena())
    let arena = Arena()
    _ = arena.read("[\"" + String(repeating: "x", count: 5_000_000) + "\"]")
    _ = arena.read(texts[texts.count - 1])
    fastmap_tree_arena_reset(arena.handle)
    #expect(used(arena) == first)
  }

  @Test func oneHugeTreeDoesNotPinItsMemory() {
    let arena = Arena()
    let text =
      "["
      + Array(repeating: "\"" + String(repeating: "x", count: 1_000_000) + "\"", count: 40).joined(
        separator: ",") + "]"
    let tree = arena.read(text)
    #expect(json_array_size(tree) == 40)
    #expect(fastmap_tree_arena_capacity(arena.handle) >= 40_000_000)
    fastmap_tree_arena_reset(arena.handle)
    #expect(fastmap_tree_arena_capacity(arena.handle) <= 16 << 20)
  }

  /// In a process of its own, because all tests share the lent memory.
  @Test func theNextDocumentHasTheMemoryOfTheLast() async {
    await #expect(processExitsWith: .success) {
      let texts = ["x", "y"].map { #"["\#(String(repeating: $0, count: 5_000_000))",[\#($0 == "x")]]"# }
      var last: Node?
      for text in texts {
        let arena = Arena(), tree = arena.read(text)
        expect(last == nil || tree == last)
        expect(isTree(tree, of: text))
        expect(fastmap_tree_arena_lent() == 0)
        last = tree
      }
      expect(fastmap_tree_arena_lent() >= 3_000_000)
    }
  }

  @Test func noMoreIsLentThanALargeDocumentsWorth() async {
    await #expect(processExitsWith: .success) {
      // An arena doubles, so that half of it is never touched.
      let text = #"["\#(String(repeating: "x", count: 1 << 20))"]"#
      var arenas: [OpaquePointer?] = []
      for _ in 0..<5 {
        let arena = fastmap_tree_arena_new()
        var result = fastmap_read_result()
        while fastmap_tree_arena_capacity(arena) < 64 << 20 {
          expect(fastmap_read(arena, text, text.utf8.count, nil, &result))
        }
        arenas.append(arena)
      }
      for arena in arenas { fastmap_tree_arena_free(arena) }
      let lent = fastmap_tree_arena_lent()
      expect(lent >= 128 << 20 && lent <= 256 << 20)
      let arena = Arena()
      expect(isTree(arena.read(text), of: text))
    }
  }

  @Test func aLargeDocumentIsUnmappedWhenReleased() async {
    await #expect(processExitsWith: .failure) {
      let arena = fastmap_tree_arena_new()
      let text = #"["\#(String(repeating: "x", count: 3_000_000))",[]]"#
      var result = fastmap_read_result()
      expect(fastmap_read(arena, text, text.utf8.count, nil, &result))
      let array = json_array_get(result.tree?.assumingMemoryBound(to: json_t.self), 1)
      fastmap_tree_arena_free(arena)
      _ = json_array_size(array)
    }
  }

  @Test func threadsTakeEachOthersMemory() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<3 {
        group.addTask {
          (0..<3).allSatisfy { round in
            let arena = Arena()
            let text = #"["\#(String(repeating: "\(task)", count: 1_200_000))",{"round":\#(round)}]"#
            return isTree(arena.read(text), of: text)
          }
        }
      }
      for await isSame in group { #expect(isSame) }
    }
  }

  @Test func aReadingThatFailsLeavesTheOthers() {
    let arena = Arena()
    let first = arena.read(#"["first",18446744073709551615]"#)
    let used = fastmap_tree_arena_used(arena.handle)
    let wrong = "[" + Array(repeating: "99999999999999999999", count: 50_000).joined(separator: ",") + ",x]"
    #expect(arena.read(wrong) == nil)
    #expect(fastmap_tree_arena_used(arena.handle) == used)
    let second = arena.read(#"["second"]"#)
    #expect(isTree(first, of: #"["first",1.8446744073709551615e19]"#))
    #expect(isTree(second, of: #"["second"]"#))
  }

  @Test func digitsAreFoundThroughAnyResultOfTheArena() {
    let arena = Arena()
    let first = arena.read("[18446744073709551615]"), second = arena.read("[18446744073709551616]")
    var result = fastmap_read_result(), length = 0
    _ = fastmap_read(arena.handle, "[]", 2, nil, &result)
    #expect(fastmap_big_integer_text(result.big_integers, json_array_get(first, 0), &length) != nil)
    #expect(fastmap_big_integer_text(result.big_integers, json_array_get(second, 0), &length) != nil)
    #expect(fastmap_big_integer_text(result.big_integers, first, &length) == nil)
  }

  @Test func threadsHaveArenasOfTheirOwn() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          let arena = Arena()
          for round in 0..<200 {
            let text =
              #"{"task":\#(task),"round":\#(round),"list":[\#((0..<50).map(String.init).joined(separator: ","))]}"#
            let other = load(text)
            let tree = arena.read(text)
            let isSame =
              json_equal(tree, other) == 1 && fastmap_tree_arena_holds(tree)
              && !fastmap_tree_arena_holds(other)
            json_decref(other)
            fastmap_tree_arena_reset(arena.handle)
            if !isSame { return false }
          }
          return true
        }
      }
      for await isSame in group { #expect(isSame) }
    }
  }

  @Test func anArenaGoesFromThreadToThread() async {
    nonisolated(unsafe) let arena = fastmap_tree_arena_new()
    nonisolated(unsafe) var tree: Node?
    await Task.detached {
      var result = fastmap_read_result()
      _ = fastmap_read(arena, "[1,2,3]", 7, nil, &result)
      tree = result.tree?.assumingMemoryBound(to: json_t.self)
    }.value
    #expect(json_array_size(tree) == 3)
    await Task.detached { fastmap_tree_arena_free(arena) }.value
  }

  /// In a process of its own, because the hooks apply to all of its tests.
  @Test func hooksOfSomebodyElseAreRespected() async {
    await #expect(processExitsWith: .success) {
      let arena = Arena()
      let own = arena.read("[\"in the arena\"]")
      expect(fastmap_tree_arena_holds(own))
      var ourMalloc: json_malloc_t?, ourFree: json_free_t?
      json_get_alloc_funcs(&ourMalloc, &ourFree)

      json_set_alloc_funcs(
        {
          balance += 1; return malloc($0)
        },
        {
          balance -= 1; free($0)
        })
      let other = arena.read("[\"elsewhere\",[18446744073709551615],{\"a\":{}}]")
      expect(other != nil && !fastmap_tree_arena_holds(other))
      expect(arena.read("[\"wrong\"") == nil)
      expect(balance > 0)
      fastmap_tree_arena_reset(arena.handle)
      expect(balance == 0)

      json_set_alloc_funcs(ourMalloc, ourFree)
      expect(fastmap_tree_arena_holds(arena.read("[\"in the arena again\"]")))
      expect(balance == 0)
    }
  }

  /// Hooks that were there before the arena's go on serving all other trees.
  @Test func earlierHooksGoOn() async {
    await #expect(processExitsWith: .success) {
      json_set_alloc_funcs(
        {
          balance += 1; return malloc($0)
        },
        {
          balance -= 1; free($0)
        })
      let before = load("[1,2,3]")
      let arena = Arena()
      let count = balance
      expect(count > 0)
      expect(fastmap_tree_arena_holds(arena.read("[1,2,3]")))
      expect(balance == count)
      let during = load("[1,2,3]")
      expect(balance == 2 * count)
      json_decref(before)
      json_decref(during)
      expect(balance == 0)
    }
  }

  /// Makes the n-th allocation fail, for every n: nothing may be left behind, and nothing freed twice.
  @Test func runningOutOfMemoryLeavesNothingBehind() async {
    await #expect(processExitsWith: .success) {
      json_set_alloc_funcs(
        {
          if remaining == 0 { return nil }
          remaining -= 1
          balance += 1
          return malloc($0)
        },
        {
          balance -= 1; free($0)
        })
      let text =
        #"{"a":[1,2.5,"three",18446744073709551615],"\u0062":{"c":[[],{}]},"d":1,"e":2,"f":3,"g":4,"h":5,"i":6,"j":7}"#
      var allowed = 0, result = fastmap_read_result()
      repeat {
        remaining = allowed
        allowed += 1
        _ = fastmap_read(nil, text, text.utf8.count, nil, &result)
        expect(result.tree != nil || (result.error == FASTMAP_READ_MEMORY && balance == 0))
      } while result.tree == nil
      expect(allowed > 30)
      fastmap_tree_release(result.tree)
      fastmap_big_integers_free(result.big_integers)
      expect(balance == 0)
    }
  }
}

// The counts of a test's hooks, in a process with one thread.
private nonisolated(unsafe) var balance = 0
private nonisolated(unsafe) var remaining = 0

/// An expectation in a process whose exit the test expects.
private func expect(_ isTrue: Bool, line: UInt = #line) {
  precondition(isTrue, "the expectation of line \(line) is not met")
}
