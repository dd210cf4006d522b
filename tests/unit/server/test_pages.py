"""Pages: whatever is in a file is text on them, they work without a script, and say what the commands say."""

import re

import pytest
from served import client, shelf

import hushtable as ht

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return shelf(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def browser(folder):
    with client(folder) as made:
        yield made


def test_cards_for_all_files(browser):
    page = browser.get("/").text
    assert "broken.hush is damaged" in page
    assert 'href="/releases/visits"' in page
    assert "2,000" in page
    assert "NOT PRIVATE" in page


def test_a_folder_without_releases_says_so(tmp_path):
    with client(tmp_path) as browser:
        assert "No release is here yet" in browser.get("/").text


def test_a_release_shows_its_columns_with_bars(browser):
    page = browser.get("/releases/visits").text
    for name in ("age", "sex", "region", "smoker"):
        assert f'data-column="{name}"' in page
    assert page.count('class="whisker"') > 8
    assert len(page) < 250_000


def test_an_answer_has_words_a_picture_and_the_lines_that_repeat_it(browser, folder):
    page = browser.get("/releases/visits/ask", params={"q": "smoker AND age >= 65"}).text
    answer = ht.load(folder / "visits.hush").ask("smoker AND age >= 65")
    assert answer.text().replace("±", "±") in page
    assert f"About {100 * answer.value:.2f}% of the rows" in page
    assert 'class="scale"' in page
    assert "hush ask visits.hush" in page
    assert "--data-urlencode" in page


def test_groups_and_several_answers_are_tables(browser):
    page = browser.get("/releases/visits/ask", params={"q": "SELECT region, count(*) FROM t GROUP BY region"}).text
    assert "95% interval" in page
    assert page.count('class="share"') >= 4
    page = browser.get("/releases/visits/ask", params={"q": "SELECT sex, avg(age), count(*) FROM t GROUP BY sex"}).text
    assert "avg(age)_low" in page


def test_a_wrong_question_says_what_was_meant(browser):
    said = browser.get("/releases/visits/ask", params={"q": "smokr"})
    assert said.status_code == 400
    assert "Did you mean &#39;smoker&#39;?" in said.text


def test_two_columns_cross_as_a_heat_map(browser, folder):
    page = browser.get("/releases/visits/cross", params={"a": "age", "b": "sex"}).text
    table = ht.load(folder / "visits.hush").ask("SELECT age, sex, count(*) FROM t GROUP BY age, sex", count=False)
    assert f"<b>{100 * table.value[0]:.2f}%</b>" in page
    assert re.search(r'<td class="h10">', page)
    assert browser.get("/releases/visits/cross", params={"a": "age", "b": "age"}).status_code == 303
    assert browser.get("/releases/visits/cross", params={"a": "age", "b": "nothing"}).status_code == 400


def test_parts_are_parts(browser):
    part = browser.get("/releases/visits/ask", params={"q": "smoker", "part": "true"}).text
    assert "<html" not in part
    assert 'class="value"' in part


def test_a_plan_from_a_pasted_domain(browser):
    form = {"domain": "table: t\nattributes:\n  a: {kind: boolean}\n  b: {kind: boolean}\n", "epsilon": "1",
            "rows": "1,000"}  # fmt: skip
    page = browser.post("/plan", data=form).text
    assert "Forecast at epsilon 1" in page
    assert "hush release DATA.csv --domain DOMAIN.yaml --epsilon 1" in page
    wrong = browser.post("/plan", data=form | {"domain": "table: t\nattributes:\n  a: {kind: bolean}\n"})
    assert wrong.status_code == 400
    assert "bolean" in wrong.text
    assert "a whole number such as 50000" in browser.post("/plan", data=form | {"rows": "many"}).text


def test_pages_allow_no_foreign_code(browser):
    for path in ("/", "/releases/visits", "/plan", "/help", "/nothing"):
        headers = browser.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    for path in ("/", "/releases/visits", "/plan", "/help"):
        page = browser.get(path).text
        assert not re.search(r"\son\w+=|javascript:|style=|<script(?! src=\"/assets/hush.js\")", page)
        assert not re.search(r"(src|href)=\"(https?:)?//", page)


def test_assets_are_small_and_nothing_else_is_served(browser):
    assert len(browser.get("/assets/hush.js").content) < 10_000
    assert browser.get("/assets/hush.css").headers["content-type"].startswith("text/css")
    for name in ("..%2Fapp.py", "app.py", "../app.py"):
        assert browser.get(f"/assets/{name}").status_code == 404


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A release whose names, values and table are markup."""
    folder = tmp_path_factory.mktemp("hostile")
    domain = ht.Domain.from_dict(
        {
            "table": HOSTILE,
            "attributes": {
                f"a{HOSTILE}": {"kind": "category", "values": [HOSTILE, '"><img src=x onerror=alert(1)>', "'x"]},
                '"><b onclick=alert(2)>': {"kind": "boolean"},
            },
        }
    )
    import pyarrow as pa

    first, second = domain.names
    table = pa.table({first: [HOSTILE, "'x"] * 50, second: [True, False] * 50})
    plan = ht.plan(domain, rows=100, workload=ht.Marginals(width=2), budget=ht.Budget(epsilon=1))
    ht.Vault(table, domain, ledger=folder / "l.ledger").release(plan, randomness=ht.Simulated(1)).save(
        folder / "<i>name.hush"
    )
    with client(folder) as made:
        yield made, domain


def test_markup_in_a_file_is_text_on_every_page(hostile):
    browser, domain = hostile
    first, second = domain.names
    quoted = ['"' + name.replace('"', '""') + '"' for name in domain.names]
    paths = [("/", {}), ("/releases/<i>name", {}), ("/releases/<i>name/cross", {"a": first, "b": second})]
    paths += [("/releases/<i>name/ask", {"q": text}) for text in (HOSTILE, quoted[1], f"{quoted[0]} = 'zzz'")]
    for path, query in paths:
        page = browser.get(path, params=query)
        assert page.status_code in (200, 400)
        for tag in ("<script>", "<img", "<b onclick", "<i>"):
            assert tag not in page.text, path
