from rich.console import Console

from manifact.cli import demo


def test_the_demo_runs_on_data_that_install_with_us():
    console = Console(record=True, width=100)
    rows = demo.run(console)
    text = console.export_text()
    by = {(row.data, row.method): row for row in rows}
    names = list(demo.methods(2))
    assert set(by) == {(data, name) for data in ("digits", "stdlib-docs") for name in names}
    assert all(name in text for name in names)
    assert "What to do next" in text
    assert by["digits", "GNMF"].NMI > by["digits", "NMF"].NMI
    assert by["stdlib-docs", "LPNMF"].NMI > by["stdlib-docs", "k-means"].NMI
