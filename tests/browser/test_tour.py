"""The tour of somebody new, in a real browser: look, cross, ask, mistype, download; log in; run out of purse; 390 px.

`HUSHTABLE_PICTURES=docs/pictures pytest tests/browser` writes the pictures of docs/server.md again.
"""

import os
import shutil
from pathlib import Path

import pytest
from curators import WIDE_QUESTIONS
from served import PASSWORDS, accounts, begin_curator, process, shelf

from hushtable.demo.run import prepare, release

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDE, NARROW = {"width": 1440, "height": 1000}, {"width": 390, "height": 844}
PICTURES = os.environ.get("HUSHTABLE_PICTURES")


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """The demo's release, served to this machine."""
    folder = tmp_path_factory.mktemp("tour") / "demo"
    folder.mkdir()
    prepare(folder, rows=20_000, seed=1)
    release(folder, rows=20_000)
    with process(str(folder)) as (url, _):
        yield url


@pytest.fixture
def page(chromium, request):
    """A page that fails the test on any error of its script, and on anything that the content policy stops."""
    options = getattr(request, "param", {})
    context = chromium.new_context(viewport=options.get("viewport", WIDE), **options.get("more", {}))
    made, wrong = context.new_page(), []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("console", lambda line: wrong.append(line.text) if "Content Security Policy" in line.text else None)
    made.set_default_timeout(30_000)
    yield made
    context.close()
    assert not wrong


def picture(page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"server-{name}.png")


def fits(page) -> bool:
    """Nothing makes the page itself scroll sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_somebody_new_looks_crosses_asks_mistypes_and_downloads(page, clinic):
    page.goto(clinic)
    picture(page, "shelf")
    page.click("h2 a")
    assert page.locator(".column").count() == 22
    picture(page, "release")
    page.click('[data-column="age"]')
    page.click('[data-column="smoker"]')
    page.wait_for_selector("#answer table.heat")
    assert page.locator("#answer table.heat tbody tr").count() == 6
    picture(page, "cross")
    page.fill("#q", "smoker AND age >= 65")
    page.press("#q", "Enter")
    page.wait_for_selector("#answer .value")
    assert "± " in page.inner_text("#answer .value")
    assert "with 95% confidence" in page.inner_text("#answer .sentence")
    assert page.url.endswith("ask?q=smoker%20AND%20age%20%3E%3D%2065")
    picture(page, "answer")
    page.fill("#q", "smokr")
    page.press("#q", "Enter")
    page.wait_for_selector("#answer .wrong")
    assert "Did you mean 'smoker'?" in page.inner_text("#answer .wrong")
    assert page.locator("#history li").count() == 2
    page.click("#history li >> nth=1 >> a")
    page.wait_for_selector("#answer .value")
    with page.expect_download() as waiting:
        page.click("text=Download as CSV")
    assert Path(waiting.value.path()).read_text().startswith('"value"')


def test_names_and_values_complete_themselves_by_keyboard(page, clinic):
    page.goto(f"{clinic}/releases/clinic")
    page.click("#q")
    page.keyboard.type("diab")
    page.wait_for_selector("#offers li")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.input_value("#q") == "diabetic "
    page.keyboard.type("AND region = 'no")
    page.wait_for_selector("#offers li")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert page.input_value("#q") == "diabetic AND region = 'north' "
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer .value")


def test_a_plan_follows_epsilon(page, clinic):
    page.goto(f"{clinic}/plan")
    page.click("text=Forecast")
    page.wait_for_selector("#forecast table")
    before = page.inner_text("#forecast tbody td.n >> nth=0")
    page.locator(".slide input").fill("-1")
    page.wait_for_function("old => document.querySelector('#forecast tbody td.n').innerText !== old", arg=before)
    assert page.input_value("[name=epsilon]") == "0.1"
    picture(page, "plan")


@pytest.mark.parametrize("page", [{"more": {"java_script_enabled": False}}], indirect=True)
def test_asking_works_without_a_script(page, clinic):
    page.goto(f"{clinic}/releases/clinic")
    page.fill("#q", "smoker")
    page.press("#q", "Enter")
    assert "with 95% confidence" in page.inner_text("#answer .sentence")
    page.go_back()
    page.select_option("[name=a]", "age")
    page.select_option("[name=b]", "sex")
    page.click(".cross button")
    assert page.locator("table.heat").count() == 1


@pytest.mark.parametrize(
    "page", [{"viewport": NARROW}, {"viewport": NARROW, "more": {"color_scheme": "dark"}}], indirect=True, ids=str
)
def test_everything_fits_a_telephone(page, clinic, request):
    dark = "dark" if "dark" in request.node.name else "narrow"
    for path in ("", "/releases/clinic", "/releases/clinic/ask?q=smoker AND age >= 65", "/plan", "/help",
                 "/releases/clinic/cross?a=age&b=education", "/owner"):  # fmt: skip
        page.goto(f"{clinic}{path}")
        assert fits(page), path
    page.goto(f"{clinic}/releases/clinic/ask?q=smoker AND age >= 65")
    picture(page, f"answer-{dark}")
    page.goto(f"{clinic}/releases/clinic/cross?a=age&b=smoker")
    picture(page, f"cross-{dark}")


def test_everything_that_is_shown_has_a_name_for_screen_readers(page, clinic):
    for path in ("", "/releases/clinic", "/plan", "/help"):
        page.goto(f"{clinic}{path}")
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a')]
               .filter(e => !(e.labels && e.labels.length) && !e.innerText.trim() && !e.ariaLabel && e.offsetParent)
               .map(e => e.outerHTML)"""
        )
        assert nameless == []
        assert page.locator("h1").count() == 1
        assert page.get_attribute("html", "lang") == "en"


def test_an_analyst_logs_in_asks_until_the_purse_is_empty_and_logs_out(page, tmp_path):
    online = tmp_path / "online"
    online.mkdir()
    words, users = begin_curator(online), accounts(tmp_path, purse=1)
    with process(str(shelf(tmp_path)), "--users", str(users), *words) as (url, _):
        page.goto(f"{url}/curator")
        assert page.url.startswith(f"{url}/login")
        page.fill("[name=name]", "ada")
        page.fill("[name=password]", "wrong password")
        page.click("main button")
        assert "name or password is wrong" in page.inner_text(".wrong")
        page.fill("[name=name]", "ada")
        page.fill("[name=password]", PASSWORDS["ada"])
        page.click("main button")
        assert "1 of 1 paid answers left" in page.inner_text(".purse")
        for question in WIDE_QUESTIONS:
            page.fill("#q", question)
            page.press("#q", "Enter")
            page.wait_for_load_state()
            if page.locator("#answer .wrong").count():
                break
        assert "your purse of 1 paid answers is used up" in page.inner_text("#answer .wrong")
        assert page.locator("section tbody tr").count() >= 1
        picture(page, "curator")
        page.click("text=Log out")
        page.goto(url)
        assert "/login" in page.url
