/// The catalogue of concerts in `citm_catalog.json`, with all of its members.
struct CitmCatalog: Codable {
  let areaNames: [String: String]
  let audienceSubCategoryNames: [String: String]
  let blockNames: [String: String]
  let events: [String: Event]
  let performances: [Performance]
  let seatCategoryNames: [String: String]
  let subTopicNames: [String: String]
  let subjectNames: [String: String]
  let topicNames: [String: String]
  let topicSubTopics: [String: [Int]]
  let venueNames: [String: String]

  struct Event: Codable {
    let id: Int
    let name: String
    let description: String?
    let logo: String?
    let subTopicIds: [Int]
    let subjectCode: Int?
    let subtitle: String?
    let topicIds: [Int]
  }

  struct Performance: Codable {
    let id: Int
    let eventId: Int
    let logo: String?
    let name: String?
    let prices: [Price]
    let seatCategories: [SeatCategory]
    let seatMapImage: String?
    let start: Int
    let venueCode: String
  }

  struct Price: Codable {
    let amount: Int
    let audienceSubCategoryId: Int
    let seatCategoryId: Int
  }

  struct SeatCategory: Codable {
    let areas: [Area]
    let seatCategoryId: Int
  }

  struct Area: Codable {
    let areaId: Int
    let blockIds: [Int]
  }
}
