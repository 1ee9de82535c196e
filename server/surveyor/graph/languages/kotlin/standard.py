"""Members that values of Kotlin's own types have."""

from __future__ import annotations

from surveyor.graph.languages.java.standard import MEMBERS as _OF_JAVA

__all__ = ["MEMBERS"]

_WORDS = """
abs all also any appendLine apply asFlow asIterable asReversed asSequence associate associateBy
associateWith associateWithTo average binarySearch buffer cancel capitalize ceil chunked
coerceAtLeast coerceAtMost coerceIn collect collectLatest combine contentEquals contentHashCode
contentToString copyOf copyOfRange count decapitalize decodeToString distinct distinctBy
distinctUntilChanged drop dropLast dropLastWhile dropWhile elementAt elementAtOrElse elementAtOrNull
emit encodeToByteArray endsWith ensureActive filter filterIndexed filterIsInstance filterKeys
filterNot filterNotNull filterTo filterValues findLast first firstNotNullOf firstNotNullOfOrNull
firstOrNull flatMap flatMapLatest flatten flowOn fold foldIndexed forEach forEachIndexed format
getOrDefault getOrElse getOrNull getOrPut getValue groupBy groupByTo groupingBy ifBlank ifEmpty
indexOfFirst indexOfLast indices intersect invoke invokeOnCompletion isBlank isDigit isLetter
isLetterOrDigit isLowerCase isNotBlank isNotEmpty isNullOrBlank isNullOrEmpty isUpperCase
isWhitespace joinTo joinToString last lastIndex lastOrNull launchIn let lineSequence lines lowercase
lowercaseChar map mapIndexed mapIndexedNotNull mapKeys mapNotNull mapTo mapValues maxBy maxByOrNull
maxOf maxOfOrNull maxOrNull minBy minByOrNull minOf minOrNull minusAssign none onCompletion onEach
onFailure onStart onSuccess orEmpty padEnd padStart partition plus plusAssign prependIndent random
readBytes readLines readText reduce reduceOrNull removeAt removeFirstOrNull removeLastOrNull
removePrefix removeSuffix removeSurrounding replaceAfter replaceBefore replaceFirst replaceFirstChar
requireNoNulls resume resumeWithException retry reversed runCatching setValue shareIn shuffled
single singleOrNull slice sortBy sortByDescending sortDescending sorted sortedBy sortedByDescending
sortedDescending sortedWith splitToSequence stateIn substringAfter substringAfterLast
substringBefore substringBeforeLast subtract sumBy sumOf take takeIf takeLast takeLastWhile
takeUnless takeWhile toBigDecimal toBoolean toByte toByteArray toChar toCharArray toCollection
toDouble toFloat toHashSet toInt toIntArray toIntOrNull toList toLong toLongOrNull toMap
toMutableList toMutableMap toMutableSet toPair toRegex toSet toShort toSortedMap toSortedSet
toString toTypedArray toUInt toULong trimEnd trimIndent trimMargin trimStart tryEmit trySend union
until update uppercase uppercaseChar use useLines windowed withDefault withIndex writeBytes
writeText xor yield zip zipWithNext
"""
MEMBERS = _OF_JAVA | frozenset(_WORDS.split())
"""Members and extensions of what Kotlin's standard library defines, beside the JDK's."""
