import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// A target leaves a list with `deletesShared`, and gets another owner in the same save. Deleting it would lose data.
@Suite struct ContextMovingTargetTests {
  typealias Tag = Passes.Tag
  typealias Pass = Passes.Pass

  /// Who has the target before: the list that it leaves, of an owner that stays, or of one that is deleted.
  enum Old: CaseIterable { case owner, deletedOwner }

  /// Who gets it.
  enum New: CaseIterable {
    case listOfNewOwner, oneOfNewOwner, listOfLinkedNewOwner, newTag
    case listOfStoredOwner, oneOfStoredOwner, oneOfTheSame, storedTag

    func take(_ tag: Tag, _ old: Pass, _ stored: Pass, in context: ObjectContext) throws {
      let (pass, newTag) = (Pass(), Tag())
      (pass.id, newTag.id) = (3, 9)
      switch self {
      case .listOfNewOwner:
        pass.bag = [tag]
        try context.insert(pass, as: Pass.mapping)
      case .oneOfNewOwner:
        pass.cover = tag
        try context.insert(pass, as: Pass.mapping)
      case .listOfLinkedNewOwner:
        pass.bag = [tag]
        stored.next = pass
      case .newTag:
        newTag.part = tag
        stored.cover = newTag
      case .listOfStoredOwner: stored.bag.append(tag)
      case .oneOfStoredOwner: stored.cover = tag
      case .oneOfTheSame: old.cover = tag
      case .storedTag: stored.bag[0].part = tag
      }
    }

    /// The owner afterwards.
    var line: String {
      switch self {
      case .listOfNewOwner, .listOfLinkedNewOwner: "Pass 3 bag=[2]"
      case .oneOfNewOwner: "Pass 3 cover=2"
      case .newTag: "Tag 9 part=2"
      case .listOfStoredOwner: "Pass 2 bag=[4 2]"
      case .oneOfStoredOwner: "Pass 2 cover=2 bag=[4]"
      case .oneOfTheSame: "Pass 1 cover=2 bag=[1]"
      case .storedTag: "Tag 4 part=2"
      }
    }
  }

  @Test(arguments: TestSize.onStores(New.allCases, others: 3))
  func itStaysWithAllThatItHas(_ kind: StoreKind, _ new: New) throws {
    for old in Old.allCases where old == .owner || new != .oneOfTheSame {
      let world = try World(kind, Pass.mapping)
      try world.load(#"[{"id":1,"bag":[{"id":1},{"id":2,"part":{"id":5}}]},{"id":2,"bag":[{"id":4}]}]"#)
      let context = try ObjectContext(world.store, for: Pass.mapping)
      defer { context.end() }
      let passes = try context.objects(Pass.mapping, including: \.bag.part, \.cover, \.next)
      let tag = passes[0].bag.removeLast()
      try new.take(tag, passes[0], passes[1], in: context)
      if old == .deletedOwner { try context.delete(passes[0]) }
      try context.save()
      try #expect(world.dump().contains(new.line), "\(old)")
      try #expect(world.dump(of: "Tag 2") == "Tag 2 part=5", "\(old)")
      try #expect((world.dump(of: "Tag 1") == nil) == (old == .deletedOwner))
      #expect(tag.part?.id == 5)
      #expect(try !context.hasChanges())
    }
  }

  /// The other writer's list stays as it is, so the target has no owner.
  @Test(arguments: StoreKind.allCases)
  func itGoesIfTheListThatGetsItStaysAsAnotherWriterHasSetIt(_ kind: StoreKind) throws {
    for rule in [ConflictRule.theirs, .mine] {
      let world = try World(kind, Pass.mapping)
      try world.load(#"[{"id":1,"bag":[{"id":1},{"id":2}]},{"id":2,"bag":[{"id":4}]}]"#)
      let context = try ObjectContext(world.store, for: Pass.mapping)
      defer { context.end() }
      let passes = try context.objects(Pass.mapping, including: \.bag)
      passes[1].bag.append(passes[0].bag.removeLast())
      try world.load(#"{"id":2,"bag":[{"id":4},{"id":6}]}"#)
      try context.save(onConflict: rule)
      let isMine = try world.dump(of: "Pass 2") == "Pass 2 bag=[4 2]"
      try #expect(isMine || world.dump(of: "Pass 2") == "Pass 2 bag=[4 6]")
      try #expect(world.dump(of: isMine ? "Tag 6" : "Tag 2") == nil)
      try #expect(world.dump(of: isMine ? "Tag 2" : "Tag 6") != nil)
    }
  }
}
