"""The report in a real browser: it draws, changes, sorts, is readable, and does no harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from kinspan import MultiTaskSPCA
from kinspan.answers.summary import by_need
from kinspan.report import write_report
from tests.browser.chromium import Chromium
from tests.report.models import HOSTILE, hostile_model, many_tasks, rows_of

pytestmark = pytest.mark.long
LOOKS = {"light": ("light", 1280), "dark": ("dark", 1280), "phone": ("light", 360)}
CHOOSE = """
const select = document.getElementById("task"), panels = document.getElementById("panels");
const later = () => new Promise((go) => {
  const { port1, port2 } = new MessageChannel(); port1.onmessage = go; port2.postMessage(0); });
const frame = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
const durations = [];
for (const place of arguments[0]) {
  const start = performance.now();
  select.value = String(place);
  select.dispatchEvent(new Event("change"));
  while (panels.getAttribute("aria-busy") !== "false") await later();
  await frame();
  durations.push(performance.now() - start);
}
done(durations);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def model() -> MultiTaskSPCA:
    return many_tasks(200)


@pytest.fixture(scope="module")
def big(model: MultiTaskSPCA, folder: Path) -> Path:
    write_report(model, folder / "big.html")
    return folder / "big.html"


@pytest.fixture
def page(chromium: Chromium, big: Path) -> Chromium:
    chromium.open(big)
    return chromium


def column(page: Chromium, number: int) -> list[str]:
    return texts(page, f"#task-table tbody tr > :nth-child({number + 1})")


def texts(page: Chromium, selector: str) -> list[str]:
    """Texts of elements; as JSON, since half a character cannot travel otherwise."""
    script = (
        "return JSON.stringify("
        "[...document.querySelectorAll(arguments[0])].map((e) => e.textContent))"
    )
    return [str(text) for text in json.loads(page.run(script, selector))]


def drawn(page: Chromium, figure: str) -> Any:
    """What Plotly has drawn last in a figure."""
    return page.run(
        "const { data } = document.querySelector(arguments[0] + ' .picture');"
        "return data.map(({ x, y }) => ({ x: [...x], y: [...y] }))",
        figure,
    )


def test_the_page_draws_without_complaint_and_without_network(
    chromium: Chromium, big: Path
) -> None:
    chromium.complaints()
    chromium.open(big)
    assert chromium.complaints() == []
    assert chromium.requests() == []
    for figure in ("forecast", "help", "curve", "alike", "map"):
        assert chromium.run("return !!document.querySelector(arguments[0])", f"#{figure} svg")
    asked = "fetch('https://example.org').then(() => done('went'), () => done('stayed'))"
    assert chromium.run_async(asked) == "stayed"
    assert any("Content Security Policy" in text for text in chromium.complaints())


def test_the_selector_changes_pictures_sentence_and_tables(
    page: Chromium, model: MultiTaskSPCA
) -> None:
    page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    before = {figure: drawn(page, figure) for figure in ("#help", "#curve", "#alike")}
    page.run_async(CHOOSE, [41])
    t = by_need(model)[41]
    name = str(model.tasks_[t])
    assert name in texts(page, "#chosen")[0]
    for figure, was in before.items():
        assert drawn(page, figure) != was
    _, line, now = drawn(page, "#curve")
    assert now["y"] == pytest.approx([model.forecast_error_[t]], abs=1e-5)
    assert line["y"][0] == pytest.approx(model.learning_curve(name, [0])[0], abs=1e-5)
    rows = texts(page, "#alike tbody tr")
    order = np.argsort(-np.delete(model.relatedness_[t], t), kind="stable")
    assert len(rows) == 199
    assert rows[0].startswith(str(np.delete(model.tasks_, t)[order[0]]))


def test_no_interval_and_no_ring_is_cut_off(page: Chromium, model: MultiTaskSPCA) -> None:
    """At the largest forecast, which is the first, and at the last of the forecasts."""
    axis = "return document.querySelector('#{} .picture')._fullLayout.{}axis.{}"
    page.run_async(CHOOSE, [0])
    high = model.forecast_interval_[by_need(model)[0], 1]
    assert page.run(axis.format("curve", "y", "range"))[1] >= high
    first, last = page.run(axis.format("forecast", "x", "range"))
    pixels = page.run(axis.format("forecast", "x", "_length")) / (last - first)
    assert -first * pixels > 10
    assert (last - 199) * pixels > 10


def test_the_selector_works_by_keyboard_and_finds(page: Chromium) -> None:
    from selenium.webdriver import Keys  # noqa: PLC0415
    from selenium.webdriver.common.by import By  # noqa: PLC0415

    select = page.driver.find_element(By.ID, "task")
    first = texts(page, "#chosen")[0]
    select.send_keys(Keys.ARROW_DOWN)
    page.wait()
    assert texts(page, "#chosen")[0] != first
    page.driver.find_element(By.ID, "task-filter").send_keys("store 0123")
    page.wait()
    assert page.run("return document.getElementById('task').options.length") == 1
    assert "store 0123" in texts(page, "#chosen")[0]
    page.driver.find_element(By.CSS_SELECTOR, "#task-table tbody button").send_keys(Keys.ENTER)
    page.wait()
    assert page.run("return document.activeElement.id") == "one-task-title"
    assert page.run("return document.getElementById('task').options.length") == 200


def test_the_table_sorts_finds_and_shows_all(page: Chromium, model: MultiTaskSPCA) -> None:
    from selenium.webdriver import Keys  # noqa: PLC0415
    from selenium.webdriver.common.by import By  # noqa: PLC0415

    worst = model.tasks_[by_need(model)].tolist()
    assert column(page, 0) == worst[:15]
    page.driver.find_element(By.ID, "show-all").click()
    assert column(page, 0) == worst
    for keys, order in ((Keys.ENTER, "descending"), (Keys.SPACE, "ascending")):
        page.driver.find_elements(By.CSS_SELECTOR, "#task-table thead button")[3].send_keys(keys)
        sign = 1 if order == "ascending" else -1
        alone = np.array([float(text.split("\u00a0")[0]) for text in column(page, 3)])
        assert np.all(sign * np.diff(alone) >= 0)
        sorts = "return [...document.querySelectorAll('#task-table thead th')]"
        assert page.run(f"{sorts}.map((c) => c.getAttribute('aria-sort'))")[3] == order
        assert "Sorted by Alone" in page.run(
            "return document.activeElement.closest('section').textContent"
        )
    page.driver.find_element(By.ID, "filter").send_keys("store 01")
    assert sorted(column(page, 0)) == [f"store {i:04d}" for i in range(100, 200)]


def test_pointing_at_the_map_shows_the_value(page: Chromium, model: MultiTaskSPCA) -> None:
    from selenium.webdriver import ActionChains  # noqa: PLC0415
    from selenium.webdriver.common.by import By  # noqa: PLC0415

    place = page.driver.find_element(By.CSS_SELECTOR, "#map .nsewdrag")
    page.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", place)
    ActionChains(page.driver).move_to_element_with_offset(place, 100, -50).perform()
    page.run_async("setTimeout(done, 150)")
    lines = texts(page, "#map .hoverlayer .line")
    tasks = model.tasks_.tolist()
    value = model.relatedness_[tasks.index(lines[0]), tasks.index(lines[1])]
    assert float(lines[2].replace("\u2212", "-")) == pytest.approx(value, abs=0.0051)


def test_another_task_is_drawn_in_a_fifth_of_a_second(page: Chromium) -> None:
    """With 200 tasks, from the choice to the next frame; the middle of fifteen."""
    durations = page.run_async(CHOOSE, [(37 * i) % 200 for i in range(1, 16)])
    assert np.median(durations) < 200


@pytest.mark.parametrize("look", LOOKS)
def test_everybody_can_read_it(chromium: Chromium, big: Path, screenshots: Path, look: str) -> None:
    scheme, width = LOOKS[look]
    chromium.open(big, scheme, width)
    chromium.picture(screenshots / f"report-{look}.png")
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    chromium.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert [found for found in chromium.violations() if found[0] in {"serious", "critical"}] == []
    tables = (
        "return [...document.querySelectorAll('figure')].every((f) => f.querySelector('tbody tr'))"
    )
    assert chromium.run(tables)
    brightness = np.asarray(Image.open(screenshots / f"report-{look}.png").convert("L")).mean()
    assert brightness < 80 if scheme == "dark" else brightness > 200


def test_names_are_text_and_nothing_else(chromium: Chromium, folder: Path) -> None:
    write_report(hostile_model(), folder / "hostile.html", title="<b>title</b>")
    chromium.complaints()
    chromium.open(folder / "hostile.html")
    chromium.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    chromium.run_async(CHOOSE, list(range(len(HOSTILE))))
    assert chromium.complaints() == []
    assert chromium.run("return window.hurt") is None
    foreign = "img[src], body b:not(.figures b), a[href^=http], main i, svg a, svg [style*=bold]"
    assert chromium.run("return document.querySelectorAll(arguments[0]).length", foreign) == 0
    ticks = texts(chromium, "#forecast .ytick")
    assert "<b>bold</b> & &lt;co&gt;" in ticks
    assert f"{HOSTILE[4][:27]}…" in ticks
    assert "(no name)" in ticks
    assert HOSTILE[0] in column(chromium, 0)


def test_what_is_not_known_is_said_and_not_drawn(chromium: Chromium, folder: Path) -> None:
    X, y, task = rows_of(3)
    model = MultiTaskSPCA(row_sample=0, metric=0).fit(X, np.where(task == 2, 9, y), task=task)
    write_report(model, folder / "unknown.html")
    chromium.complaints()
    chromium.open(folder / "unknown.html")
    assert column(chromium, 1)[0] == "unknown"
    assert chromium.run("return document.getElementById('curve').hidden")
    assert "too optimistic" in texts(chromium, "#method")[0]
    chromium.run_async(CHOOSE, [1, 2, 0])
    assert chromium.complaints() == []
    assert chromium.violations() == []


def test_one_task_has_no_others(chromium: Chromium, folder: Path) -> None:
    X, y, _ = rows_of(1)
    write_report(MultiTaskSPCA().fit(X, y), folder / "one.html")
    chromium.complaints()
    chromium.open(folder / "one.html")
    assert texts(chromium, "#help-text") == ["There is no other task."]
    assert chromium.run("return document.getElementById('help').hidden")
    assert chromium.complaints() == []
