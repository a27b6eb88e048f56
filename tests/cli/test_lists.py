"""Lists in one argument: what is printed is what a shell and the program read."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinspan.cli.lists import as_argument, listed

CELLS = st.text("ab ,\"'$?-ö\\", min_size=1).filter(lambda text: text.strip())


@settings(max_examples=100)
@given(st.lists(CELLS, min_size=1, max_size=4))
def test_a_shell_reads_what_was_meant(names: list[str]) -> None:
    (argument,) = shlex.split(as_argument(names))
    assert listed([argument]) == tuple(names)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("age, visits ,", ("age", "visits")),
        ('weird "q" name,b', ('weird "q" name', "b")),
        ('"a, ""b""" , c', ('a, "b"', "c")),
        ('"open, c', ('"open', "c")),
        (" ,", ()),
    ],
)
def test_names_are_separated_by_commas(given: str, names: tuple[str, ...]) -> None:
    assert listed([given]) == names
    assert listed(["first", given]) == ("first", *names)
