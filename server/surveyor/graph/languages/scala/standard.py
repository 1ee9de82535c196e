"""Members that values of Scala's own types have."""

from __future__ import annotations

from surveyor.graph.languages.java.standard import MEMBERS as _OF_JAVA

__all__ = ["MEMBERS"]

_WORDS = """
addAll addOne addString aggregate appended appendedAll asInstanceOf canEqual capitalize collect
collectFirst combinations concat contains containsSlice copyToArray corresponds count diff distinct
distinctBy drop dropRight dropWhile empty endsWith exists filter filterKeys filterNot find flatMap
flatten fold foldLeft foldRight forall foreach get getClass getOrElse getOrElseUpdate groupBy
groupMap groupMapReduce grouped head headOption indexOf indexOfSlice indexWhere indices init inits
intersect isDefined isDefinedAt isEmpty isFailure isInstanceOf isLeft isRight isSuccess
isTraversableAgain iterator knownSize last lastIndexOf lastOption lazyZip lengthCompare lift
linesIterator map mapConcat mapValues max maxBy maxOption min minBy minOption mkString nonEmpty
onComplete orElse orNull padTo partition partitionMap patch permutations prepended product recover
recoverWith reduce reduceLeft reduceOption reduceRight removed result reverse reverseIterator
reverseMap sameElements scan scanLeft scanRight segmentLength size sizeCompare slice sliding sortBy
sortWith sorted span splitAt startsWith stripLineEnd stripMargin stripPrefix stripSuffix subsetOf
sum swap tail tails take takeRight takeWhile tapEach toArray toBuffer toDouble toEither toIndexedSeq
toInt toIntOption toIterator toLeft toList toLong toMap toOption toRight toSeq toSet toStream toTry
toVector transform transpose unapply unzip updateWith updated view withDefaultValue withFilter zip
zipAll zipWithIndex
"""
MEMBERS = _OF_JAVA | frozenset(_WORDS.split())
"""Members of what Scala's standard library defines, beside the JDK's."""
