"""One picture of the memory: how sure the facts are, what is about to go stale, and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memory_magic.fact import CATEGORIES
from memory_magic.notebook.frame import frame, installed
from memory_magic.showing import shown_line
from memory_magic.store import Store

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which colour-blind eyes tell apart, each with a shape of its own for print in grey.
_LOOKS = dict(
    zip(
        CATEGORIES,
        [("#0072B2", "o"), ("#E69F00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#56B4E9", "v")],
        strict=True,
    )
)
_GREY, _OVERDUE = "#7F7F7F", "#D55E00"
_RING: dict[str, Any] = {"facecolors": "none", "edgecolors": _OVERDUE, "linewidths": 1.6, "zorder": 2}
_MANY, _NAMED, _TITLE_CHARS = 300, 5, 32
_TICKS = (-365, -30, -7, 0, 7, 30, 90, 365, 3650, 36500)


def plot(store: Store | None = None) -> np.ndarray[Any, Any]:
    """Draw all facts in one figure, and give its four Axes as an array; without a store, the user's own.

    They are: confidence against the days left, a shape and colour for each category, with what is overdue ringed and
    what ends soonest named, unless there are hundreds; beside it, on the same scale of confidence, the facts that never
    expire; how many facts each category has; and how many each source. Raises UnreadableError, and UnknownActionError
    where pandas or matplotlib is not installed.
    """
    facts = frame(store)
    with installed("matplotlib"):
        import matplotlib.pyplot as plt
        import numpy as np
    with plt.rc_context({"text.usetex": False, "axes.spines.top": False, "axes.spines.right": False}):
        figure = plt.figure(figsize=(11.5, 5.2), layout="constrained")
        grid = figure.add_gridspec(2, 3, width_ratios=(5, 1.3, 2.4))
        dated = figure.add_subplot(grid[:, 0])
        lasting = figure.add_subplot(grid[:, 1], sharey=dated)
        categories, sources = figure.add_subplot(grid[0, 2]), figure.add_subplot(grid[1, 2])
        _draw_dated(dated, facts[facts["expires"].notna()])
        _draw_lasting(lasting, facts[facts["expires"].isna()])
        _draw_counts(categories, facts["category"], "By category", _look)
        _draw_counts(sources, facts["source"], "By source", lambda _: (_GREY, "o"))
        figure.suptitle(_headline(facts), x=0.01, ha="left", fontweight="bold")
    return np.array([dated, lasting, categories, sources], dtype=object)


def _headline(facts: pd.DataFrame) -> str:
    count, overdue = len(facts), int((facts["status"] == "expired").sum())
    soon, guessed = int((facts["status"] == "expiring").sum()), int((facts["confidence"] < 50).sum())
    held = "1 fact" if count == 1 else f"{count:,} facts"
    return f"{held}: {overdue:,} overdue, {soon:,} to expire within 7 days, {guessed:,} with a confidence under 50"


def _draw_dated(axes: Axes, facts: pd.DataFrame) -> None:
    """Draw confidence against days left; near today the days are as wide as they are, far from it they shrink."""
    days = facts["days_left"].astype(float)
    axes.set_xscale("symlog", linthresh=7, linscale=1.2)
    left, right = min(-7.0, days.min() * 1.4), max(90.0, days.max() * 1.6)  # NaN, of no facts, is neither
    axes.axvspan(left, 0, color=_OVERDUE, alpha=0.10, linewidth=0)
    axes.axvspan(0, 7, color="#F0E442", alpha=0.18, linewidth=0)
    axes.axvline(0, color=_OVERDUE, linewidth=1)
    axes.axhline(50, color=_GREY, linewidth=0.8, linestyle=":")
    overdue = facts[facts["status"] == "expired"]
    size = 50 if len(facts) > _MANY else 170
    axes.scatter(overdue["days_left"].astype(float), overdue["confidence"].astype(float), size, **_RING)
    _scatter(axes, facts.assign(across=days))
    if len(facts) <= _MANY:
        by_end = facts.sort_values("expires", kind="stable")
        _name(axes, by_end[by_end["status"] == "expiring"].head(_NAMED))
        _name(axes, by_end[by_end["status"] == "expired"].tail(_NAMED))
    ticks = [day for day in _TICKS if left <= day <= right]
    axes.set_xticks(ticks, [f"{day // 365} y" if abs(day) >= 365 else str(day) for day in ticks])
    axes.minorticks_off()
    axes.set(xlim=(left, right), ylim=(-5, 114), xlabel="days left", ylabel="confidence in %")
    for at, words, side in ((-0.2, "overdue ", "right"), (0.2, "within 7 days", "left"), (7.5, "later", "left")):
        axes.text(at, 112, words, ha=side, va="top", fontsize="small", alpha=0.8)
    if facts.empty:
        axes.text(0.5, 0.5, "No fact has an expiry", ha="center", transform=axes.transAxes)


def _draw_lasting(axes: Axes, facts: pd.DataFrame) -> None:
    """Draw confidence of what never expires; facts of the same confidence stand side by side."""
    same = facts.groupby("confidence")["confidence"]
    place, count = same.cumcount().astype(float), same.transform("size").astype(float)
    step = (2 / count).clip(upper=0.25)
    _scatter(axes, facts.assign(across=(place - (count - 1) / 2) * step))
    axes.axhline(50, color=_GREY, linewidth=0.8, linestyle=":")
    axes.set(xlim=(-1.3, 1.3), xlabel="1 fact" if len(facts) == 1 else f"{len(facts):,} facts", ylabel="")
    axes.set_xticks([0], ["never expires"])
    axes.tick_params(left=False, labelleft=False, bottom=False)
    axes.spines["left"].set_visible(False)


def _scatter(axes: Axes, facts: pd.DataFrame) -> None:
    """Draw the facts at ``across`` and their confidence, each category with its look."""
    many = len(facts) > _MANY
    for name, group in facts.astype({"confidence": float}).groupby("category", observed=True):
        colour, shape = _look(str(name))
        look: dict[str, Any] = {
            "color": colour,
            "marker": shape,
            "s": 18 if many else 52,
            "alpha": 0.6 if many else 0.9,
        }
        group.plot.scatter("across", "confidence", ax=axes, edgecolors="white", linewidths=0.4, zorder=3, **look)


def _name(axes: Axes, facts: pd.DataFrame) -> None:
    """Write titles above their points, from below, and so far apart that they can be read."""
    from matplotlib.patheffects import withStroke

    halo = withStroke(linewidth=2.5, foreground=axes.get_facecolor())
    height = 0.0
    for _, fact in facts.sort_values("confidence", kind="stable").iterrows():
        days, confidence = float(fact["days_left"]), float(fact["confidence"])
        height = max(height + 4, confidence + 2)
        axes.annotate(
            shown_line(fact["title"], _TITLE_CHARS),
            (days, confidence),
            xytext=(6, (height - confidence) * 2.5),
            textcoords="offset points",
            fontsize="small",
            arrowprops={"arrowstyle": "-", "color": _GREY, "linewidth": 0.6} if height > confidence + 2 else None,
            path_effects=[halo],
            parse_math=False,  # a title is text, whatever it holds
        )


def _draw_counts(axes: Axes, column: pd.Series[Any], title: str, look: Callable[[str], tuple[str, str]]) -> None:
    """Draw how many facts each value has, the values in their own order."""
    counts = column.value_counts(sort=False)
    names = [str(name) for name in counts.index]
    looks = [look(name) for name in names]
    counts.plot.barh(ax=axes, color=[colour for colour, _ in looks], width=0.2, xlabel="", ylabel="")
    for place, (count, (colour, shape)) in enumerate(zip(counts, looks, strict=True)):
        axes.scatter(count, place, 52, color=colour, marker=shape, zorder=3, clip_on=False)
        axes.annotate(f"{count:,}", (count, place), (8, 0), textcoords="offset points", va="center")
    # A name is text, whatever it holds.
    axes.set_yticks(range(len(names)), [shown_line(name, 24) for name in names], parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, max(counts.max() * 1.2, 1))
    axes.set_title(title, loc="left", fontsize="medium", pad=10)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)


def _look(category: str) -> tuple[str, str]:
    return _LOOKS.get(category, (_GREY, "P"))
