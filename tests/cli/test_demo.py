from rich.console import Console

from manifact.cli import demo
from manifact.models.registry import on_command_line


def test_the_demo_runs_on_data_that_install_with_us():
    console = Console(record=True, width=100)
    rows = demo.run(console)
    text = console.export_text()
    by = {(row.data, row.method): row for row in rows}
    names = list(demo.methods(2))
    assert len(names) == 1 + len(on_command_line())
    assert set(by) == {(data, name) for data in ("digits", "stdlib-docs") for name in names}
    assert all(name in text for name in names)
    assert "What to do next" in text
    assert by["digits", "GNMF"].NMI > by["digits", "NMF"].NMI
    assert by["stdlib-docs", "LPNMF"].NMI > by["stdlib-docs", "k-means"].NMI


def test_models_are_set_as_the_command_line_sets_them():
    made = {name: make() for name, make in demo.methods(7).items()}
    assert (made["A-LPNMF"].solver, made["A-LPNMF"].assign, made["A-LPNMF"].n_components) == ("auto", "argmax", 7)
    assert (made["AffinityNMF"].assign, made["AffinityNMF"].n_components) == ("graph", 7)
    assert (made["GNMF"].graph, made["A-LPNMF"].graph) == ("auto", None)
    assert (made["LCF"].init, made["LCF"].assign) == ("auto", "argmax")
