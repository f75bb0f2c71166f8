# SPDX-License-Identifier: MIT
"""Open a report at two widths, light and dark, look at its plots and click its filters.

report_browser.py PAGE FOLDER: pictures go to the folder.
"""

import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--disable-background-networking", "--hide-scrollbars")

# Plots that have no curve or point of any size, of those that can be seen.
EMPTY_PLOTS = """
return [...document.querySelectorAll('figure.chart')].filter(f => f.offsetParent &&
  ![...f.querySelectorAll('.curve, circle')].some(e => {
    const b = e.getBBox(); return b.width + b.height > 0; })).map(f => f.textContent);
"""
OUTSIDE = """
return [...document.querySelectorAll('figure.chart circle')].filter(e => {
  const b = e.getBBox(); return b.x < 0 || b.y < 0 || b.x + b.width > 480 || b.y + b.height > 300;
}).length;
"""


def start():
    """A browser that remembers what is written to its console."""
    options = Options()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def show(browser, page, width, scheme):
    """Load the page anew at a width and in a colour scheme."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get("file://" + page)


def visible(browser, selector):
    """How many elements can be seen."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])]"
        ".filter(e => e.getClientRects().length).length", selector)


def check_filter(browser, axis):
    """Each button of a filter hides what carries its value, and brings it back."""
    buttons = browser.find_elements(By.CSS_SELECTOR, f"#filters button[data-axis={axis}]")
    assert len(buttons) >= 2, f"filter {axis} has {len(buttons)} buttons"
    for button in buttons:
        what = f'[data-{axis}="{button.get_attribute("value")}"]'
        browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        before = visible(browser, what)
        assert before > 0, f"nothing is about {what}"
        button.click()
        assert button.get_attribute("aria-pressed") == "false"
        assert visible(browser, what) == 0, f"{what} is not hidden"
        button.click()
        assert visible(browser, what) == before, f"{what} does not come back"


def check_page(browser, page, width, scheme, folder):
    """Everything, at one width and scheme."""
    show(browser, page, width, scheme)
    browser.save_screenshot(f"{folder}/report-{width}-{scheme}.png")
    charts = visible(browser, "figure.chart")
    assert charts >= 8, f"{charts} plots"
    assert not (empty := browser.execute_script(EMPTY_PLOTS)), f"plots without data: {empty}"
    assert browser.execute_script(OUTSIDE) == 0, "points outside their plot"
    over = browser.execute_script("return document.documentElement.scrollWidth")
    assert over <= width, f"the page is {over} wide at {width}"
    assert browser.execute_script("return window.evil") is None, "a machine's name was run"
    assert "<script>window.evil" in browser.find_element(By.TAG_NAME, "body").text
    light = browser.execute_script(
        "return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (scheme == "light"), "colours are not those of the scheme"
    for axis in "msk":
        check_filter(browser, axis)
    errors = [line for line in browser.get_log("browser") if line["level"] != "INFO"]
    assert not errors, errors


def check_without_scripts(browser, page):
    """Tables are there, filters are not."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    show(browser, page, 1200, "light")
    assert not browser.find_element(By.ID, "filters").is_displayed()
    assert len(browser.find_elements(By.CSS_SELECTOR, "table tr")) > 50
    assert len(browser.find_elements(By.CSS_SELECTOR, "figure.chart svg circle")) > 10
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def main():
    """Check, and say so."""
    page, folder = sys.argv[1:3]
    browser = start()
    try:
        for width in (1200, 390):
            for scheme in ("light", "dark"):
                check_page(browser, page, width, scheme, folder)
                print(f"ok: {width} px, {scheme}")
        check_without_scripts(browser, page)
        print("ok: without scripts")
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
