"""Members that values of C#'s own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
Abort Accept Add AddAfter AddBefore AddDays AddFirst AddHours AddLast AddMilliseconds AddMinutes
AddMonths AddRange AddSeconds AddTicks AddYears Aggregate All Any Append AppendFormat AppendJoin
AppendLine AsEnumerable AsMemory AsQueryable AsReadOnly AsSpan AsTask Average BaseType BeginInvoke
BinarySearch Cancel CancelAfter Capacity Cast Ceiling Chars Chunk Clear Clone Close CloseAsync
Combine Compare CompareOrdinal CompareTo Complete CompleteAdding Concat ConfigureAwait Connect
ConnectAsync Contains ContainsKey ContainsValue ContinueWith ConvertAll Copy CopyTo CopyToAsync
Count CreateDelegate CreateInstance CreateScope CreateText Date Day DayOfWeek DayOfYear Days
Decrement DefaultIfEmpty Delete Dequeue Directory DirectoryName Dispose DisposeAsync Distinct
DistinctBy DynamicInvoke ElementAt ElementAtOrDefault EndInvoke EndsWith Enqueue EnqueueAsync
EnsureCapacity EnsureSuccessStatusCode EnterReadLock EnterWriteLock EnumerateDirectories
EnumerateFiles Equals Except ExceptWith Exception Exchange Exists Exit ExitReadLock ExitWriteLock
Expand Export Extension Find FindAll FindIndex FindLast FindLastIndex First FirstOrDefault Flush
FlushAsync ForEach Format FullName GetArrayLength GetAsync GetAsyncEnumerator GetAttribute
GetAwaiter GetBaseException GetByteArrayAsync GetByteCount GetBytes GetChars GetConstructor
GetConstructors GetCustomAttribute GetCustomAttributes GetDirectories GetElementType GetEnumerator
GetEvent GetEvents GetField GetFields GetFiles GetGenericArguments GetGenericTypeDefinition
GetHashCode GetInt32 GetInterface GetInterfaces GetInvocationList GetLength GetLowerBound GetMember
GetMembers GetMethod GetMethods GetName GetNestedType GetOrAdd GetParameters GetProperties
GetProperty GetRange GetRequiredService GetResult GetService GetServices GetStream GetString
GetStringAsync GetType GetTypeInfo GetUpperBound GetValue GetValueOrDefault GetValues GroupBy
GroupJoin HasFlag HasValue Hour Hours Increment IndexOf IndexOfAny InnerException Insert InsertRange
Intersect IntersectWith Invoke InvokeAsync IsAbstract IsAssignableFrom IsAssignableTo IsCanceled
IsCancellationRequested IsClass IsCompleted IsDefined IsEnum IsFaulted IsGenericType
IsInstanceOfType IsInterface IsMatch IsPrimitive IsPublic IsSealed IsSubclassOf IsSubsetOf
IsSupersetOf IsValueType Item Join Key Keys Kill Last LastIndexOf LastOrDefault Length Local Lock
LongCount MakeGenericMethod MakeGenericType Match Matches Max MaxBy MemberwiseClone Merge Message
Millisecond Milliseconds Min MinBy Minute Minutes Month MoveNext MoveNextAsync MoveTo Name Namespace
Next NextBytes NextDouble NormalizeNode Now OfType OnCompleted OnError OnNext Open OpenAsync
OpenRead OpenText OpenWrite OrderBy OrderByDescending Overlaps PadLeft PadRight ParamName Peek Pop
Position PostAsync Prepend Push PutAsync QueueUserWorkItem RandomAccess Read ReadAllBytes
ReadAllLines ReadAllText ReadAsStreamAsync ReadAsStringAsync ReadAsync ReadByte ReadBytes ReadInt32
ReadLine ReadLineAsync ReadString ReadToEnd ReadToEndAsync Register Release Remove RemoveAll
RemoveAt RemoveFirst RemoveLast RemoveRange RemoveWhere Replace Reset Reverse Rollback RollbackAsync
Run Second Seconds Seek Select SelectMany Send SendAsync SequenceEqual Set SetCanceled SetException
SetLength SetResult SetValue Signal Single SingleOrDefault Skip SkipWhile Slice Sort SortedSet Split
Stack StackTrace Start StartNew StartsWith Status Stop Substring Subtract Sum SymmetricExceptWith
Take TakeLast TakeWhile Target ThenBy ThenByDescending ThrowIfCancellationRequested Ticks TimeOfDay
ToArray ToArrayAsync ToBase64String ToCharArray ToDictionary ToHashSet ToInt32 ToList ToListAsync
ToLocalTime ToLookup ToLower ToLowerInvariant ToShortDateString ToString ToUniversalTime
ToUnixTimeMilliseconds ToUnixTimeSeconds ToUpper ToUpperInvariant Token TotalDays TotalHours
TotalMilliseconds TotalMinutes TotalSeconds Trim TrimEnd TrimExcess TrimStart TrueForAll TryAdd
TryComplete TryCopyTo TryDequeue TryGetNonEnumeratedCount TryGetValue TryParse TryPeek TryPop
TryRead TryRemove TrySetCanceled TrySetException TrySetResult TryTake TryUpdate TryWrite Type Union
UnionBy UnionWith Unwrap Update Value Values Wait WaitAll WaitAny WaitAsync WaitForExit WaitOne
WaitToReadAsync Where Write WriteAllText WriteAsync WriteByte WriteLine WriteLineAsync Year Zip
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of what .NET's base library defines."""
