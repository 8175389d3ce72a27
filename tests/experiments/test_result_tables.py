import json

from manifact.experiments.result_tables import write


def test_a_record_holds_rows_versions_and_machine(tmp_path):
    page = write("speed", "Speed", "How fast.", [{"k": 10, "ratio": 12.3456789}, {"k": 20, "ratio": 1.0}], tmp_path)
    text = page.read_text()
    assert "| 10 | 12.35 |" in text
    record = json.loads((tmp_path / "speed.json").read_text())
    assert record["rows"][0]["ratio"] == 12.3456789
    assert {"numpy", "manifact", "numba"} <= set(record["environment"]["packages"])
    assert record["environment"]["machine"] in text
