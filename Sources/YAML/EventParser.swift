import CLibYAML

/// One event of libyaml's parser, copied out of its memory.
struct Event {
  enum Kind {
    case streamStart
    case streamEnd
    case documentStart
    case documentEnd
    case alias(String)
    case scalar(Scalar)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
  }

  var kind: Kind
  /// The anchor that the node defines.
  var anchor: String?
  var tag: String?
  var start: Mark
  var end: Mark
}

/// Owns a libyaml parser and a copy of the text that it reads.
final class EventParser {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeMutableBufferPointer<UInt8>

  /// - Throws: `YAMLError` if there is no memory for the parser.
  init(_ bytes: [UInt8]) throws(YAMLError) {
    let body = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
    parser = .allocate(capacity: 1)
    text = .allocate(capacity: max(body.count, 1))
    _ = text.initialize(from: body)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.initialize(to: yaml_parser_t())  // what the failed call leaves is safe to delete only when zeroed
      throw YAMLError("out of memory", at: Mark(line: 1, column: 1))
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, body.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  /// The next event; after `streamEnd` there is none.
  func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
    defer { yaml_event_delete(&event) }
    return Event(event)
  }

  private func failure() -> YAMLError {
    let state = parser.pointee
    guard state.error == YAML_SCANNER_ERROR || state.error == YAML_PARSER_ERROR, let problem = state.problem else {
      return YAMLError(
        state.error == YAML_MEMORY_ERROR ? "out of memory" : "the text can't be read as YAML", at: Mark(state.mark))
    }
    let mark = Mark(state.problem_mark)
    var message = String(cString: problem)
    switch (message, character(at: state.problem_mark)) {
    case ("found character that cannot start any token", UInt8(ascii: "\t")),
      ("found a tab character that violates indentation", _),
      ("found a tab character where an indentation space is expected", _):
      message = "a tab can't indent YAML; use spaces"
    case ("found character that cannot start any token", _):
      message = "this character can't start a value in YAML; put the value in quotes"
    default:
      if let context = state.context {
        message += " " + String(cString: context)
        let start = Mark(state.context_mark)
        if start.line != mark.line { message += " that starts at line \(start.line), column \(start.column)" }
      }
    }
    return YAMLError(message, at: mark)
  }

  /// The byte at a mark, whose index counts characters.
  private func character(at mark: yaml_mark_t) -> UInt8? {
    var index = -1
    for byte in text where byte & 0xC0 != 0x80 {
      index += 1
      if index == Int(mark.index) { return byte }
    }
    return nil
  }
}

extension Mark {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}

extension Event {
  fileprivate init(_ event: yaml_event_t) {
    start = Mark(event.start_mark)
    end = Mark(event.end_mark)
    switch event.type {
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_ALIAS_EVENT: kind = .alias(string(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      anchor = string(scalar.anchor)
      tag = string(scalar.tag)
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nil
      kind = .scalar(Scalar(text: String(decoding: bytes, as: UTF8.self), isPlain: isPlain))
    case YAML_SEQUENCE_START_EVENT:
      anchor = string(event.data.sequence_start.anchor)
      tag = string(event.data.sequence_start.tag)
      kind = .sequenceStart
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      anchor = string(event.data.mapping_start.anchor)
      tag = string(event.data.mapping_start.tag)
      kind = .mappingStart
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    default: kind = .streamStart
    }
  }
}

private func string(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
  text.map { String(cString: $0) }
}
