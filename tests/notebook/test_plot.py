"""The picture: every fact is in it, what is overdue is ringed, and whatever a fact holds is text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from frames import BY_HAND, HOST, NOTE, store_of, three_facts

from memory_magic import MemoryMagicError, Store, frame, plot

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def no_screen() -> Iterator[None]:
    """Draw without a window, and close what a test has drawn."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


def drawn(store: Store) -> Any:
    """Give the axes of a picture that has been drawn, which is when a text is read."""
    axes = plot(store)
    axes[0].figure.savefig(BytesIO())
    return axes


def points(axes: Any) -> set[tuple[float, float]]:
    return {(round(float(x), 3), float(y)) for dots in axes.collections for x, y in dots.get_offsets()}


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_each_fact_is_where_its_confidence_and_its_days_left_put_it(tmp_path: Path) -> None:
    """What never expires stands beside, on the same scale."""
    dated, lasting, _, _ = drawn(three_facts(tmp_path))
    assert points(dated) == {(3.625, 40), (-0.125, 70)}
    assert points(lasting) == {(0, 70)}
    assert dated.get_shared_y_axes().joined(dated, lasting)


def test_what_is_overdue_is_ringed_and_the_next_to_expire_are_named(tmp_path: Path) -> None:
    """The headline counts them."""
    store = three_facts(tmp_path)
    dated = drawn(store)[0]
    rings = [dots for dots in dated.collections if not dots.get_facecolor().size]
    assert [dots.get_offsets().tolist() for dots in rings if len(dots.get_offsets())] == [[[-0.125, 70]]]
    assert {store[HOST].title, store[NOTE].title} <= set(texts(dated))
    assert dated.figure.get_suptitle() == "3 facts: 1 overdue, 1 to expire within 7 days, 1 with a confidence under 50"


def test_categories_and_sources_are_counted(tmp_path: Path) -> None:
    """Also those that only stand in the file; each category has a colour and a shape of its own."""
    store = store_of(tmp_path, BY_HAND)
    _, _, categories, sources = drawn(store)
    for axes, column in ((categories, "category"), (sources, "source")):
        counts = frame(store)[column].value_counts(sort=False)
        assert [label.get_text() for label in axes.get_yticklabels()] == list(counts.index)
        assert texts(axes) == [str(count) for count in counts]
    looks = {(tuple(dots.get_facecolor()[0]), len(dots.get_paths()[0])) for dots in categories.collections}
    assert len(looks) == 6
    assert len({shape.vertices.tobytes() for dots in categories.collections for shape in dots.get_paths()}) == 6


@pytest.mark.parametrize("count", [0, 1, 400])
def test_no_fact_one_and_many_can_be_drawn(tmp_path: Path, count: int) -> None:
    """In one figure of four axes."""
    store = store_of(tmp_path)
    with store.batch() as batch:
        for number in range(count):
            batch.remember(f"fact {number}", expires=f"{number + 1}d" if number % 2 else None, confidence=number % 101)
    axes = drawn(store)
    assert len({each.figure for each in axes}) == 1
    assert axes.shape == (4,)
    assert sum(len(dots.get_offsets()) for each in axes[:2] for dots in each.collections) == count


def test_titles_and_categories_are_text_and_no_mathematics(tmp_path: Path) -> None:
    """Dollars that do not pair, and what would be an error in mathematics, are drawn as they stand."""
    store = store_of(
        tmp_path,
        "## $x^2$ and $\\frac$\n<!-- id: m-1a2b3c · expires: 2026-12-02 · category: $\\undefined$ -->\n\n"
        "## Router password\n<!-- id: m-2a2b3c · expires: 2026-12-03 -->\nswordfish-42\n\n"
        "## the password is swordfish-42\x1b[31m\n<!-- id: m-3a2b3c · expires: 2026-12-04 -->\n",
    )
    dated, _, categories, _ = drawn(store)
    assert "$x^2$ and $\\frac$" in texts(dated)
    assert categories.get_yticklabels()[-1].get_text() == "$\\undefined$"
    assert "swordfish" not in "".join(texts(dated))


def test_memory_plot_gives_the_axes(ip: Any) -> None:
    """They are the user's to work on."""
    ip.run("%remember -e 3d likes green tea")
    assert ip.run("%memory plot")[0].get_xlabel() == "days left"


def test_without_matplotlib_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the package, not an import that failed."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MemoryMagicError, match="pip install matplotlib"):
        plot(three_facts(tmp_path))
