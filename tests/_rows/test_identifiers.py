"""Ids are looked up alike, whether by a dictionary or by a search."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kinspan._rows import identifiers


@pytest.mark.parametrize("seed", range(3))
def test_few_values_are_found_as_many_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    letters = np.array(list("aäbß\U0001f600zZ0 "))
    texts = ["".join(rng.choice(letters, rng.integers(0, 6))) for _ in range(3000)]
    ids = identifiers.encode(np.array(texts))[0]
    sought = [*texts[:5], "", "aaaaaaaaaaaa", "zz", texts[7] + "a", "\U0001f600"]
    position = {text: code for code, text in enumerate(ids.tolist())}
    for values in (sought[:3], sought, sought[5:]):
        found = identifiers.lookup(ids, np.array(values))
        assert found.tolist() == [position.get(value, -1) for value in values]
    many = np.array(sought * 300)
    assert identifiers.lookup(ids, many).tolist() == [position.get(v, -1) for v in many.tolist()]


@pytest.mark.parametrize("text", [str, np.str_])
def test_text_that_ends_in_null_characters_stays_apart(text: type) -> None:
    """Arrays of text drop them, which would make one id of two."""
    given = [text(name) for name in ("a\0", "a", "b", "a\0")]
    ids, codes = identifiers.encode(identifiers.as_array(given))
    assert ids.tolist() == ["a", "a\0", "b"]
    assert codes.tolist() == [1, 0, 2, 1]
    stored = json.loads(json.dumps(identifiers.to_json(ids)))
    assert identifiers.from_json(stored).tolist() == ids.tolist()
