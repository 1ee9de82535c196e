"""Members that values of Dart's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
abs add addAll addEntries addError addStream any asMap asStream asUint8List asyncExpand asyncMap
bitLength bytes cancel cast catchError ceil clamp clear close codeUnitAt codeUnits compareTo
complete completeError contains containsKey containsValue convert createSync delete difference
distinct done drain elementAt endsWith entries every exists existsSync expand fillRange first
firstMatch firstWhere floor flush fold followedBy forEach fromEnvironment fuse getRange group
groupCount handleError hasMatch ignore inDays inHours inMicroseconds inMilliseconds inMinutes
inSeconds indexOf indexWhere insert insertAll intersection isAfter isBefore isCompleted isEmpty
isEven isFinite isNaN isNegative isNotEmpty isOdd iterator join keys last lastIndexOf lastWhere
length list listen lookup map matchAsPrefix millisecondsSinceEpoch moveNext namedGroup onDone
onError padLeft padRight pause pipe putIfAbsent readAsBytes readAsLines readAsString
readAsStringSync reduce remainder remove removeAll removeAt removeLast removeRange removeWhere
rename replace replaceAll replaceAllMapped replaceFirst replaceRange resolve resolveUri resume
retainWhere reversed round runes runtimeType setAll setRange shuffle single singleWhere sink skip
skipWhile sort split startsWith stringMatch sublist substring subtract take takeWhile then timeout
toDouble toInt toIso8601String toList toLocal toLowerCase toRadixString toSet toString
toStringAsFixed toUpperCase toUtc transform trim trimLeft trimRight truncate union update updateAll
values whenComplete where whereType write writeAll writeAsBytes writeAsString writeAsStringSync
writeCharCode writeln
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of what Dart's core libraries define."""
