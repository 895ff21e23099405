"""The facts as a DataFrame: the dtypes are the same for any facts, and what is in the file never raises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memory_magic.errors import UnknownActionError
from memory_magic.fact import CATEGORIES, SOURCES, Fact, masked, status
from memory_magic.showing import visible
from memory_magic.store import Store

if TYPE_CHECKING:
    import pandas as pd

    from memory_magic.notebook.dataframes import Facts

STATUSES = ("expired", "expiring", "low", "active")
VERSIONS = "memory_magic_versions"

_TEXTS = ("id", "title", "key", "category", "body", "source", "context", "scope")
_texts = attrgetter(*_TEXTS)


@contextmanager
def installed(package: str) -> Iterator[None]:
    """Say what to install where an import fails: UnknownActionError."""
    try:
        yield
    except ImportError as error:
        raise UnknownActionError(f"This needs {package}; install it with: pip install {package}") from error


def shown(facts: Iterable[Fact]) -> list[Fact]:
    """Give facts as a frame shows them: credentials masked, control characters spelled out."""
    found = [masked(fact) for fact in facts]
    everything = "\n".join([text for fact in found for text in _texts(fact) if text])
    if visible(everything) == everything:
        return found
    return [_spelled_out(fact) for fact in found]


def _spelled_out(fact: Fact) -> Fact:
    texts: dict[str, Any] = {name: text and visible(text) for name, text in zip(_TEXTS, _texts(fact), strict=True)}
    return replace(fact, **texts)


def frame(store: Store | None = None) -> Facts:
    """Give all facts, the newest first, as a DataFrame with the index ``id``; without a store, the user's own.

    The columns, in this order: ``title``, ``key`` (missing for none), ``category``, ``body``, ``confidence`` (Int8),
    ``status`` (ordered: expired < expiring < low < active), ``expires`` (the instant; missing for never),
    ``days_left`` (Float64, negative once it has expired; missing for never), ``source``, ``context``, ``scope``,
    ``created``, ``updated``, ``confirmed`` (missing where unknown), ``version`` (what the row was made from, which
    ``apply_frame`` compares). Texts are ``string``; category and source are categories of all that are allowed, and,
    at the end, of others that stand in the file; times are ``datetime64[us, UTC]``. Credentials are masked.

    Raises UnreadableError, and UnknownActionError where pandas is not installed.
    """
    with installed("pandas"):
        import numpy as np
        import pandas as pd

        from memory_magic.notebook.dataframes import Facts
    store = store or Store()
    facts, now = shown(store.facts()), store.now()
    expires = _times([fact.expires_at for fact in facts])
    columns: dict[str, Any] = {
        "title": _text([fact.title for fact in facts]),
        "key": _text([fact.key for fact in facts]),
        "category": _category([fact.category for fact in facts], CATEGORIES),
        "body": _text([fact.body for fact in facts]),
        "confidence": pd.array([fact.confidence for fact in facts], dtype="Int8"),
        "status": pd.Categorical([status(fact, now) for fact in facts], categories=STATUSES, ordered=True),
        "expires": expires,
        "days_left": pd.array(np.asarray((expires - now) / pd.Timedelta(days=1)), dtype="Float64"),
        "source": _category([fact.source for fact in facts], SOURCES),
        "context": _text([fact.context for fact in facts]),
        "scope": _text([fact.scope for fact in facts]),
        "created": _times([fact.created for fact in facts]),
        "updated": _times([fact.updated for fact in facts]),
        "confirmed": _times([fact.confirmed for fact in facts]),
        "version": _text([fact.version for fact in facts]),
    }
    ids = [fact.id for fact in facts]
    made = Facts(columns, index=pd.Index(ids, dtype="string", name="id"))
    # A text, since pandas copies what is in here at each step. It tells a fact that the user dropped from one that has
    # come into the file since.
    made.attrs[VERSIONS] = "\n".join([f"{fact.id} {fact.version}" for fact in facts])
    return made


def _text(values: Sequence[str | None]) -> Any:
    import pandas as pd

    return pd.array(values, dtype="string")


def _category(values: list[str], known: Sequence[str]) -> Any:
    import pandas as pd

    return pd.Categorical(values, categories=[*known, *sorted(set(values) - set(known))])


def _times(moments: Sequence[datetime | None]) -> pd.DatetimeIndex:
    """Give aware UTC instants; through seconds, since NumPy takes ten times as long for the datetimes themselves."""
    import numpy as np
    import pandas as pd

    nothing = np.iinfo(np.int64).min
    seconds = [nothing if moment is None else int(moment.timestamp()) for moment in moments]
    return pd.DatetimeIndex(np.array(seconds, dtype="int64").astype("M8[s]").astype("M8[us]"), tz="UTC")
