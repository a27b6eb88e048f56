"""The page as a file: one, the same every time, and nothing in it runs that is not ours."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import NotFittedError

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.report import write_report
from kinspan.report.page import page
from tests.report.models import HOSTILE, hostile_model, many_tasks, rows_of


class Reader(HTMLParser):
    """Tags, attributes, and the texts of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def model() -> MultiTaskSPCA:
    X, y, task = rows_of()
    return MultiTaskSPCA().fit(X, y, task=task)


def written(model: Any, folder: Path, **options: Any) -> str:
    write_report(model, folder / "report.html", **options)
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_data_of_the_page_are_the_contents(model: MultiTaskSPCA, tmp_path: Path) -> None:
    read = Reader(written(model, tmp_path, title="Ours & theirs"))
    data = json.loads(read.scripts[0])
    assert data["title"] == "Ours & theirs"
    assert sorted(row["name"] for row in data["tasks"]) == ["0", "1", "2", "3"]
    assert data["help"]["exact"]
    assert not json.loads(Reader(written(model, tmp_path, leave_out=False)).scripts[0])["help"][
        "exact"
    ]


def test_the_page_is_the_same_every_time(model: MultiTaskSPCA, tmp_path: Path) -> None:
    first = written(model, tmp_path)
    assert written(model, tmp_path) == first
    kinspan.save(model, tmp_path / "model.kinspan")
    assert written(kinspan.load(tmp_path / "model.kinspan"), tmp_path) == first


def test_the_page_asks_for_nothing(model: MultiTaskSPCA, tmp_path: Path) -> None:
    read = Reader(written(model, tmp_path))
    addresses = [v for _, name, v in read.attributes if name in {"src", "href", "action", "data"}]
    assert all(address is not None for address in addresses)
    assert all(str(address).startswith(("#", "data:")) for address in addresses)
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]


def test_only_the_scripts_whose_digests_are_named_may_run(
    model: MultiTaskSPCA, tmp_path: Path
) -> None:
    read = Reader(written(model, tmp_path))
    (policy,) = [v for tag, name, v in read.attributes if tag == "meta" and name == "content"][:1]
    assert "default-src 'none'" in str(policy)
    assert "script-src 'unsafe-inline'" not in str(policy)
    allowed = set(re.findall(r"'sha256-([^']+)'", str(policy)))
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in read.scripts
    ]
    assert set(digests[1:]) == allowed
    assert len(read.scripts) == 3


def test_hostile_names_become_no_markup(model: MultiTaskSPCA, tmp_path: Path) -> None:
    text = written(hostile_model(), tmp_path, title='<img src=x onerror="window.hurt=1">')
    hostile, plain = Reader(text), Reader(written(model, tmp_path))
    assert hostile.tags == plain.tags
    data = json.loads(hostile.scripts[0])
    assert {row["name"] for row in data["tasks"]} == set(HOSTILE)
    assert data["about"]["classes"] == ["</script>", "<i>yes</i>"]
    assert [d["features"] for d in data["doubts"] if d["features"]] == [["</style>"]]
    assert "<" not in hostile.scripts[0]


def test_a_library_that_ends_its_script_does_not_end_ours() -> None:
    text = page({"title": "t"}, 'const a = "</script>", b = "<!--";').decode()
    read = Reader(text)
    assert len(read.scripts) == 3
    assert read.scripts[2] == 'const a = "<\\/script>", b = "<\\!--";'


def test_many_tasks_are_not_left_out_unless_asked(tmp_path: Path) -> None:
    data = json.loads(Reader(written(many_tasks(60), tmp_path)).scripts[0])
    assert not data["help"]["exact"]
    assert len(data["related"]["order"]) == 60
    assert len(data["tasks"]) == 60


def test_what_cannot_be_reported_is_refused(model: MultiTaskSPCA, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    with pytest.raises(
        TypeError, match="model is of type ClassMoments; pass a fitted MultiTaskSPCA"
    ):
        write_report(model.moments_, path)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        write_report(MultiTaskSPCA(), path)
    with pytest.raises(ValueError, match="title=' '; use a text, or None"):
        write_report(model, path, title=" ")
    assert not path.exists()


def test_without_plotly_the_way_to_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(ImportError, match=r"pip install 'kinspan\[report\]'"):
        write_report(MultiTaskSPCA().fit([[0.0], [1.0]], [0, 1]), "never.html")
