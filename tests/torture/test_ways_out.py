"""Models of extreme numbers are saved, exported, shown and asked like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import ClassMoments, MultiTaskSPCA, Statistics
from tests.torture.worlds import related

SIZES = {
    "tiny": np.full(6, 1e-150),
    "huge": np.full(6, 1e150),
    "mixed": 10.0 ** np.array([-150, 150, -75, 75, 0, 12]),
}


@pytest.fixture(
    params=["mixed", *(pytest.param(name, marks=pytest.mark.long) for name in ("tiny", "huge"))]
)
def rows(request: pytest.FixtureRequest) -> tuple[Any, Any, Any]:
    X, y, task = related(0)
    return X * SIZES[request.param], y, task


def fitted(rows: tuple[Any, Any, Any]) -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(rows[0], rows[1], task=rows[2])


def test_files_keep_every_bit(rows: tuple[Any, Any, Any], tmp_path: Path) -> None:
    model = fitted(rows)
    kinspan.save(model, tmp_path / "model.kinspan")
    again = kinspan.load(tmp_path / "model.kinspan")
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    np.testing.assert_array_equal(again.moments_.squares, model.moments_.squares)
    assert model.sample_ is not None
    np.testing.assert_array_equal(again.sample_.rows, model.sample_.rows)


@pytest.mark.parametrize("value", [5e-324, 1e-310, 1.7e308, -0.0, 1e150])
def test_bytes_keep_every_bit_of_moments(value: float) -> None:
    moments = ClassMoments.from_samples([[value], [value]], [0, 1])
    again = ClassMoments.from_bytes(moments.to_bytes())
    assert again.means.tobytes() == moments.means.tobytes()
    statistics = Statistics.from_samples([[value], [value]], [0, 1])
    kept = Statistics.from_bytes(statistics.to_bytes()).sample
    assert kept is not None
    assert statistics.sample is not None
    assert kept.rows.tobytes() == statistics.sample.rows.tobytes()


def test_the_graph_answers_as_the_model_does(rows: tuple[Any, Any, Any]) -> None:
    pytest.importorskip("onnxruntime")
    from kinspan.export import to_onnx  # noqa: PLC0415
    from tests.onnx_sessions import answers_of  # noqa: PLC0415

    X, _, task = rows
    model = fitted(rows)
    label, probabilities = answers_of(to_onnx(model), X, task)
    np.testing.assert_array_equal(label, model.predict(X, task=task))
    np.testing.assert_allclose(probabilities, model.predict_proba(X, task=task), atol=1e-12)


def test_the_command_line_fits_and_predicts(rows: tuple[Any, Any, Any], tmp_path: Path) -> None:
    """A table of text has all digits."""
    pytest.importorskip("typer")
    from tests.cli.running import succeed  # noqa: PLC0415

    X, y, task = rows
    names = [f"x{j}" for j in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(site=task, ill=np.array(["no", "yes"])[y])
    path, out = tmp_path / "rows.csv", tmp_path / "model.kinspan"
    table.to_csv(path, index=False)
    succeed("fit", path, "--task", "site", "--label", "ill", "--out", out)
    here, there = fitted(rows), kinspan.load(out)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9)
    succeed("predict", out, path, "--out", tmp_path / "answers.csv")
    answers = pd.read_csv(tmp_path / "answers.csv")
    assert len(answers) == len(X)


def test_answers_and_reports_have_no_trouble(rows: tuple[Any, Any, Any], tmp_path: Path) -> None:
    from kinspan.report import write_report  # noqa: PLC0415

    model = fitted(rows)
    assert np.isfinite(model.learning_curve(0, [0, 10, 100])).all()
    assert model._repr_html_()
    write_report(model, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "NaN" not in text.split("<script")[0]


def test_pictures_have_no_trouble(rows: tuple[Any, Any, Any]) -> None:
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    from kinspan import displays  # noqa: PLC0415

    plt.close("all")
    model = fitted(rows)
    for kind in (displays.ForecastDisplay, displays.RelatednessDisplay, displays.SpectrumDisplay):
        kind.from_estimator(model)
    displays.TransferDisplay.from_estimator(model, 0)
    displays.LearningCurveForecastDisplay.from_estimator(model, [0, 3])
    X, y = (part[rows[2] == 1] for part in rows[:2])
    displays.ScoreDistributionDisplay.from_estimator(model, X, y, task=1)
    assert len(plt.get_fignums()) == 6
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
