"""Members that values of PHP's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
add addAttribute addChild addFile addFromString append appendChild asXML attach attributes
beginTransaction bind bindParam bindTo bindValue call children clear close column commit contains
count createAttribute createElement createElementNS createFromFormat createTextNode current dequeue
detach diff each enqueue errorCode errorInfo exec execute export extract extractTo fetch fetchAll
fetchColumn fetchObject fetch_array fetch_assoc fetch_object fetch_row fgetcsv fgets format fputcsv
fread fwrite getArrayCopy getAttribute getAttributes getBasename getCode getColumnMeta getConstant
getConstants getConstructor getDeclaringClass getDefaultValue getDocComment getElementById
getElementsByTagName getEndLine getExtension getFile getFileName getFilename getInnerIterator
getInterfaceNames getIterator getLine getMTime getMessage getMethod getMethods getModifiers getName
getNamespaceName getNumberOfParameters getNumberOfRequiredParameters getOffset getParameters
getParentClass getPath getPathInfo getPathname getPrevious getProperties getProperty getRealPath
getReturn getReturnType getShortName getSize getStartLine getTimestamp getTimezone getTrace
getTraceAsString getTraitNames getType getValue hasAttribute hasMethod hasProperty hasReturnType
implementsInterface importNode inNamespace inTransaction insertBefore invoke invokeArgs isAbstract
isBuiltin isDefaultValueAvailable isDir isFile isFinal isInstance isInstantiable isInterface
isInternal isOptional isPublic isReadable isStatic isSubclassOf isVariadic isWritable key
lastInsertId load loadHTML loadXML modify name newInstance newInstanceArgs
newInstanceWithoutConstructor next offsetExists offsetGet offsetSet offsetUnset open pop prepare
push query quote real_escape_string registerXPathNamespace removeChild replaceChild rewind rollBack
rollback rowCount save saveHTML saveXML seek setAccessible setAttribute setDate setFetchMode
setISODate setTime setTimestamp setTimezone setValue shift sub throw toArray top unshift valid xpath
"""
MEMBERS = frozenset(_WORDS.split())
"""Methods of PHP's own classes: exceptions, times, databases, reflection, iterators, closures."""
