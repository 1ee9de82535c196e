"""Members that values of Swift's own types have."""

from __future__ import annotations

__all__ = ["COLLECTIONS", "MEMBERS", "PROTOCOLS"]

_WORDS = """
absoluteString addObserver addTimeInterval adding addingPercentEncoding advance allSatisfy append
appending appendingPathComponent appendingPathExtension async asyncAfter cancel capitalized
characters compactMap compactMapValues compare components container contains contentsOfDirectory
copy count createDirectory data dataTask date decode decodeIfPresent deletingLastPathComponent
deletingPathExtension description difference distance dropFirst dropLast elementsEqual encode
encodeIfPresent encodeNil endIndex enumerated fileExists filter finishTasksAndInvalidate first
firstIndex flatMap forEach formatted fulfill hasPrefix hasSuffix hash index insert instantiate
intersection invalidate isDisjoint isEmpty isSubset isSuperset joined keys last lastIndex
lastPathComponent localizedDescription lock lowercased makeIterator map mapValues max merge merging
min move nestedContainer nestedUnkeyedContainer next notify object padding pathComponents
pathExtension percentEncoding perform popFirst popLast post prefix prefixed randomElement range
reduce remove removeAll removeFirst removeItem removeLast removeObserver removeSubrange removeValue
replaceSubrange replacingOccurrences reserveCapacity resume reversed rounded samePosition set
setValue shuffled signal singleValueContainer sort sorted split startIndex starts stride string
subscribe subtracting suffix superDecoder swapAt sync synchronize timeIntervalSince
timeIntervalSinceNow toggle trimmingCharacters union unkeyedContainer unlock update updateValue
uppercased value values wait withUnsafeBufferPointer withUnsafeBytes withUnsafeMutableBytes write
zip
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of what Swift's standard library and Foundation define."""

_COLLECTION_WORDS = """
Array BidirectionalCollection Collection MutableCollection RandomAccessCollection
RangeReplaceableCollection Sequence Set Dictionary
"""
COLLECTIONS = frozenset(_COLLECTION_WORDS.split())
"""What `[T]` is and conforms to; a set and a dictionary may be written so as well."""
_PROTOCOL_WORDS = """
AdditiveArithmetic AsyncSequence BidirectionalCollection BinaryFloatingPoint BinaryInteger
CaseIterable CodingKey Collection Comparable ContiguousBytes CustomDebugStringConvertible
CustomStringConvertible DataProtocol Decodable Decoder Encodable Encoder Equatable Error
ExpressibleByStringLiteral FixedWidthInteger FloatingPoint Hashable Identifiable
LazySequenceProtocol LocalizedError LosslessStringConvertible MutableCollection Numeric
Optional OptionSet RandomAccessCollection RangeReplaceableCollection RawRepresentable Sequence
SetAlgebra
SignedInteger SignedNumeric StringProtocol Strideable UnkeyedDecodingContainer UnsignedInteger
KeyedDecodingContainerProtocol KeyedEncodingContainerProtocol SingleValueDecodingContainer
"""
PROTOCOLS = frozenset(_PROTOCOL_WORDS.split())
"""What types of the standard library, and of other packages, conform to, or are wrapped in."""
