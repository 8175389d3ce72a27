"""What is taken out of texts, and what never is."""

import re
import subprocess
import time
from pathlib import Path

import pytest

from manifact.io import Preparation, Samples, learn
from manifact.io.preparation.non_prose import chosen, without
from manifact.io.preparation.vocabulary import TOKEN

ALL = chosen("all")

POST = """From: jane@space.example.edu (Jane Doe)
Subject: Re: Orbit of the shuttle
Organization: Example University, Department
        of Astronomy
Lines: 12
NNTP-Posting-Host: dagger.example.edu
X-Newsreader: TIN [version 1.1 PL8]

In article <1993Apr6.123456.7890@example.gov> bob@example.gov (Bob Roe) writes:
>The launch slipped again.
>Bob van Roe wrote:
>>It did.

See http://www.example.org/launch/?id=3 or ftp://ftp.example.org/pub for the schedule.
--
Jane Doe
Houston, Texas
"""
COMMIT = """commit 690de66663b1093752890ad735e4f62cfae567ad (HEAD -> main)
Merge: 7964fb4 0f0e9fa
Author: Jane Doe <jane@example.org>
Date:   Mon Nov 16 17:40:53 2026 +0000

    fix: the parser keeps comments

    This reverts 0108e914e28d, see 4e22f07.

    Signed-off-by: Jane van Doe <jane@example.org>
    Co-authored-by: Bob Roe
"""
PROPOSAL = (
    "PEP: 8\nTitle: Style guide\nAuthor: Jane Doe <jane@example.org>,\n        Bob Roe\nStatus: Active\n\nIndent."
)


def words(text, remove=ALL):
    return re.findall(TOKEN, without(text, remove).lower())


def test_a_post_keeps_its_subject_and_what_it_says():
    assert " ".join(words(POST)) == "re orbit of the shuttle the launch slipped again it did see or for the schedule"


def test_a_writer_and_a_subject_are_a_head():
    assert words("From: Jane Doe\nSubject: the game\n\nit was won") == ["the", "game", "it", "was", "won"]
    assert words("From: here to there\n\nis a long way")[:2] == ["from", "here"]


def test_a_sentence_that_begins_with_a_commit_is_none_of_a_head():
    assert words("Commit 9f86d081884c7d65 has the figures") == ["commit", "has", "the", "figures"]


def test_a_commit_keeps_its_message():
    assert words(COMMIT) == ["fix", "the", "parser", "keeps", "comments", "this", "reverts", "see"]
    # a document in each line, as of `git log > log.txt`
    kept = [line.strip() for line in COMMIT.splitlines() if words(line)]
    assert kept == [
        "Merge: 7964fb4 0f0e9fa",
        "fix: the parser keeps comments",
        "This reverts 0108e914e28d, see 4e22f07.",
    ]


def test_a_proposal_keeps_its_title():
    assert words(PROPOSAL) == ["pep", "style", "guide", "indent"]


def test_parts_of_a_message_lose_their_headers():
    mail = (
        'From: Jane <jane@example.org>\nMIME-Version: 1.0\nContent-Type: multipart/mixed;\n\tboundary="xyz"\n\nHello.\n'
        'Content-Type: text/plain;\n\tcharset="utf-8"\nContent-Transfer-Encoding: 8bit\n\nText.\n'
    )
    assert words(mail) == ["hello", "text"]


def test_each_can_be_kept():
    assert "example" in words(POST, ("headers", "codes"))
    assert {"organization", "astronomy"} <= set(words(POST, ("addresses", "codes")))
    assert "0108e914e28d" in words(COMMIT, ("headers", "addresses"))
    assert without(POST, ()) == POST


@pytest.mark.parametrize(
    "code",
    [
        "690de66",
        "690de66663b1093752890ad735e4f62cfae567ad",
        "C71A2C9B",
        "0x7ffde3",
        "tmp_4f3a9c1d2e",
        "123e4567-e89b-12d3-a456-426614174000",
        "dead4567-face-4bad-beef-cafe14174000",
        "00:1a:2b:3c:4d:5e",
        "7f45 4c46 0201 0100 dead beef",
        "dQw4w9WgXcQ",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7/x+k3Jz9Qm2vYh1",
        "MAX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'AX>'",
    ],
)
def test_codes_are_no_words(code):
    assert words(f"before\n{code}\nafter") == ["before", "after"]


@pytest.mark.parametrize(
    "text",
    [
        "b2b mp3 covid19 3d h1n1 utf8 python3 win32 x86_64 i18n k8s sha256 md5 base64 ipv6 co2 html5 y2k 4chan 1990s",
        "brca1 tp53 cyp2d6 atp6v0c slc25a4 hla_dqb1 c2h5oh c6h12o6 vitamin_b12 cd8 il2 rp11 ndufa4l2",
        "iPhone12ProMax PS5vsXboxSeriesX 2019nCoV BatchNormalization2d conv2dtranspose face2face 3blue1brown web2py",
        "deadbeef facade decade accede feed added 20000 1066ad Donaudampfschifffahrtsgesellschaftskapitän",
        "/usr/lib/python3.11/site-packages/numpy/core/_methods.py a-hyphenated-name-of-many-words-2 snake_case_name_1",
        "Question: does anybody know why mail about numpy bounces on Mondays and how to mend it?",
        "Ingredients: flour\nTime: 30 minutes\n\nMix.",
        "Alice: hello there\nBob: hello yourself\n\nThey left.",
        "Author: this novel tells the story of a lighthouse keeper and his two daughters",
        "The president of the club wrote:\nWe will meet.\n-- two hyphens --\nand a list:\n--- \nthe end",
        "the ratio is 3:2 and the date: next Monday",
        "@pytest.mark.parametrize of @jane",
        "数据科学是一门利用数据学习知识的学科 データ サイエンス",
    ],
)
def test_what_people_want_is_kept(text):
    assert words(text) == re.findall(TOKEN, text.lower())


def test_a_sentence_loses_its_address_alone():
    assert words("Please write to support@example.com about the broken printer.") == (
        ["please", "write", "to", "about", "the", "broken", "printer"]
    )


def test_real_history_has_no_hashes_and_no_authors_left():
    root = Path(__file__).parents[3]
    run = subprocess.run(["git", "-C", root, "log", "-n", "300"], capture_output=True, text=True)
    if run.returncode or not run.stdout:
        pytest.skip("not a checkout with a history")
    found = {word for commit in run.stdout.split("\ncommit ") for word in words(f"commit {commit}")}
    hashes = {line.split()[1] for line in run.stdout.splitlines() if re.fullmatch(r"commit [0-9a-f]{40}.*", line)}
    assert hashes
    assert not hashes & found
    assert not {word for word in found if re.fullmatch(r"(?=\D*\d\D*\d)[0-9a-f]{7,}", word)}
    assert len(found) > 50


def test_the_standard_library_keeps_its_words():
    """Sources without headers lose numbers and the words of addresses, and next to nothing else."""
    import json as module

    texts = [path.read_text("utf-8") for path in sorted(Path(module.__file__).parents[1].glob("[a-m]*.py"))]
    before = sum(len(re.findall(TOKEN, text.lower())) for text in texts)
    after = sum(len(words(text)) for text in texts)
    assert before > 100_000
    assert 0.98 < after / before < 1


@pytest.mark.parametrize(
    "text",
    [
        "x" * 300_000 + " @ ://",
        "a1" * 150_000,
        "ab " * 100_000,
        "A.A'A-" * 50_000 + "@",
        "Author: " + "A." * 100_000,
        "x:\n" * 100_000,
        "0a " * 100_000 + "z",
        "a@" * 100_000,
        "www." * 100_000,
        "--\n" * 100_000,
        "wrote: " * 50_000,
    ],
)
def test_time_grows_with_the_text_whatever_is_in_it(text):
    begun = time.perf_counter()
    without(text, ALL)
    assert time.perf_counter() - begun < 5


def test_choices():
    assert chosen(None) == chosen("none") == chosen([]) == ()
    assert chosen(["codes", "headers"]) == ("headers", "codes")
    assert chosen("addresses") == ("addresses",)
    with pytest.raises(
        ValueError, match="remove='quotes' is not known: choose among headers, addresses, codes, or all"
    ):
        chosen("quotes")


def test_the_preparation_remembers_it_and_older_ones_removed_nothing():
    samples = Samples("documents", "d.txt", texts=[POST, COMMIT])
    default, kept = learn(samples), learn(samples, remove=None)
    assert not {"jane", "690de66663b1093752890ad735e4f62cfae567ad", "astronomy"} & set(default.feature_names)
    assert {"jane", "690de66663b1093752890ad735e4f62cfae567ad", "astronomy"} <= set(kept.feature_names)
    assert Preparation.from_dict(default.to_dict()) == default
    former = {key: value for key, value in kept.to_dict().items() if key != "remove"} | {"version": 1}
    assert Preparation.from_dict(former) == kept
    assert (Preparation.from_dict(former).apply(samples) != kept.apply(samples)).nnz == 0
    with pytest.raises(ValueError, match="the model's preparation is damaged"):
        Preparation.from_dict({**default.to_dict(), "remove": ["quotes"]})
