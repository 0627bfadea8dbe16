/// Builds the tree from events: resolves aliases and merge keys, and holds the limits.
struct Composer {
  /// Far more than a pipeline file needs, and little enough for the stack.
  private static let maxDepth = 64
  private static let maxNodes = 100_000

  private struct Anchored {
    /// Nil while the node is still being read: an alias to it would never end.
    var node: Node?
    var nodeCount = 0
  }

  private let parser: EventParser
  private var anchors: [String: Anchored] = [:]
  private var nodeCount = 0
  private(set) var duplicates: [YAMLDocument.Duplicate] = []

  init(_ parser: EventParser) {
    self.parser = parser
  }

  /// Reads the whole stream, which must hold one document or none.
  mutating func composeStream() throws(YAMLError) -> Node? {
    var root: Node?
    while true {
      let event = try parser.next()
      switch event.kind {
      case .streamEnd: return root
      case .documentStart:
        guard root == nil else {
          throw YAMLError("a second document starts here; write one pipeline in a file", at: event.start)
        }
        root = try compose(try parser.next(), depth: 1)
      default: break
      }
    }
  }

  private mutating func compose(_ event: Event, depth: Int) throws(YAMLError) -> Node {
    if case .alias(let name) = event.kind { return try resolve(name, event) }
    if depth > Self.maxDepth {
      throw YAMLError("nested deeper than \(Self.maxDepth) levels", at: event.start)
    }
    try check(event.tag, of: event)
    let countBefore = nodeCount
    try addNodes(1, at: event.start)
    if let anchor = event.anchor { anchors[anchor] = Anchored() }
    let node: Node
    switch event.kind {
    case .scalar(let scalar):
      node = Node(.scalar(try checked(scalar, event)), start: event.start, end: event.end)
    case .sequenceStart: node = try composeSequence(event, depth: depth)
    default: node = try composeMapping(event, depth: depth)
    }
    if let anchor = event.anchor { anchors[anchor] = Anchored(node: node, nodeCount: nodeCount - countBefore) }
    return node
  }

  private mutating func composeSequence(_ start: Event, depth: Int) throws(YAMLError) -> Node {
    var items: [Node] = []
    while true {
      let event = try parser.next()
      if case .sequenceEnd = event.kind { return Node(.sequence(items), start: start.start, end: event.end) }
      items.append(try compose(event, depth: depth + 1))
    }
  }

  private mutating func composeMapping(_ start: Event, depth: Int) throws(YAMLError) -> Node {
    var pairs: [Pair] = []
    var firstMarks: [String: Mark] = [:]
    var merged: Node?
    while true {
      let event = try parser.next()
      if case .mappingEnd = event.kind {
        if let merged { try merge(merged, into: &pairs, known: Set(firstMarks.keys)) }
        return Node(.mapping(pairs), start: start.start, end: event.end)
      }
      let keyNode = try compose(event, depth: depth + 1)
      guard case .scalar(let scalar) = keyNode.content else {
        throw YAMLError("a key must be text, not a list or a mapping", at: event.start)
      }
      let key = Pair.Key(scalar: scalar, start: keyNode.start, end: keyNode.end)
      let value = try compose(try parser.next(), depth: depth + 1)
      let isMerge = scalar.isPlain && scalar.text == "<<"
      if isMerge, merged == nil {
        merged = value
        firstMarks["<<"] = key.start
      } else if let first = firstMarks[scalar.text] {
        duplicates.append(YAMLDocument.Duplicate(key: key, value: value, first: first))
      } else {
        firstMarks[scalar.text] = key.start
        pairs.append(Pair(key: key, value: value))
      }
    }
  }

  /// Adds what the mapping doesn't say itself; of several merged mappings the earlier wins.
  private func merge(_ node: Node, into pairs: inout [Pair], known: Set<String>) throws(YAMLError) {
    let sources: [Node]
    if case .sequence(let items) = node.content { sources = items } else { sources = [node] }
    var known = known
    for source in sources {
      guard case .mapping(let merged) = source.content else {
        throw YAMLError("<< merges a mapping or a list of mappings", at: source.start)
      }
      for pair in merged where known.insert(pair.key.text).inserted { pairs.append(pair) }
    }
  }

  private mutating func resolve(_ name: String, _ event: Event) throws(YAMLError) -> Node {
    guard let anchored = anchors[name] else {
      throw YAMLError("no anchor of this name stands before it", at: event.start)
    }
    guard var node = anchored.node else {
      throw YAMLError("the alias stands inside what it stands for", at: event.start)
    }
    try addNodes(anchored.nodeCount, at: event.start)
    node.start = event.start
    node.end = event.end
    return node
  }

  private mutating func addNodes(_ count: Int, at mark: Mark) throws(YAMLError) {
    nodeCount += count
    if nodeCount > Self.maxNodes {
      throw YAMLError("more than \(Self.maxNodes) values, aliases counted as what they stand for", at: mark)
    }
  }

  /// Only tags that change nothing but a scalar's type are known; others mean an object of some programming language.
  private func check(_ tag: String?, of event: Event) throws(YAMLError) {
    guard let tag else { return }
    let isKnown =
      switch event.kind {
      case .scalar: tag == "!" || tag == "tag:yaml.org,2002:str"
      case .sequenceStart: tag == "tag:yaml.org,2002:seq"
      default: tag == "tag:yaml.org,2002:map"
      }
    if !isKnown { throw YAMLError("tags are not supported; remove it", at: event.start) }
  }

  private func checked(_ scalar: Scalar, _ event: Event) throws(YAMLError) -> Scalar {
    if scalar.text.utf8.contains(0) { throw YAMLError("the text contains a NUL character", at: event.start) }
    return scalar
  }
}
