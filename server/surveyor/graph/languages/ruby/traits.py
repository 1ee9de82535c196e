"""What is particular to Ruby."""

from __future__ import annotations

from surveyor.graph.expressions.keys import OWN_VARIABLE
from surveyor.graph.languages.ruby import bindings, blocks, implied, imports, standard
from surveyor.graph.languages.ruby.modules import RequiredFiles
from surveyor.graph.languages.traits import COMMON_MEMBERS, GlobalNames, MembersElsewhere, Traits

__all__ = ["TRAITS"]

_KERNEL_WORDS = """
abort at_exit attr_accessor attr_reader attr_writer binding block_given? caller catch eval exit
extend fail fork format gets include lambda load loop module_function open p pp prepend print
printf private proc protected public putc puts raise rand readline require require_relative select
sleep spawn sprintf srand system test throw trap warn
"""
_TEST_WORDS = "context describe expect it specify"
"""RSpec's and Minitest's, which test files have at their top."""
_KERNEL = frozenset((_KERNEL_WORDS + _TEST_WORDS).split())
"""What every object can be asked without a receiver."""

_COMMON_WORDS = """
<< == [] any? be body call compact delete_if detect each_pair each_with_index each_with_object
empty? end_with? eq eql? escape fetch flatten frozen? gsub has_key? inject instance_eval is_a? key?
length? member? merge! name nil? not_to params present? reject! respond_to? send size? split
start_with? strip sub sub! symbolize_keys to to_a to_h to_i to_not to_proc to_s to_str to_sym
abs ceil chr current dup each_char each_cons each_key each_line each_slice
each_value floor group_by hash inspect instance_variable_get
instance_variable_set instance_variables kill max methods min object_id ord public_send round
sort_by step succ times to_f to_r tr
transform_values uniq unshift upcase downcase valid? zero? include? instance_of? kind_of?
"""
"""Members of values of the core classes, and of what tests expect."""

_HASHES = frozenset({"args", "attributes", "env", "headers", "options", "opts", "params"})

_FINDING = """
build create create! create_or_find_by create_or_find_by! find find_by find_by! find_or_create_by
find_or_create_by! find_or_initialize_by find_sole_by first first! last last! sole take take!
"""
_LISTING = """
all distinct eager_load find_each having in_batches includes joins left_joins left_outer_joins limit
lock none not offset order preload references reorder rewhere unscoped where with_attached
"""
"""What Active Record gives to classes."""

TRAITS = {
    "ruby": Traits(
        family="ruby",
        mixins="always",
        last_first="lines",
        calls_by_brackets=True,
        standard_members=standard.MEMBERS,
        by_computed_name=r"",  # a symbol is how methods are handed on
        symbols_are_names=True,
        reassigns=True,
        self_words=frozenset({"self", OWN_VARIABLE}),
        global_names=GlobalNames(methods=True, built_in=_KERNEL),
        implicit_this=True,
        bindings=bindings.bindings_of,
        block_receiver=blocks.receiver,
        parameters=blocks.parameters,
        members_elsewhere=MembersElsewhere(full_name=True),
        modules_are_types=True,
        modules=RequiredFiles,
        global_constants=True,
        calls_by_name=True,
        constructor="initialize",
        initializer="initialize",
        plain_names=_HASHES,
        common_members=COMMON_MEMBERS | frozenset(_COMMON_WORDS.split()),
        making="new",
        finding=frozenset(_FINDING.split()),
        listing=frozenset(_LISTING.split()),
        passing=frozenset({"class", "clone", "dup", "freeze", "itself", "singleton_class", "tap"}),
        sigils=True,
        implied=implied.read,
        imports=imports.read,
    )
}
