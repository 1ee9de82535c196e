"""Which files a change of names that only imports bring is resolved again for."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.facts import decode_blobs, decode_facts
from surveyor.graph.outlines import IS_CALLED, IS_IMPORTED, IS_MEMBER, outline_of
from surveyor.graph.resolve.certainty import MAX_CANDIDATES
from tests.graph.support import Checkout

MANY = MAX_CANDIDATES + 1


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


def resolved(checkout: Checkout) -> set[str]:
    return {path for job in checkout.jobs if job.kind == "resolve" for path in job.paths}


def entity(name: str, *fields: str) -> str:
    return f"export class {name} {{ {' '.join(f'{each}: number;' for each in fields)} }}\n"


USER = (
    'import {{ {0} }} from "./{1}"\nexport function show(x) {{ return x.size + new {0}().size }}\n'
)
LIBRARY = {
    **{f"src/e{n}.ts": entity(f"Entity{n}", "size") for n in range(2)},
    **{f"src/u{n}.ts": USER.format(f"Entity{n}", f"e{n}") for n in range(2)},
}


async def test_a_new_member_in_a_test_concerns_nobody_who_does_not_import_it(
    checkout: Checkout,
) -> None:
    await checkout.write(LIBRARY)
    checkout.jobs.clear()
    await checkout.write({"test/own.test.ts": entity("Own", "size")})
    assert resolved(checkout) == {"test/own.test.ts"}
    await checkout.write({"test/use.test.ts": 'import { Own } from "./own.test"\nnew Own().size\n'})
    checkout.jobs.clear()
    await checkout.write({"test/own.test.ts": "export class Own { size(): void {} }\n"})
    assert resolved(checkout) == {"test/own.test.ts", "test/use.test.ts"}


async def test_through_another_file_is_imported_too(checkout: Checkout) -> None:
    await checkout.write(
        {
            **LIBRARY,
            "test/own.ts": entity("Own", "size"),
            "test/make.ts": 'import { Own } from "./own"\nexport const make = () => new Own()\n',
            "test/use.test.ts": 'import { make } from "./make"\nmake().size\n',
        }
    )
    checkout.jobs.clear()
    await checkout.write({"test/own.ts": "export class Own { }\n"})
    assert resolved(checkout) == {"test/own.ts", "test/use.test.ts"}


async def test_a_guess_that_comes_out_otherwise_is_made_again(checkout: Checkout) -> None:
    """What code has two of is one of three for who does not know the receiver."""
    await checkout.write(LIBRARY)
    checkout.jobs.clear()
    await checkout.write({"src/own.ts": entity("Own", "size")})
    assert resolved(checkout) == {"src/own.ts", "src/u0.ts", "src/u1.ts"}
    await checkout.write({f"src/n{n}.ts": entity(f"N{n}", "size") for n in range(MANY)})
    checkout.jobs.clear()
    await checkout.write({"src/more.ts": entity("More", "size")})
    assert resolved(checkout) == {"src/more.ts"}


async def test_members_of_heirs_reach_who_uses_the_base(checkout: Checkout) -> None:
    files = {
        "src/base.ts": "export class Base { run() { this.size } }\n",
        "src/use.ts": 'import { Base } from "./base"\nexport const f = (b: Base) => b.size\n',
        **{f"test/n{n}.test.ts": entity(f"N{n}", "size") for n in range(MANY)},
        **LIBRARY,
    }
    heir = 'import {{ Base }} from "../src/base"\nexport class Heir extends Base {{ {} }}\n'
    await checkout.write({**files, "src/heir.ts": heir.format("")})
    checkout.jobs.clear()
    await checkout.write({"src/heir.ts": heir.format("size = 1")})
    assert {"src/base.ts", "src/use.ts"} <= resolved(checkout)
    assert ("src/base.ts", 1, "Base.run", "src/heir.ts", "Heir.size") in await checkout.edges(0)


@pytest.mark.parametrize(
    ("text", "name", "marks"),
    [
        ("export class Box { size = 1 }", "size", IS_IMPORTED | IS_MEMBER),
        ("export class Box { size() {} }", "size", IS_IMPORTED | IS_MEMBER | IS_CALLED),
        ("export function size() {}", "size", IS_IMPORTED | IS_CALLED),
        ("export class Box extends Other { size = 1 }", "size", IS_MEMBER),
        ("namespace JSX { interface IntrinsicElements { size: number } }", "size", IS_MEMBER),
        ("it('x', () => { const box = { size: 1 }; use(box) })", "size", IS_IMPORTED | IS_MEMBER),
        (
            "import { Box } from './box'\nBox.prototype.size = function () {}",
            "size",
            IS_MEMBER | IS_CALLED,
        ),
    ],
)  # fmt: skip
def test_what_others_may_mean_without_an_import_is_marked_so(
    text: str, name: str, marks: int
) -> None:
    facts = decode_facts(decode_blobs(parse_with_graph("box.ts", text.encode()).graph).facts)
    assert outline_of(facts)[name] >> 32 << 32 == marks


PIECES = [
    "export class {A} {{ {m}: number; {n}() {{ return 1 }} }}",
    "export class {A} extends {B} {{ {m}() {{ this.{n}; super.{m}() }} }}",
    "export interface {A} {{ {m}: number; {n}(): void }}",
    "export function {m}(x: {A}, y) {{ x.{n}; y.{m}(); return new {A}() }}",
    "export const {m} = {{ {n}: 1, {m}: () => {m}() }}",
    "function {n}(y) {{ y.{m}; y.{n}() }}",
    "it('x', () => {{ class {A} {{ {m} = 1 }} const {n} = {{ {m}: 2 }}; {n}.{m}; new {A}().{m} }})",
    "{A}.prototype.{m} = function () {{ return this.{n} }}",
    "export default function (y) {{ return y.{m}.{n}() }}",
]
PATHS = ["src/index.ts", *(f"src/f{n}.ts" for n in range(5))]
PATHS += [f"test/t{n}.test.ts" for n in range(4)]
TYPES, MEMBERS = ["Box", "Car", "Dog"], ["size", "run", "name"]


def a_file(chance: random.Random, path: str) -> str:
    lines = []
    folder = path.rpartition("/")[0]
    for other in chance.sample(PATHS, 2):
        stem = other.removesuffix(".ts")
        where = f"./{stem.rpartition('/')[2]}" if other.startswith(folder) else f"../{stem}"
        names = ", ".join(chance.sample([*TYPES, *MEMBERS], 2))
        forms = (f"import {{ {names} }}", "export *", f"import * as {chance.choice(MEMBERS)}")
        lines.append(f'{chance.choice(forms)} from "{where}"')
    for _ in range(chance.randint(0, 3)):
        a, b = chance.sample(TYPES, 2)
        m, n = chance.sample(MEMBERS, 2)
        lines.append(chance.choice(PIECES).format(A=a, B=b, m=m, n=n))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(3))
async def test_edits_end_where_a_fresh_build_does(
    checkout: Checkout, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    fillers = {
        f"{at}/filler{n}.ts": f"export class F{n} {{ size = 1; run() {{}} }}\n"
        for at, count in (("src", chance.choice([0, 1, MANY])), ("test", chance.choice([0, MANY])))
        for n in range(count)
    }
    now = {**fillers, **{path: a_file(chance, path) for path in PATHS}}
    await checkout.write(now)
    for _ in range(6):
        change = {path: a_file(chance, path) for path in chance.sample(PATHS, chance.randint(1, 2))}
        now.update(change)
        await checkout.write(change)
        if chance.random() < 0.3:
            gone = chance.choice([path for path in PATHS if path in now])
            del now[gone]
            await checkout.remove(gone)
    fresh = await Checkout.open(tmp_path / "fresh")
    await fresh.write(now)
    assert await checkout.edges(0) == await fresh.edges(0)
    await fresh.close()
