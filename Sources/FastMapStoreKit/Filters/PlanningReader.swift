/// A reader whose server chooses its own way to the objects of a filter.
package protocol PlanningReader: StoreReader {
  /// The names of the indexes that the server uses to find the first page of the objects for which a condition is true.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys to visit; nil for all objects.
  ///   - condition: A condition for which ``StoreReader/canTest(_:of:)`` returned true.
  ///   - pageSize: The most objects of a page.
  /// - Returns: No name if the server reads the whole table.
  mutating func indexes(
    usedFor entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, pageSize: Int
  ) throws -> [String]
}
