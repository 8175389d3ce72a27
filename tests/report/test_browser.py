"""Pages in a real browser: they open from a file, answer to mouse, keys and search, and let nothing in or out."""

from contextlib import contextmanager

import numpy as np
import pytest

from manifact import LCCF, NMF
from manifact.models.feature_relevance import relevance_of, shares
from manifact.report import report, sample_map
from manifact.report.part_members import clusters

DRAWN = """() => {
  const map = document.getElementById("map");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [map.width, map.height];
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(map, 0, 0);
  const pixels = context.getImageData(0, 0, map.width, map.height).data;
  let drawn = 0;
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] > 0) drawn++;
  return drawn;
}"""


@pytest.fixture(scope="session")
def pages(documents, images, table, tmp_path_factory):
    """Pages of documents, images, a table, and concepts of a kernel."""
    folder = tmp_path_factory.mktemp("pages")
    kept, sample_map.ITERATIONS = sample_map.ITERATIONS, 260
    try:
        made = {
            "documents": report(documents.model, documents.X, folder / "documents.html", **documents.given),
            "images": report(images.model, images.X, folder / "images.html", **images.given),
            "table": report(table.model, table.X, folder / "table.html"),
            "model": report(table.model, None, folder / "model.html"),
        }
        kernel = LCCF(4, kernel="rbf", random_state=0, max_iter=5).fit(images.X)
        made["concepts"] = report(kernel, images.X, folder / "concepts.html", image_shape=(8, 8))
        return made
    finally:
        sample_map.ITERATIONS = kept


@pytest.fixture
def opened(browser):
    """Opens a page, and at the end says what went wrong on it: errors, messages, requests to anywhere else."""

    @contextmanager
    def open_page(path, address="", **settings):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | settings))
        page = context.new_page()
        page.set_default_timeout(20_000)
        wrong = []
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(("file:", "data:", "blob:")) else wrong.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri() + address)
        page.wait_for_selector("html[data-ready]")
        yield page
        settle(page)
        assert page.evaluate("window.hacked") is None
        assert wrong == []
        context.close()

    return open_page


def settle(page):
    """Wait for two frames: what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def until(page, holds):
    """Wait for something that comes a moment later; the page's policy lets nobody wait inside it."""
    for _ in range(400):
        if holds():
            return
        page.wait_for_timeout(25)
    raise AssertionError("it did not come true")


@pytest.mark.parametrize("kind", ["documents", "images", "table", "model", "concepts"])
def test_every_kind_opens_and_draws(opened, pages, kind):
    with opened(pages[kind]) as page:
        settle(page)
        assert page.evaluate(DRAWN) > 200
        page.click("[data-part='1']")
        assert page.inner_text("#samples-title") == "Part 1"
        assert page.get_attribute("[data-part='1']", "aria-pressed") == "true"


def test_a_part_shows_its_samples_strongest_first(opened, pages, documents):
    found, V = clusters(documents.model), documents.model.representation_
    members = np.flatnonzero(found == 1)
    with opened(pages["documents"]) as page:
        page.click("[data-part='1']")
        assert page.inner_text("#samples-count") == f"{len(members)} samples"
        shown = page.eval_on_selector_all("#list [data-sample]", "all => all.map((one) => +one.dataset.sample)")
        weight = V[shown, 1]
        assert set(shown) <= set(members)
        assert np.all(np.diff(weight) <= 1e-3 * weight.max())
        assert weight[0] == pytest.approx(V[members, 1].max(), rel=1e-3)


def test_a_sample_shows_weights_label_and_neighbours(opened, pages, documents):
    W = documents.model.graph_.W
    with opened(pages["documents"], "#sample=7") as page:
        assert "document 7" in page.inner_text("#detail h3")
        assert documents.given["labels"][7] in page.inner_text("#detail .pairs")
        near = page.eval_on_selector_all("#detail [data-sample]", "all => all.map((one) => +one.dataset.sample)")
        assert set(near) <= set(W[[7]].indices)
        assert len(near) == min(8, W[[7]].nnz)
        page.click(f"#detail [data-sample='{near[0]}']")
        assert page.evaluate("location.hash") == f"#sample={near[0]}"
        page.go_back()
        until(page, lambda: page.inner_text("#detail h3") == "document 7")


def test_the_slider_ranks_by_relevance(opened, pages, documents):
    s = shares(documents.model.components_, documents.model.representation_)
    names = np.asarray(documents.given["feature_names"])
    with opened(pages["documents"]) as page:
        assert (page.input_value("#lambda"), page.inner_text("#lambda-value")) == ("0.6", "0.6")
        shown = page.eval_on_selector_all("[data-part='2'] .term", "all => all.map((one) => one.textContent)")
        assert shown == documents.model.top_features(len(shown), names=names)[2]
        for lam in ("0.0", "1.0", "0.3"):
            page.fill("#lambda", lam)
            shown = page.eval_on_selector_all("[data-part='2'] .term", "all => all.map((one) => one.textContent)")
            given = s.given_part[2]
            visible = np.flatnonzero(given > 0.005 * given.max())
            rank = relevance_of(given[visible], s.overall[visible], float(lam))
            # Words that are alike may stand in any order: their relevance is what must agree.
            best = np.sort(rank)[::-1][: len(shown)]
            ours = [rank[np.flatnonzero(names[visible] == word)[0]] for word in shown]
            np.testing.assert_allclose(ours, best, atol=1e-5)


def test_search_finds_words_and_samples(opened, pages, documents):
    with opened(pages["documents"]) as page:
        page.keyboard.press("/")
        page.keyboard.type("violin")
        page.wait_for_selector("#hits [role=option]")
        assert page.inner_text("#hits .hit-name >> nth=0") == "violin"
        word = list(documents.given["feature_names"]).index("violin")
        strongest = int((documents.model.components_[:, word] * documents.model.representation_.sum(axis=0)).argmax())
        page.keyboard.press("Enter")
        assert page.inner_text("#samples-title") == f"Part {strongest}"
        assert page.inner_text(f"[data-part='{strongest}'] .found .term") == "violin"
        page.fill("#query", "document 12")
        until(page, lambda: "document 12" in page.inner_text("#hits"))
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.inner_text("#detail h3") == "document 12"


def test_all_samples_with_a_word_in_the_list(opened, pages, documents):
    count = sum("violin" in text for text in documents.given["texts"])
    with opened(pages["documents"]) as page:
        page.fill("#query", "violin")
        page.click(".hit-all")
        assert page.inner_text("#samples-count") == f"{count} samples"
        page.keyboard.press("Escape")
        assert page.inner_text("#samples-count") == "90 samples"


def test_filters(opened, pages, images):
    y, V = images.given["labels"], images.model.representation_
    with opened(pages["images"]) as page:
        page.select_option("#filter-label", label="7")
        assert page.inner_text("#samples-count") == f"{(y == 7).sum()} samples"
        page.select_option("#filter-cluster", "3")
        both = ((y == 7) & (clusters(images.model) == 3)).sum()
        assert page.inner_text("#samples-count") == f"{both} sample{'' if both == 1 else 's'}"
        page.keyboard.press("Escape")
        page.click("h1")
        page.keyboard.press("Escape")
        page.click("[data-part='2']")
        page.select_option("#filter-cluster", "")
        page.fill("#filter-least", "0.5")
        share = V[:, 2] / V.sum(axis=1)
        until(page, lambda: page.inner_text("#least-value") == "50 %")
        count = int(page.inner_text("#samples-count").split()[0])
        assert abs(count - (share >= 0.5).sum()) <= 1


def test_the_keyboard(opened, pages):
    with opened(pages["images"]) as page:
        title = lambda: page.inner_text("#samples-title")  # noqa: E731
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert title() == "Part 1"
        page.keyboard.press("k")
        assert title() == "Part 0"
        page.keyboard.press("ArrowRight")
        assert title() == "Part 1"
        page.keyboard.press("7")
        assert title() == "Part 7"
        assert page.evaluate("location.hash") == "#part=7"
        page.keyboard.press("?")
        assert page.is_visible("#help")
        page.keyboard.press("Escape")
        assert not page.is_visible("#help")
        page.keyboard.press("Escape")
        assert title() == "Samples"
        assert page.evaluate("location.hash") == ""
        page.focus("#list .thumb >> nth=0")
        first = page.evaluate("document.activeElement.dataset.sample")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.sample") not in (None, first)
        below = page.evaluate("document.activeElement.dataset.sample")
        page.keyboard.press("Enter")
        assert title() == f"Sample {below}"
        assert page.evaluate("document.activeElement.className") == "back"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.dataset.sample") == below


def test_the_map_answers(opened, pages):
    with opened(pages["table"]) as page:
        settle(page)
        box = page.locator("#map").bounding_box()
        # Where a sample lies is found by looking for it, as a person does.
        spots = [(x, y) for y in np.linspace(0.1, 0.9, 30) for x in np.linspace(0.1, 0.9, 30)]
        for x, y in spots:
            page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
            if page.is_visible("#tip"):
                break
        assert "sample" in page.inner_text("#tip")
        page.mouse.down()
        page.mouse.up()
        assert page.inner_text("#samples-title").startswith("Sample ")
        before = page.evaluate(DRAWN)
        page.mouse.wheel(0, -600)
        settle(page)
        assert page.evaluate(DRAWN) != before


def test_a_map_of_another_size_is_never_empty(opened, pages):
    # Observers are called in turn, before the frame is shown: this one sees what will be.
    resized = (
        "async () => { const drawn = " + DRAWN + "; const stage = document.getElementById('stage'); const seen = [];"
        "let first = true; await new Promise((done) => { new ResizeObserver(() => {"
        "if (first) { first = false; stage.style.width = '300px'; return; }"
        "seen.push(drawn()); done(); }).observe(stage); }); return seen; }"
    )
    with opened(pages["images"]) as page:
        settle(page)
        assert page.evaluate(resized)[0] > 200


def test_fingers_pinch_the_map(opened, pages):
    settings = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
    with opened(pages["images"], **settings) as page:
        page.locator("#map").scroll_into_view_if_needed()
        settle(page)
        touch = "document.getElementById('map').style.touchAction"
        # One finger scrolls the page over a map that is whole, and moves one that is not.
        assert page.evaluate(touch) == "pan-y"
        before = page.evaluate(DRAWN)
        box = page.locator("#map").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        hand = page.context.new_cdp_session(page)
        for kind, apart in (("touchStart", 20), ("touchMove", 40), ("touchMove", 80), ("touchEnd", None)):
            fingers = [] if apart is None else [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
            hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
        settle(page)
        assert page.evaluate(touch) == "none"
        assert page.evaluate(DRAWN) != before
        assert page.inner_text("#samples-title") == "Samples"


def test_colours_by_weight_and_label(opened, pages):
    with opened(pages["images"]) as page:
        page.click("[data-colour=weight]")
        assert "100 % part 0" in page.inner_text("#legend")
        page.click("[data-colour=label]")
        assert page.locator("#legend .chip").count() == 10
        page.click("#legend .chip >> nth=4")
        assert page.locator("#filter-label").input_value() == "4"


def test_the_curve_changes_its_scale(opened, pages):
    with opened(pages["images"]) as page:
        path = lambda: page.get_attribute(".curve", "d")  # noqa: E731
        page.click(".objective .segments button >> nth=0")
        linear = path()
        page.click(".objective .segments button >> nth=1")
        assert path() != linear


def test_dark_and_light(opened, pages):
    paper = "() => getComputedStyle(document.body).backgroundColor"
    with opened(pages["documents"]) as page:
        light = page.evaluate(paper)
        page.click("#theme")
        assert page.evaluate(paper) != light
        assert page.get_attribute("#theme", "aria-pressed") == "true"
        page.keyboard.press("d")
        assert page.evaluate(paper) == light
    with opened(pages["documents"], color_scheme="dark") as page:
        assert page.evaluate(paper) != light


@pytest.mark.parametrize("kind", ["documents", "images", "table"])
@pytest.mark.parametrize("width", [320, 390, 900])
def test_no_sideways_scrolling(opened, pages, kind, width):
    settings = {"viewport": {"width": width, "height": 780}, "has_touch": True, "is_mobile": True}
    with opened(pages[kind], "#part=1", **settings) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.tap("[data-part='0']")
        assert page.inner_text("#samples-title") == "Part 0"
        page.tap("#list [data-sample] >> nth=0")
        assert page.is_visible("#detail")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_texts_are_texts(opened, pages, documents):
    with opened(pages["documents"]) as page:
        for sample in range(84, 90):
            page.evaluate(f"location.hash = 'sample={sample}'")
            wanted = documents.given["sample_names"][sample].encode("utf-8", "replace").decode()
            until(page, lambda wanted=wanted: page.text_content("#detail h3") == wanted)
            assert page.locator("#detail img, #detail script, #detail b").count() == 0
        page.fill("#query", "<img")
        page.wait_for_selector("#hits [role=option]")
        assert page.locator("#hits img").count() == 0


def test_hostile_names_of_everything_are_texts(opened, table, tmp_path, quick_layout):
    """Features, classes, the title and the map: whatever has a name in a file."""
    from tests.report.conftest import HOSTILE

    names = [*HOSTILE, "javascript:window.hacked = 1"]
    given = {"feature_names": names, "sample_names": [f"{names[i % 7]} {i}" for i in range(60)]}
    given |= {"labels": np.array([names[i % 3] for i in range(60)]), "title": names[0], "map_name": names[1]}
    places = np.random.default_rng(0).normal(size=(60, 2))
    made = report(table.model, table.X, tmp_path / "hostile.html", positions=places, **given)
    with opened(made) as page:
        assert page.title().startswith(names[0])
        for address in ("part=0", "part=3", "sample=0", "sample=1", "sample=5"):
            page.evaluate(f"location.hash = '{address}'")
            settle(page)
            assert page.locator("main img[src=x], main script, main b b, [onerror]").count() == 0
        page.fill("#query", "javascript")
        page.wait_for_selector("#hits [role=option]")
        assert page.locator("#hits img, #hits script, a[href^=javascript]").count() == 0


def test_hashes_that_mean_nothing(opened, pages):
    with opened(pages["table"], "#part=99&sample=-3") as page:
        assert page.inner_text("#samples-title") == "Samples"
        page.evaluate("location.hash = 'sample=1e1'")
        page.evaluate("location.hash = '%E0%A4%A'")
        settle(page)
        assert page.inner_text("#samples-title") == "Samples"


def test_the_page_says_whose_map_it_shows(opened, table, tmp_path):
    places = np.random.default_rng(0).normal(size=(60, 2))
    made = report(table.model, table.X, tmp_path / "map.html", positions=places, map_name="obsm['X_umap']")
    with opened(made) as page:
        assert page.text_content("#map-title") == "Map obsm['X_umap']"
        assert "samples lie where obsm['X_umap'] puts them" in page.text_content("#help")
        assert page.text_content("#legend").startswith("Places are those of obsm['X_umap'].")
        assert page.evaluate(DRAWN) > 100


def test_fifty_thousand_samples(opened, tmp_path, quick_layout):
    rng = np.random.default_rng(0)
    n, k = 50_000, 24
    X = rng.random((n, 30), dtype=np.float32)
    model = NMF(k, random_state=0, max_iter=2).fit(X)
    texts = [f"text {i} needle{i % 997} " + "hay " * 30 for i in range(n)]
    path = report(model, X, tmp_path / "many.html", texts=texts, labels=rng.integers(0, 30, n))
    found = clusters(model)
    with opened(path) as page:
        settle(page)
        assert page.evaluate(DRAWN) > 1000
        page.click("[data-part='3']")
        assert page.inner_text("#samples-count") == f"{(found == 3).sum():,} samples"
        assert page.locator("#list [data-sample]").count() < 60
        page.evaluate("document.getElementById('list').scrollTop = 1e9")
        settle(page)
        last = page.locator("#list [role=listitem]").last
        assert last.get_attribute("aria-posinset") == str((found == 3).sum())
        page.fill("#query", "needle996")
        until(page, lambda: "Show all 50 samples" in page.inner_text("#hits"))
        page.keyboard.press("Enter")
        assert "needle996" in page.inner_text("#detail .quote")


def test_the_head_says_whether_words_belong_together(opened, pages, documents):
    from manifact.report.topic_measures import topic_measures

    near, distinct = topic_measures(documents.model, documents.X)
    with opened(pages["documents"]) as page:
        shown = " ".join(page.inner_text("#facts").split())
        assert f"Coherence {near:.3f}diversity {distinct:.3f}".replace("-", "−") in shown
    with opened(pages["table"]) as page:
        assert "Coherence" not in page.inner_text("#facts")


LABELS = """() => {
  const stage = document.getElementById("stage").getBoundingClientRect();
  const labels = [...document.querySelectorAll("#map-labels > *")].map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const words = [...one.querySelectorAll(".label-word")];
    return {
      part: +one.dataset.label,
      number: one.querySelector(".label-number").textContent,
      words: words.map((word) => word.textContent),
      tile: one.querySelector("canvas") !== null,
      inside: words.every((word) => word.getBoundingClientRect().right <= right + 1),
      box: [left - stage.left, top - stage.top, right - stage.left, bottom - stage.top],
    };
  });
  return { labels, width: stage.width, height: stage.height };
}"""


def labels_on(page):
    """Labels of the map; none lies on another, or outside."""
    settle(page)
    found = page.evaluate(LABELS)
    boxes = [label["box"] for label in found["labels"]]
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= found["width"]
        assert bottom <= found["height"]
        assert not any(left < r and l < right and top < b and t < bottom for l, t, r, b in boxes[:i])  # noqa: E741
    assert all(label["inside"] and label["number"] == str(label["part"]) for label in found["labels"])
    return {label["part"]: label for label in found["labels"]}


def test_the_map_says_in_words_what_its_parts_are(opened, pages, documents):
    names = documents.given["feature_names"]
    with opened(pages["documents"]) as page:
        found = labels_on(page)
        top = documents.model.top_features(3, names=names)
        assert {part: label["words"] for part, label in found.items()} == dict(enumerate(top))
        page.fill("#lambda", "0.0")
        moved = {part: label["words"] for part, label in labels_on(page).items()}
        alone = documents.model.top_features(3, relevance=0.0, names=names)
        assert all(set(words) <= set(names) for words in moved.values())
        assert moved != dict(enumerate(top)) or alone == top
        page.click("[data-part='1']")
        assert 1 in labels_on(page)
        assert page.locator("#map-labels .other").count() == 2
        page.click("#colour-by button:has-text('Label')")
        assert labels_on(page) == {}


def test_parts_without_words_are_numbers_or_pictures(opened, pages):
    with opened(pages["images"]) as page:
        found = labels_on(page)
        assert len(found) >= 8
        assert all(label["words"] == [] for label in found.values())
        assert sum(label["tile"] for label in found.values()) >= 5
    with opened(pages["table"]) as page:
        found = labels_on(page)
        assert len(found) == 4
        assert not any(label["words"] or label["tile"] for label in found.values())


@pytest.mark.parametrize(("width", "least"), [(1280, 10), (390, 6)])
def test_labels_of_many_parts_leave_each_other_room(opened, tmp_path, quick_layout, width, least):
    rng = np.random.default_rng(0)
    k = 60
    groups = rng.integers(0, k, 900)
    X = np.eye(k)[groups] + 0.02 * rng.random((900, k))
    names = [f"{'long' * (i % 7)}word{i}" for i in range(k - 1)] + ["שלום עולם"]
    path = report(NMF(k, random_state=0, assign="argmax").fit(X), X, tmp_path / "many.html", feature_names=names)
    with opened(path, viewport={"width": width, "height": 800}) as page:
        whole = labels_on(page)
        assert sum(bool(label["words"]) for label in whole.values()) >= least
        assert all(len(word) <= 18 for label in whole.values() for word in label["words"])
        for _ in range(2):
            page.click("#zoom-in")
        near = labels_on(page)
        assert set(near) < set(range(k))
        assert np.mean([len(label["words"]) for label in near.values()]) > np.mean(
            [len(label["words"]) for label in whole.values()]
        )
