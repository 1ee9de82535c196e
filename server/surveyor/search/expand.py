"""Query expansion for the sparse side: more words than were typed. Off unless configured.

Two ways, both pure. `synonyms` adds the abbreviations that programmers write for the query's words
(and the words for the abbreviations). `feedback` adds the words that the first results have in
common, as in relevance models (Lavrenko and Croft, "Relevance-Based Language Models", 2001) with
the query kept (RM3, Abdul-Jaleel et al., "UMass at TREC 2004", 2004); the store's IDF weighs them.
docs/retrieval.md says what each gains and costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from surveyor.embedding.sparse import token_id
from surveyor.embedding.tokens import STOP_WORDS, raw_words, stem, terms
from surveyor.search.query import Query
from surveyor.store.vectors.contract import Sparse

__all__ = ["FEEDBACK_CHUNKS", "feedback", "joined", "synonyms"]

FEEDBACK_CHUNKS = 5
"""First results whose words are taken as relevant."""

FEEDBACK_TERMS = 12
"""Words that feedback adds at most."""

FEEDBACK_WEIGHT = 0.3
"""What a word that all first results say counts beside a typed one."""

SYNONYM_WEIGHT = 0.3
"""What an added synonym counts beside a typed word."""

LEAST_LETTERS = 3
"""Letters of a word that feedback adds."""

_SAME = """
authentication authenticate auth login
authorization authorize auth permission
configuration config configure settings options
initialize init setup bootstrap
parameter param argument arg
message msg
request req
response resp res reply
context ctx
error err exception failure
function func fn callback
string str text
number num count
integer int
boolean bool flag
character char
directory dir folder
file path
environment env
variable var
database db
connection conn socket
command cmd
execute exec run
address addr
buffer buf
length len size
maximum max limit
minimum min
temporary temp tmp
previous prev
current cur
source src
destination dest dst target
reference ref
attribute attr property prop
element elem
document doc
specification spec
implementation impl
synchronize sync
asynchronous async
generate gen create build
delete remove drop
find search lookup query
cache memoize
parse decode deserialize unmarshal
serialize encode marshal dump
validate check verify
middleware handler interceptor hook
route endpoint url
template view render
websocket ws
timeout deadline expire
retry backoff
compress gzip deflate
encrypt cipher
hash digest checksum
log logger logging
thread worker
event signal emit
subscribe listen watch observe
parent super base
"""

_SYNONYMS: dict[str, frozenset[str]] = {}
for _line in _SAME.split("\n"):
    _stems = {stem(word) for word in _line.split()}
    for _stem in _stems:
        _SYNONYMS[_stem] = _SYNONYMS.get(_stem, frozenset()) | (_stems - {_stem})


def synonyms(query: Query) -> dict[str, float]:
    """Terms that mean what the query's words mean, with their weights; typed ones left out."""
    typed = set(query.words)
    added = {
        other for word in query.words for other in _SYNONYMS.get(word, ()) if other not in typed
    }
    return dict.fromkeys(sorted(added), SYNONYM_WEIGHT)


def feedback(query: Query, texts: Sequence[str]) -> dict[str, float]:
    """Terms that most of the first results' texts say, with their weights."""
    if len(texts) < 2:
        return {}
    typed = set(query.words)
    holding: Counter[str] = Counter()
    often: Counter[str] = Counter()
    for text in texts:
        counts = Counter(
            term
            for word in raw_words(text)
            for term in terms(word)
            if len(term) >= LEAST_LETTERS
            and term not in typed
            and term not in STOP_WORDS
            and not term.isdigit()
        )
        holding.update(counts.keys())
        often.update(counts)
    shared = [term for term, texts_ in holding.items() if texts_ > 1]
    shared.sort(key=lambda term: (-holding[term], -often[term], term))
    return {term: FEEDBACK_WEIGHT * holding[term] / len(texts) for term in shared[:FEEDBACK_TERMS]}


def joined(sparse: Sparse, added: dict[str, float]) -> Sparse:
    """A query's vector with more terms; what was typed keeps its weight."""
    weights = {token_id(term): weight for term, weight in added.items()}
    weights.update(zip(sparse.indices, sparse.values, strict=True))
    tokens = sorted(weights)
    return Sparse(tuple(tokens), tuple(weights[token] for token in tokens))
