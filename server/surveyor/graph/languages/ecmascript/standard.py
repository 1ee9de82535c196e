"""Members that values of JavaScript's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
abort add addEventListener addListener addTrailers address anchor append appendChild appendHeader
apply arrayBuffer asIndexedPairs assert assignSocket at big bind blink blob blur bold bytes call
cancel catch charAt charCodeAt clear clearInterval clearTimeout click clone cloneNode closest
codePointAt compare compile compose concat connect constructor contains copy copyWithin cork
createElement createTextNode debug decode delete destroy destroySoon detachSocket disconnect
dispatchEvent drawImage drop emit encode encodeInto end endsWith entries equals error eventNames
every exec fill fillRect filter finally find findIndex findLast findLastIndex fixed flat flatMap
flushHeaders focus fontcolor fontsize forEach formData get getAll getAttribute getBigInt64
getBigUint64 getBoundingClientRect getContext getDate getDay getElementById getElementsByClassName
getElementsByTagName getFloat32 getFloat64 getFullYear getHeader getHeaderNames getHeaders getHours
getInt16 getInt32 getInt8 getItem getMaxListeners getMilliseconds getMinutes getMonth
getRawHeaderNames getReader getSeconds getSetCookie getTime getTimezoneOffset getUTCDate getUTCDay
getUTCFullYear getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth getUTCSeconds getUint16
getUint32 getUint8 getYear group groupEnd has hasAttribute hasHeader hasOwnProperty includes indexOf
info insertBefore inspect isPaused isPrototypeOf isWellFormed italics iterator join json keys kill
lastIndexOf link listenerCount listeners localeCompare log map match matchAll matches next normalize
observe off on once padEnd padStart pause pipe pipeThrough pipeTo pop postMessage prependListener
prependOnceListener preventDefault propertyIsEnumerable push pushState querySelector
querySelectorAll rawListeners read reduce reduceRight ref removeAllListeners removeAttribute
removeChild removeEventListener removeHeader removeItem removeListener repeat replace replaceAll
replaceChild replaceState requestAnimationFrame resetAndDestroy resize resume return reverse
scrollIntoView search set setAttribute setBigInt64 setBigUint64 setDate setDefaultEncoding
setEncoding setFloat32 setFloat64 setFullYear setHeader setHeaders setHours setInt16 setInt32
setInt8 setInterval setItem setKeepAlive setMaxListeners setMilliseconds setMinutes setMonth
setNoDelay setSeconds setTime setTimeout setUTCDate setUTCFullYear setUTCHours setUTCMilliseconds
setUTCMinutes setUTCMonth setUTCSeconds setUint16 setUint32 setUint8 setYear shift slice small some
sort spawn splice split startsWith stopImmediatePropagation stopPropagation stream strike sub
subarray substr substring sup swap16 swap32 swap64 table take tee test text then throw
throwIfAborted toArray toDateString toExponential toFixed toGMTString toISOString toJSON
toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString toLocaleUpperCase toLowerCase
toPrecision toReversed toSorted toSpliced toString toTimeString toUTCString toUpperCase toWellFormed
toggle trace trim trimEnd trimLeft trimRight trimStart uncork unobserve unpipe unref unshift valueOf
values warn with wrap write writeContinue writeEarlyHints writeHead writeHeader writeProcessing
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of what JavaScript's engines, browsers and Node.js bring along."""
