"""Members that values of Go's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
Abs Acc Accept AcceptTCP AcceptUnix Add AddAttrs AddCookie AddDate AddExistingFiles AddFS AddFile
AddIP AddInsecureBypassPattern AddLine AddLineColumnInfo AddLineInfo AddParseTree AddSRV
AddTrustedOrigin Addr AddrPort Addrs AdjustStream After AfterFunc Align AllocedBytesPerOp
AllocsPerOp And AndNot Any Append AppendBinary AppendFormat AppendText Arg Args ArtifactDir AsAny
AsBool AsDuration AsFloat64 AsInt64 AsString AsUint64 AssignableTo Attr Attrs Available
AvailableBuffer Back Base BasicAuth Before Begin BeginTx Binomial Bit BitLen Bits BlockSize Bool
BoolFunc BoolVar Broadcast Buffer Buffered Bytes CanAddr CanComplex CanConvert CanFloat CanInt
CanInterface CanSeq CanSeq2 CanSet CanUint CancelRequest Cap ChanDir Chdir Check CheckI
CheckRuntimeTimerPeriodOverflow Chmod Chown Chtimes Clear Clearenv Clock Clone Close CloseConn
CloseIdleConnections CloseRead CloseStream CloseWithError CloseWrite Cmp CmpAbs ColumnTypes Columns
CombinedOutput Commit Comparable Compare CompareAndDelete CompareAndSwap Complex Compose Conn
ConnectionState Contains Context Convert ConvertibleTo Cookie Cookies CookiesNamed Copy CopyN Create
CreateHeader CreateRaw DataOffset DatabaseTypeName Date Day Deadline Debug DebugContext DecimalSize
Decode DecodeElement Decompose DefaultMask DefinedTemplates Del Delete Delims Denom Dial DialContext
DialIP DialTCP DialUDP DialUnix DisallowUnknownFields Discard Dist Div DivMod Do Done Driver
Duration DurationVar Elapsed Elem EnableFullDuplex Enabled Encode EncodeElement EncodeToken End
Environ Equal Err ErrOrEOF Error ErrorContext ErrorHandling Errorf EscapeText EscapedFragment
EscapedPath Exec ExecContext Execute ExecuteTemplate ExitCode Exited Exp ExpFloat64 Expand
ExpandString FS Fail FailNow Failed Fatal Fatalf Fatalln Fd Field FieldAlign FieldByIndex
FieldByIndexErr FieldByName FieldByNameFunc FieldPos Fields File FileInfo FillBytes Find FindAll
FindAllIndex FindAllString FindAllStringIndex FindAllStringSubmatch FindAllStringSubmatchIndex
FindAllSubmatch FindAllSubmatchIndex FindIndex FindReaderIndex FindReaderSubmatchIndex FindString
FindStringIndex FindStringSubmatch FindStringSubmatchIndex FindSubmatch FindSubmatchIndex Flags
Float Float32 Float64 Float64Var FloatPrec FloatString Flush FormFile FormValue Format Framer Front
Func FuncOf Funcs GCD Get GetClientConn GetU Go GoString GobDecode GobEncode Group Grow Handle
HandleFunc Handler Has Head Header HeaderBlockFragment HeaderEncoder HeadersEnded Helper Hijack
Hostname Hour Hours ISOWeek Implements ImportPath In InFlight Indent Index Info InfoContext Infof
Init InitRuntimeCoverage InputOffset InputPos Ins InsertAfter InsertBefore Int Int31 Int31n Int63
Int63n Int64 Int64Var IntVar Interface InterfaceData Intn Inv Is IsAbs IsBoolFlag IsDST IsExported
IsGlobalUnicast IsInf IsInt IsInt64 IsInterfaceLocalMulticast IsKeyword IsLinkLocalMulticast
IsLinkLocalUnicast IsLiteral IsLoopback IsMulticast IsNil IsOperator IsPrivate IsUint64
IsUnspecified IsValid IsVariadic IsZero Iterate Jacobi JoinPath Key Kill Kind LastInsertId Lchown
Len Length Level Line LineCount LineStart Lines Link Listen ListenAndServe ListenAndServeTLS
ListenPacket LiteralPrefix Load LoadAndDelete LoadOrStore Local LocalAddr Location Lock Log LogAttrs
LogValue LogValuer Logf Longest Lookup LookupAddr LookupCNAME LookupHost LookupIP LookupIPAddr
LookupMX LookupNS LookupNetIP LookupPort LookupSRV LookupTXT Loop Lsh Lstat MAdd MantExp MapIndex
MapKeys MapRange MarkDead Marshal MarshalBinary MarshalJSON MarshalJSONTo MarshalText MarshalXML
MarshalXMLAttr Mask Match MatchReader MatchString MaxTokenSize MemString MergeLine Method
MethodByName Methods Microseconds Milliseconds MinPrec Minute Minutes Mkdir MkdirAll Mod ModInverse
ModSqrt ModTime Mode ModulePath Month More MoveAfter MoveBefore MoveToBack MoveToFront Mul MulRange
MulticastAddrs MultipartReader MultipathTCP NArg NFlag Name Nanosecond Nanoseconds Neg Network New
NewClientConn NewTicker Next NextResultSet Nil NoArgs NormFloat64 Not NotNil NsPerOp Nullable Num
NumAttrs NumField NumIn NumMethod NumOut NumSubexp Offset Open OpenFile OpenRaw OpenRoot OpenStream
Option Or Out Outer Output Outs OverflowComplex OverflowFloat OverflowInt OverflowUint Panic Panicf
Panicln Parallel Parse ParseFS ParseFiles ParseForm ParseGlob ParseMultipartForm Parsed Password
PathValue Peek Perm Pid Ping PingContext PkgPath Pointer Pop PopHead PopTail Port Pos Position
PositionFor Post PostForm PostFormValue Prec Precedence Prefix Prepare PrepareContext Prev Print
PrintDefaults PrintTrie Printf Println ProbablyPrime ProtoAtLeast Push PushBack PushBackList
PushFront PushFrontList PushHead Put Query QueryContext QueryRow QueryRowContext Quo QuoRem RLock
RLocker RUnlock Rand Range Rat RatString Raw RawToken Read ReadAll ReadAt ReadByte ReadBytes ReadDir
ReadFile ReadFrom ReadFromIP ReadFromUDP ReadFromUDPAddrPort ReadFromUnix ReadFull ReadLine
ReadMsgIP ReadMsgUDP ReadMsgUDPAddrPort ReadMsgUnix ReadRune ReadSlice ReadString Readdir
Readdirnames Readlink Recv Redacted Redirect Referer Register RegisterCompressor
RegisterDecompressor RegisterOnShutdown RegisterProtocol Release Rem RemoteAddr Remove RemoveAll
RemoveFile Rename Repeat Replace ReplaceAll ReplaceAllFunc ReplaceAllLiteral ReplaceAllLiteralString
ReplaceAllString ReplaceAllStringFunc Replacer ReportAllocs ReportMetric RequestURI Reserve Reset
ResetCachedEnvironment ResetCoverage ResetProxyEnv ResetTimer Resolve ResolveReference Rollback
Round RoundTrip RoundTripErr RowsAffected Rsh Run RunParallel SVG Scan ScanType Second Seconds Seed
Seek Send Seq Seq2 Serve ServeFile ServeHTTP ServeTLS Set SetBasicAuth SetBit SetBits SetBool
SetBytes SetCap SetComment SetComplex SetConnMaxIdleTime SetConnMaxLifetime SetCookies SetDeadline
SetDefault SetDenyHandler SetEscapeHTML SetFlags SetFloat SetFloat64 SetFrac SetFrac64 SetIndent
SetInf SetInt SetInt64 SetIterKey SetIterValue SetKeepAlive SetKeepAliveConfig SetKeepAlivePeriod
SetKeepAlivesEnabled SetLen SetLines SetLinesForContent SetLinger SetLogLoggerLevel SetMantExp
SetMapIndex SetMaxIdleConns SetMaxOpenConns SetModTime SetMode SetMono SetMultipathTCP SetNoDelay
SetOffset SetOutput SetPanicOnExit0 SetParallelism SetPathValue SetPointer SetPrec SetPrefix
SetRSTAvoidanceDelay SetRat SetReadDeadline SetString SetTTL SetUint SetUint64 SetUnlinkOnClose
SetWriteDeadline SetZero Setenv Shuffle Shutdown Sign Signal Signbit Size Skip SkipNow Skipf Skipped
Sleep Slice Slice3 SnapshotCoverage Source Split Sqrt Start StartCPUProfile StartTimer Stat Stats
Status StderrPipe StdinPipe StdoutPipe Stmt StmtContext Stop StopCPUProfile StopTimer Store
StoreInt32 StoreInt64 StoreUint32 StoreUint64 StoreUintptr StreamEnded String StringVar Sub
SubexpIndex SubexpNames Success Sum Sum32 Sum64 Swap Symlink Sync Sys SysUsage SyscallConn
SystemTime TempDir Templates Temporary Text TextVar Time Timeout To16 To4 Token TotalDist
TrailingZeroBits TrueFalse Truncate TryLock TryRLock TryRecv TrySend Type UTC Uint Uint32 Uint64
Uint64Var UintVar Unix UnixMicro UnixMilli UnixNano Unlock UnmarshalBinary UnmarshalJSON
UnmarshalJSONFrom UnmarshalText UnmarshalXML UnmarshalXMLAttr UnreadByte UnreadRune UnsafeAddr
UnsafePointer Unused Unwrap Usage UseNumber Used UserAgent UserTime Username Valid Value Values Var
Visit VisitAll Wait Warn WarnContext Weekday With WithAttrs WithContext WithGroup WithHandle WithT
Write WriteAll WriteAt WriteByte WriteFile WriteHeader WriteMsgIP WriteMsgUDP WriteMsgUDPAddrPort
WriteMsgUnix WriteProfileTo WriteProxy WriteRune WriteString WriteSubset WriteTo WriteToIP
WriteToUDP WriteToUDPAddrPort WriteToUnix Writer Xor Year YearDay Zone ZoneBounds
"""
MEMBERS = frozenset(_WORDS.split())
"""Methods of what Go's standard library defines."""
