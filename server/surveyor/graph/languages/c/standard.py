"""Members that values of C++'s own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
append assign at back back_inserter bad before_begin begin bucket_count c_str capacity cbegin cend
clear close compare compare_exchange_strong compare_exchange_weak contains copy count crbegin crend
data detach emplace emplace_after emplace_back emplace_front emplace_hint empty end ends_with eof
equal_range erase exchange expired extension extract fail fetch_add fetch_sub filename fill find
find_first_not_of find_first_of find_last_not_of find_last_of first flags flush front gcount get
get_deleter get_future get_id getline good has_value hash hash_code ignore imbue insert insert_after
insert_or_assign is_open join joinable key_eq length load lock lock_shared lower_bound
max_load_factor max_size merge native native_handle notify_all notify_one open owner_before
owns_lock parent_path peek pop pop_back pop_front precision push push_back push_front put putback
rbegin rdbuf rdstate read ready reduce regex_match rehash release remove remove_if rend replace
reserve reset resize reverse rfind second seekg seekp set_exception set_value setf setstate
shrink_to_fit size sort splice starts_with stem store str string subspan substr swap tellg tellp
test time_since_epoch to_string to_ullong to_ulong top try_emplace try_lock try_lock_for u8string
unget unique unlock unlock_shared upper_bound use_count valid value value_or wait wait_for
wait_until what width write
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of what C++'s standard library defines."""
