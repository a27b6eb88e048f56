"""Debian's Chromium without a window, driven by its own driver; nothing is downloaded."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path
from typing import Any

DRIVER, BROWSER = "chromedriver", "chromium"
AXE = Path(__file__).parents[2] / ".browser" / "node_modules" / "axe-core" / "axe.min.js"
_QUIETLY = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
_DRAWN = "return document.getElementById('panels').getAttribute('aria-busy') === 'false'"


def missing() -> list[str]:
    """What `make browser` would install."""
    lacking = [name for name in (BROWSER, DRIVER) if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401, PLC0415
    except ImportError:
        lacking.append("selenium")
    return lacking + ([] if AXE.exists() else ["axe-core"])


class Chromium:
    """One browser."""

    def __init__(self, profile: Path) -> None:
        from selenium.webdriver import Chrome, ChromeOptions, ChromeService  # noqa: PLC0415

        options = ChromeOptions()
        options.binary_location = str(shutil.which(BROWSER))
        for argument in (*_QUIETLY, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver: Any = Chrome(options, ChromeService(shutil.which(DRIVER)))
        self.driver.set_script_timeout(60)

    def close(self) -> None:
        """End it."""
        self.driver.quit()

    def open(self, path: Path, scheme: str = "light", width: int = 1280) -> None:
        """Open a page, as a file, on a desk or a phone, and wait until its pictures are drawn."""
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get(path.as_uri())
        self.wait()

    def wait(self) -> None:
        """Wait until nothing is being drawn."""
        from selenium.webdriver.support.wait import WebDriverWait  # noqa: PLC0415

        WebDriverWait(self.driver, 30, poll_frequency=0.05).until(
            lambda driver: driver.execute_script(_DRAWN)
        )

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script: str, *arguments: Any) -> Any:
        """What an asynchronous script answers with `done`."""
        wrapped = f"const done = arguments[arguments.length - 1];\n(async () => {{{script}}})()"
        return self.driver.execute_async_script(
            wrapped + ".catch((e) => done(String(e)));", *arguments
        )

    def picture(self, path: Path) -> None:
        """The whole page as an image."""
        size = self.run("return [document.documentElement.scrollWidth, document.body.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1] + 60, "scale": 1}
        asked = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        answer = self.driver.execute_cdp_cmd("Page.captureScreenshot", asked)
        path.write_bytes(base64.b64decode(answer["data"]))

    def complaints(self) -> list[str]:
        """What the console has said since the last question, warnings and errors."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses that the page has loaded something from; the console names what it may not."""
        script = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
        return [str(address) for address in self.run(script)]

    def violations(self) -> list[tuple[str, str, list[str]]]:
        """What axe-core finds: how bad, which rule, where."""
        self.run(AXE.read_text(encoding="utf-8"))
        asked = "done((await axe.run(document, { resultTypes: ['violations'] })).violations)"
        found = self.run_async(asked)
        return [
            (rule["impact"], rule["id"], [node["html"][:200] for node in rule["nodes"]])
            for rule in found
        ]
