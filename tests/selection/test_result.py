import pytest

from manifact.selection import Selection
from manifact.selection.result import COUNTS


def row(features, count, k, bits=None, share=None, chosen=False, **more):
    plain = {"roots": False, "directions": None, "balance": 0.0} | more
    error = None if bits is None else 0.25
    modularity = None if share is None else share / 2
    return {"features": features, **plain, "n_neighbors": count, "n_components": k} | {
        "bits": bits, "bits_error": error, "share": share, "modularity": modularity, "chosen": chosen,
    }  # fmt: skip


#: Graphs were compared at 4 and 8 components, the numbers of neighbours at 6, too.
ROWS = [
    row("50 directions, equally long", 5, 4, 1.5, chosen=True, directions=50, balance=1.0),
    row("50 directions, equally long", 5, 8, 2.5, chosen=True, directions=50, balance=1.0),
    row("50 directions, equally long", 5, 6, 1.875, chosen=True, directions=50, balance=1.0),
    row("50 directions, equally long", 30, 4, 1.0, directions=50, balance=1.0),
    row("50 directions, equally long", 30, 8, 2.0, directions=50, balance=1.0),
    row("50 directions, equally long", 30, 6, 1.75, directions=50, balance=1.0),
    row("all features", 5, 4, 0.5, 0.75),
    row("all features", 5, 8, 1.0, 0.5),
    *(
        row("50 directions, equally long", 5, k, None, share, chosen=True, directions=50, balance=1.0)
        for k, share in ((2, 0.5), (4, 0.875), (8, 0.25))
    ),
]
BEST = {"n_components": 4, "features": "50 directions, equally long", "n_neighbors": 5, "tau": 2.0}


@pytest.fixture
def selection():
    return Selection(ROWS, BEST, None)


def test_repr_is_the_choice(selection):
    told = "Selection(n_components=4, features=50 directions, equally long, n_neighbors=5, tau=2.0)"
    assert repr(selection) == told


def test_tables_have_a_row_for_each_graph_and_for_each_number_of_components(selection):
    graphs, neighbours, components = selection.tables()
    assert graphs.columns == ["features", "neighbours", "k = 4", "k = 8"]
    assert graphs.rows == [
        (["all features", "5", "0.50 ± 0.25", "1.00 ± 0.25"], False),
        (["50 directions, equally long", "5", "1.50 ± 0.25", "2.50 ± 0.25"], True),
        (["50 directions, equally long", "30", "1.00 ± 0.25", "2.00 ± 0.25"], False),
    ]
    assert neighbours.columns == ["neighbours", "k = 6"]
    assert neighbours.rows == [(["5", "1.88 ± 0.25"], True), (["30", "1.75 ± 0.25"], False)]
    assert components.columns == ["k", "share", "modularity", "sum"]
    assert components.rows == [
        (["2", "0.500", "0.250", "0.750"], False),
        (["4", "0.875", "0.438", "1.312"], True),
        (["8", "0.250", "0.125", "0.375"], False),
    ]


def test_show_prints_the_tables_marks_the_choice_and_says_by_what(selection, capsys):
    selection.show()
    text = capsys.readouterr().out
    lines = [line.rstrip() for line in text.splitlines()]
    assert len(lines) < 30
    marked = [line.split() for line in lines if line.endswith("←")]
    assert [line[-2] for line in marked] == ["0.25", "0.25", "1.312"]
    assert "Chosen: 4 components, 5 neighbours in 50 directions, equally long." in lines
    assert "The number of components is the one with the largest sum" in " ".join(text.split())


def test_a_known_number_of_components_has_no_table_of_them():
    known = Selection([row("all features", 5, 4, 0.5, chosen=True), row("all features", 30, 4, 0.25)], BEST, None)
    (graphs,) = known.tables()
    assert graphs.columns == ["features", "neighbours", "k = 4"]


def test_a_given_graph_has_numbers_of_components_only(capsys):
    rows = [{"n_components": k, "share": 0.5, "modularity": 0.25 + k / 100} for k in (2, 3)]
    given = Selection(rows, {"n_components": 3, "tau": 2.0}, None, criterion=COUNTS)
    (components,) = given.tables()
    assert [chosen for _, chosen in components.rows] == [False, True]
    given.show()
    assert "Chosen: 3 components." in capsys.readouterr().out


def test_nothing_to_show_is_said_in_a_line(capsys):
    selection = Selection([], BEST, None, criterion="")
    assert selection.tables() == []
    selection.show()
    assert capsys.readouterr().out == "Chosen: 4 components, 5 neighbours in 50 directions, equally long.\n"
    with pytest.raises(ValueError, match="nothing to plot"):
        selection.plot()


def test_others_are_those_of_the_chosen_graph(selection):
    assert selection.others == []
    more = [*ROWS, row("50 directions, equally long", 5, 9, None, 0.9, chosen=True, directions=50, balance=1.0)]
    assert Selection(more, BEST, None).others == [9]
