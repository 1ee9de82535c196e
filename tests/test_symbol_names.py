"""How names of definitions are written, and which parts they have."""

from __future__ import annotations

import pytest

from surveyor.symbol_names import name_readings


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("func", "func"),
        ("Class.method()", "Class method"),
        ("leveldb::DB::Open", "leveldb DB Open"),
        ("DB::Open(const Options&, DB**)", "DB Open"),
        ("leveldb::(anonymous namespace)::PosixEnv", "leveldb PosixEnv"),
        ("const Slice&", "Slice"),
        ("struct json_object", "json_object"),
        ("Status::~Status", "Status ~Status"),
        ("Slice::operator[]", "Slice operator[]"),
        ("leveldb::operator==(const Slice& x, const Slice& y)", "leveldb operator=="),
        ("std::ostream& operator<<", "operator<<"),
        ("Foo::operator->", "Foo operator->"),
        ("A::operator()(int)", "A operator()"),
        ("Sinatra::Base#route!", "Sinatra Base route!"),
        ("Doc:get_text", "Doc get_text"),
        ("core.Doc:get_text(line)", "core Doc get_text"),
        ("lists:foldl/3", "lists foldl"),
        ("Hash#[]=", "Hash []="),
        ("Version#<=>", "Version <=>"),
        ("PQueue.#start", "PQueue #start"),
        ("tokio::sync::Mutex<T>::lock", "tokio sync Mutex lock"),
        ("Vec::<T>::new", "Vec new"),
        ("Map<String, List<Integer>>.get", "Map get"),
        ("Fn<A -> B>::call", "Fn call"),
        ("<Mutex<T> as Drop>::drop", "Mutex drop"),
        ("crate::sync::Mutex", "sync Mutex"),
        (r"\GuzzleHttp\Psr7\Uri->withPath", "GuzzleHttp Psr7 Uri withPath"),
        ("Ecto.Query.from/2", "Ecto Query from"),
        ("&Elixir.Ecto.Repo.insert!/2", "Ecto Repo insert!"),
        ("zerolog.(*Event).Str", "zerolog Event Str"),
        ("github.com/rs/zerolog/log.Info", "log Info"),
        ("Box[T].put", "Box put"),
        ("utils/helpers/isObject", "utils helpers isObject"),
        ("classify", "classify"),
        ("class", "class"),
        ("", ""),
        ("()", ""),
    ],
)
def test_a_name_has_its_parts_however_it_is_written(written: str, parts: str) -> None:
    readings = name_readings(written)
    assert (readings[0] if readings else []) == parts.split(" " if parts else None)


@pytest.mark.parametrize(
    ("written", "also"),
    [
        ("tokio::join!", ["tokio", "join"]),
        ("Uri::$path", ["Uri", "path"]),
        ("@name", ["name"]),
        ("#route!", ["route!"]),
        ("Vitest.prototype.start", ["Vitest", "start"]),
    ],
)
def test_signs_that_may_be_no_part_of_a_name_are_tried_with_and_without(
    written: str, also: list[str]
) -> None:
    first, *rest = name_readings(written)
    assert first != also
    assert also in rest
