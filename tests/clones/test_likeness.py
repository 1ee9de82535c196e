"""What makes two functions clones, whatever they are called and in which order they say it."""

from __future__ import annotations

import pytest

from surveyor.clones.extract import take_fingerprints
from surveyor.clones.jobs import CodeRange, Fingerprint, FingerprintJob
from surveyor.clones.likeness import likeness

ORIGINALS: dict[str, tuple[str, str, str]] = {
    # file: the function, a clone of it, and another that only looks like it
    "a.py": (
        "def slug(title, limit=80):\n"
        '    """What an address says of it."""\n'
        "    text = unidecode(title).lower()\n"
        "    text = WORDS.sub('-', text)\n"
        "    if len(text) > limit:\n"
        "        return text[:limit].rstrip('-')\n"
        "    return text.strip('-')\n",
        "def as_address(heading, most=80):\n"
        "    plain = WORDS.sub('-', unidecode(heading).lower())\n"
        "    if most >= len(plain):\n"
        "        result = plain.strip('-')\n"
        "        return result\n"
        "    return plain[:most].rstrip('-')\n",
        "def shout(title, limit=80):\n"
        "    text = ascii_fold(title).upper()\n"
        "    text = SPACES.split(text, limit)\n"
        "    if len(text) > limit:\n"
        "        raise TooLong(text)\n"
        "    return '!'.join(text)\n",
    ),
    "a.ts": (
        "export function retryAfter(response: Response): number {\n"
        "  const header = response.headers.get('Retry-After');\n"
        "  if (header === null) { return 0; }\n"
        "  const seconds = Number.parseInt(header, 10);\n"
        "  return Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;\n"
        "}\n",
        "const pause = (answer: Response): number => {\n"
        "  const said = answer.headers.get('Retry-After');\n"
        "  if (said !== null) {\n"
        "    const n = Number.parseInt(said, 10);\n"
        "    return !Number.isNaN(n) ? 1000 * n : Date.parse(said) - Date.now();\n"
        "  }\n"
        "  return 0;\n"
        "};\n",
        "export function etag(response: Response): string {\n"
        "  const header = response.headers.get('ETag');\n"
        "  if (header === null) { return ''; }\n"
        "  const weak = header.startsWith('W/');\n"
        "  return weak ? header.slice(2) : header.replaceAll('\"', '');\n"
        "}\n",
    ),
    "a.go": (
        "package p\n\nfunc Total(items []Item) (int, error) {\n\tsum := 0\n"
        "\tfor _, item := range items {\n\t\tprice, err := lookup(item.Code)\n"
        "\t\tif err != nil {\n"
        '\t\t\treturn 0, fmt.Errorf("price of %s: %w", item.Code, err)\n\t\t}\n'
        "\t\tsum += price * item.Count\n\t}\n\treturn sum, nil\n}\n",
        "package p\n\nfunc addUp(lines []Item) (int, error) {\n\tvar all int\n"
        "\tfor i := 0; i < len(lines); i++ {\n\t\tone, problem := lookup(lines[i].Code)\n"
        "\t\tif problem != nil {\n"
        '\t\t\treturn 0, fmt.Errorf("price of %s: %w", lines[i].Code, problem)\n\t\t}\n'
        "\t\tall = all + lines[i].Count*one\n\t}\n\treturn all, nil\n}\n",
        "package p\n\nfunc Names(items []Item) ([]string, error) {\n\tvar all []string\n"
        "\tfor _, item := range items {\n\t\tname, err := translate(item.Label)\n"
        "\t\tif err != nil {\n"
        '\t\t\treturn nil, fmt.Errorf("name of %s: %w", item.Label, err)\n\t\t}\n'
        "\t\tall = append(all, name)\n\t}\n\treturn all, nil\n}\n",
    ),
    "a.rb": (
        "def pairs(text)\n  text.split('&').map do |part|\n    key, value = part.split('=', 2)\n"
        "    [unescape(key), unescape(value || '')]\n  end.to_h\nend\n",
        "def fields(query)\n  found = {}\n  query.split('&').each do |one|\n"
        "    name, said = one.split('=', 2)\n    found[unescape(name)] = unescape(said || '')\n"
        "  end\n  found.to_h\nend\n",
        "def names(text)\n  text.lines.reject do |part|\n    part.start_with?('#')\n"
        "  end.sort_by { |one| one.length }\nend\n",
    ),
}


def fingerprint(path: str, text: str, *, is_part: bool = False) -> Fingerprint:
    data = text.encode()
    job = FingerprintJob(path, data, [CodeRange(1, data.count(b"\n") + 1)], is_part)
    return take_fingerprints(job)[0]


@pytest.mark.parametrize("path", ORIGINALS)
def test_a_clone_is_surer_than_what_looks_like_it(path: str) -> None:
    original, clone, other = (fingerprint(path, text) for text in ORIGINALS[path])
    alike = likeness(original, clone)
    assert alike.certainty > 0.5 > 2 * likeness(original, other).certainty
    assert likeness(original, original).certainty > alike.certainty
    assert alike.reasons


def test_names_that_a_function_binds_do_not_count_and_those_outside_do() -> None:
    path = "a.py"
    taken = fingerprint(path, ORIGINALS[path][0])
    assert {"unidecode", "WORDS", "sub", "lower", "rstrip", "strip", "len"} == set(taken.names)
    assert {"unidecode", "sub"} < set(taken.calls)
    assert taken.parameters == 2
    assert '"What an address says of it.' not in taken.literals


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.php", "public function find(string $id): ?Row {\n  return $this->rows->get($id);\n}\n"),
        ("a.java", "Row find(String id) {\n  return rows.get(id, Row.class);\n}\n"),
        ("a.ts", "async find(id: string) {\n  return await this.rows.get(id);\n}\n"),
        ("a.cs", "public Row Find(string id) {\n  return this.rows.get(id);\n}\n"),
        ("a.rs", "fn find(&self, id: &str) -> Row {\n  self.rows.get(id)\n}\n"),
    ],
)
def test_a_method_is_read_without_its_class(path: str, text: str) -> None:
    taken = fingerprint(path, text, is_part=True)
    assert "get" in taken.calls and taken.parameters == 1
    assert taken.title == ["find"]


def test_one_call_in_place_of_another_is_not_the_same() -> None:
    write = "def write(out, value):\n    out.grow(8)\n    out.put_{0}(value)\n    out.count += 1\n"
    one, same, other = (
        fingerprint("a.py", write.format(kind)) for kind in ("int", "int", "double")
    )
    assert likeness(one, same).certainty > 0.9
    assert likeness(one, other).features["apart"] > 0
    assert likeness(one, other).certainty < likeness(one, same).certainty - 0.2


def test_what_no_grammar_reads_has_no_fingerprint() -> None:
    assert fingerprint("a.txt", "some prose") == Fingerprint()


def test_a_function_of_one_line_is_read_whole() -> None:
    lines = "const zero = 0;\nconst isMinus = (n) => n === 0 && 1 / n === -Infinity;\n"
    (taken,) = take_fingerprints(FingerprintJob("a.ts", lines.encode(), [CodeRange(2, 2)]))
    assert set(taken.literals) == {"0", "1"} and taken.title == ["is", "minus"]
