"""Members that values of Ruby's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
abort_on_exception abs abs2 add add? add_trace_func advise alias_method alive? all? allbits?
allocate ancestors angle any? anybits? append arg arity ascii_only? asctime assoc at atime attr
attr_accessor attr_reader attr_writer autoclose? autoload autoload? b backtrace backtrace_locations
basename begin between? binding binmode binmode? birthtime bit_length bsearch bsearch_index bytes
bytesize byteslice call capitalize capitalize! captures casecmp casecmp? casefold? cause ceil center
chain chars chmod chomp chomp! chop chop! chown chr chunk chunk_while clamp class class_eval
class_exec class_variable_defined? class_variable_get class_variable_set class_variables classify
clear clone close close_on_exec? close_read close_write closed? closed_read? closed_write?
codepoints coerce collect collect! collect_concat combination compact compact! compare_by_identity
compare_by_identity? concat conj conjugate const_defined? const_get const_missing const_set
const_source_location constants count cover? crypt ctime curry cycle day deconstruct
deconstruct_keys default default_proc define_method define_singleton_method delete delete! delete?
delete_at delete_if delete_prefix delete_prefix! delete_suffix delete_suffix! denominator
deprecate_constant detect difference dig digits directory? dirname disjoint? display div divide
divmod downcase downcase! downto drop drop_while dst? dump dup each each_byte each_char
each_codepoint each_cons each_entry each_grapheme_cluster each_index each_key each_line each_pair
each_slice each_value each_with_index each_with_object empty? encode encode! encoding end end_with?
entries enum_for eof eof? eql? equal? even? except exception exclude_end? exist? exit expand_path
extend external_encoding extname fcntl fdatasync fdiv feed fetch fetch_values file? fileno fill
filter filter! filter_map find find_all find_index finite? first fixed_encoding? flat_map flatten
flatten! flatten_merge flock floor flush force_encoding freeze friday? frozen? fsync full_message
gcd gcdlcm getbyte getc getgm getlocal gets getutc glob gmt? gmt_offset gmtime gmtoff
grapheme_clusters grep grep_v group group_by gsub gsub! has_key? has_value? hash hex hour httpdate i
id2name imag imaginary include include? included_modules index infinite? inject insert inspect
instance_eval instance_exec instance_method instance_methods instance_of? instance_variable_defined?
instance_variable_get instance_variable_set instance_variables integer? intern internal_encoding
intersect? intersection invert ioctl is_a? isatty isdst iso8601 itself join keep_if key key? keys
kill kind_of? lambda? last lazy lcm length lineno lines ljust localtime lock locked? lstat lstrip
lstrip! magnitude map map! match match? match_length max max_by mday member? members merge merge!
message method method_defined? methods min min_by minmax minmax_by mkdir module_eval module_exec
modulo mon monday? month mtime name named_captures names nan? native_thread_id negative? new next
next! next_float next_values nil? nobits? none? nonzero? now nsec numerator object_id oct odd?
offset one? options ord original_name owned? owner pack parameters partition path peek peek_values
pending_interrupt? permutation phase pid polar pop pos positive? post_match pow pre_match pread pred
prepend pretty_print pretty_print_cycle prev_float print printf priority private?
private_class_method private_constant private_instance_methods private_method_defined?
private_methods product proper_subset? proper_superset? protected? protected_instance_methods
protected_method_defined? protected_methods public? public_class_method public_constant
public_instance_method public_instance_methods public_method public_method_defined? public_methods
public_send push putc puts pwrite quo raise rassoc rationalize read read_nonblock readable? readbyte
readchar readline readlines readpartial real real? receiver rect rectangular reduce regexp rehash
reject reject! remainder remove_class_variable remove_instance_variable remove_method reopen
repeated_combination repeated_permutation replace report_on_exception reset respond_to? reverse
reverse! reverse_each rewind rfc2822 rfc822 rindex rjust rmdir rotate rotate! round rpartition
rstrip rstrip! ruby2_keywords run sample saturday? scan scrub scrub! sec seek select select! send
set_backtrace set_encoding set_encoding_by_bom set_trace_func setbyte shift shuffle shuffle!
singleton_class singleton_class? singleton_method singleton_method_added singleton_methods size
sleep slice slice! slice_after slice_before slice_when sort sort! sort_by sort_by! source
source_location split squeeze squeeze! start_with? stat status step stop? store strftime string
strip strip! sub sub! subclasses subsec subset? subtract succ succ! sum sunday? super_method
superclass superset? swapcase swapcase! sync synchronize sysread sysseek syswrite taint tainted?
take take_while tally tap tell terminate then thread_variable? thread_variable_get
thread_variable_set thread_variables thursday? times to_a to_ary to_c to_date to_datetime to_enum
to_f to_h to_hash to_i to_int to_io to_path to_proc to_r to_s to_set to_str to_sym to_time tr tr!
tr_s tr_s! transform_keys transform_keys! transform_values transform_values! transpose truncate
trust try_lock tty? tuesday? tv_nsec tv_sec tv_usec unbind undef_method undump ungetbyte ungetc
unicode_normalize unicode_normalize! unicode_normalized? union uniq uniq! unlink unlock unpack
unpack1 unshift untaint untrust untrusted? upcase upcase! update upto usec utc utc? utc_offset
valid_encoding? value value? values values_at wakeup wday wednesday? with_index with_object
writable? write write_nonblock xmlschema yday year yield yield_self zero? zip zone
"""
MEMBERS = frozenset(_WORDS.split())
"""Methods of Ruby's own classes."""
