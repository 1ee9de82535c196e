"""Members that values of Rust's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
abs abs_diff acquire and append as_micros as_millis as_mut_ptr as_mut_slice as_nanos as_os_str
as_path as_ptr as_secs as_secs_f32 as_secs_f64 as_slice as_str backtrace binary_search
binary_search_by binary_search_by_key bit canonicalize capacity ceil char_indices checked_add
checked_div checked_duration_since checked_mul checked_rem checked_sub chunks chunks_exact clamp
clear cmp_by code compare_exchange compare_exchange_weak components concat contains contains_key
copy_from_slice copy_within count_ones create_dir create_dir_all dedup dedup_by dedup_by_key
downcast downcast_mut downcast_ref duration_since elapsed ends_with entry eq_ignore_ascii_case
escape_debug escape_default extend_from_within fetch_add fetch_and fetch_max fetch_min fetch_or
fetch_sub fetch_update fill fill_with find_iter first first_chunk first_mut floor force fract
from_fn from_iter from_secs from_str from_utf8 from_utf8_lossy get_mut get_or_insert
get_or_insert_with get_unchecked get_unchecked_mut group_by has_root id insert_str inspect_err
intersperse into_boxed_slice into_bytes into_iter_sorted into_keys into_mut into_string into_values
is_absolute is_alphabetic is_alphanumeric is_ascii is_ascii_digit is_char_boundary is_control
is_digit is_finite is_infinite is_lowercase is_nan is_negative is_none_or is_numeric is_ok_and
is_poisoned is_positive is_power_of_two is_relative is_some_and is_sorted is_subset is_superset
is_symlink is_uppercase is_whitespace join join_paths keys kill last last_chunk last_mut
leading_zeros lines load log10 log2 make_ascii_lowercase make_ascii_uppercase make_mut map_or
map_or_else map_while match_indices matches min_by_key modified next_back next_if next_if_eq
next_power_of_two notify_all notify_one nth_back ok_or_else open or or_default or_insert
or_insert_with overflowing_add park parse permissions pop_back pop_front pow power_of_two product
provoke ptr_eq push_back push_front range range_mut rchunks read_dir read_exact read_link recv
recv_timeout rem_euclid remove_dir remove_dir_all remove_entry remove_file repeat replace_range
replace_with reserve reserve_exact resize resize_with retain retain_mut rev_bits reverse rfind_map
rfold rotate_left rotate_right round rposition rsplit_once rsplit_terminator rsplitn saturating_add
saturating_mul saturating_sub scan seek select_nth_unstable set_extension set_file_name set_len
set_permissions shrink_to shrink_to_fit signum sleep sort sort_by sort_by_key sort_unstable
sort_unstable_by sort_unstable_by_key source spawn splice split_ascii_whitespace split_at_mut
split_first split_first_mut split_inclusive split_last split_last_mut split_off split_once
split_terminator split_whitespace splitn sqrt starts_with store stream_position strip_prefix
strip_suffix strong_count subsec_millis subsec_nanos success sum swap swap_remove
symmetric_difference sync_all sync_data take_while_ref to_ascii_lowercase to_ascii_uppercase
to_be_bytes to_bits to_digit to_le_bytes to_lowercase to_ne_bytes to_str to_string_lossy
to_uppercase to_vec trailing_zeros trim_end_matches trim_left trim_matches trim_right
trim_start_matches truncate try_borrow try_borrow_mut try_clone try_insert try_lock try_read
try_recv try_reserve try_send try_unwrap try_write type_id unsigned_abs unzip_into values values_mut
wait wait_timeout wait_while wait_with_output weak_count with_capacity with_extension with_file_name
wrapping_add wrapping_mul wrapping_neg wrapping_shl wrapping_shr wrapping_sub write_char
write_vectored xor
"""
MEMBERS = frozenset(_WORDS.split())
"""Methods of what Rust's standard library defines, beside those that any value may have."""
