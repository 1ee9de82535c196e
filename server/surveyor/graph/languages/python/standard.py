"""Members that values of Python's own types have."""

from __future__ import annotations

__all__ = ["FIXTURES", "MEMBERS"]

_WORDS = """
absolute accept acquire acquire_lock add addFilter addHandler add_argument add_argument_group
add_done_callback add_mutually_exclusive_group add_note add_subparsers adjusted append appendleft
as_integer_ratio as_posix as_tuple as_uri astimezone backup bind bit_count bit_length blobopen
cancel cancelled canonical capitalize casefold cast center chmod clear close combine commit
communicate compare compare_signal compare_total compare_total_mag conjugate connect connect_ex
convert_arg_line_to_args copy copy_abs copy_negate copy_sign count create_aggregate create_collation
create_function create_window_function critical ctime cursor cwd date debug decode deserialize
detach difference difference_update digest discard done dst dup elements emit empty encode end
endswith error exception execute executemany executescript exists exit exp expand expandtabs
expanduser extend extendleft extract extractall fatal fetchall fetchmany fetchone fileno filter find
findall finditer findtext flush fma format format_help format_map format_usage from_bytes from_float
fromhex fromisocalendar fromisoformat fromkeys fromordinal fromtimestamp full fullmatch get getChild
get_default get_inheritable get_loop get_name get_nowait getblocking getbuffer getinfo getlimit
getpeername getsockname getsockopt gettimeout getvalue glob group groupdict groups handle
hardlink_to hex hexdigest home index info infolist insert interrupt intersection intersection_update
isEnabledFor is_absolute is_alive is_block_device is_canonical is_char_device is_dir is_fifo is_file
is_finite is_infinite is_integer is_mount is_nan is_normal is_qnan is_relative_to is_reserved is_set
is_signed is_snan is_socket is_subnormal is_symlink is_zero isalnum isalpha isascii isatty isdecimal
isdigit isdisjoint isidentifier islower isnumeric isocalendar isoformat isoweekday isprintable
isspace issubset issuperset istitle isupper items iter iterdir iterdump iterfind itertext join
joinpath keys kill lchmod link_to listen ljust ln locked locked_lock log log10 logb logical_and
logical_invert logical_or logical_xor lower lstat lstrip makeelement makefile maketrans match max
max_mag min min_mag mkdir most_common move_to_end namelist next_minus next_plus next_toward
normalize notify notify_all now number_class open owner parse_args parse_intermixed_args
parse_known_args parse_known_intermixed_args partition peek poll pop popitem popleft print_help
print_usage printdir put put_nowait qsize quantize radix read read1 read_bytes read_text readable
readinto readinto1 readline readlines readlink reconfigure recv recv_into recvfrom recvfrom_into
recvmsg recvmsg_into register relative_to release release_lock remainder_near remove removeHandler
remove_done_callback removeprefix removesuffix rename replace resolve result reverse rfind rglob
rindex rjust rmdir rollback rotate rpartition rsplit rstrip run same_quantum samefile scaleb scanner
search seek seekable send send_signal sendall sendfile sendmsg sendmsg_afalg sendto serialize set
setFormatter setLevel set_authorizer set_defaults set_exception set_inheritable set_name
set_progress_handler set_result set_trace_callback setblocking setdefault setinputsizes setlimit
setoutputsize setpassword setsockopt settimeout shift shutdown sort span split splitlines sqrt start
startswith stat strftime strip strptime sub subn subtract swapcase symlink_to symmetric_difference
symmetric_difference_update task_done tell terminate testzip throw time timestamp timetuple timetz
title to_bytes to_eng_string to_integral to_integral_exact to_integral_value tobytes today tolist
toordinal toreadonly total total_seconds touch translate truncate tzname union unlink update upper
utcfromtimestamp utcnow utcoffset utctimetuple values wait wait_for warn warning weekday with_name
with_stem with_suffix with_traceback writable write write_bytes write_text writelines writestr zfill
"""
MEMBERS = frozenset(_WORDS.split())
"""Methods of strings, collections, numbers, files, paths, times, threads, sockets and what else
Python brings along."""
FIXTURES = frozenset(
    (
        *("cache", "capfd", "capfdbinary", "caplog", "capsys", "capsysbinary", "capteesys"),
        *("doctest_namespace", "event_loop", "mocker", "monkeypatch", "pytestconfig", "pytester"),
        *("record_property", "record_testsuite_property", "record_xml_attribute", "recwarn"),
        *("request", "testdir", "tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory"),
    )
)
"""Fixtures that pytest and what is used with it everywhere bring along."""
