"""``manifact report``: the page to explore a model in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import cells_files, outputs, training_samples
from manifact.cli.data_options import Reading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.help_headings import OUT
from manifact.cli.new_samples import warn_of_empty
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import MapOption, ModelArgument, OverwriteOption, QuietOption
from manifact.cli.printed_lines import say
from manifact.cli.standard_input import check_there, is_dash
from manifact.utils.progress import showing


@with_option_groups
def report(
    *,
    context: typer.Context,
    model: ModelArgument,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="What the model was fitted on. Default: where it was then."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The page. Default: NAME.html here.", rich_help_panel=OUT),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading of the page.", rich_help_panel=OUT)] = None,
    map: MapOption = "auto",
    no_samples: Annotated[
        bool,
        typer.Option("--no-samples", help="Do not read DATA: the page shows all but the samples.", rich_help_panel=OUT),
    ] = False,
    browse: Annotated[bool, typer.Option("--open", help="Show it in the browser.", rich_help_panel=OUT)] = False,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    reading: Reading,
) -> None:
    """Write one HTML page to explore a model in: parts, samples, their map and neighbours."""
    with errors_in_one_sentence(context, *REFUSALS):
        check_there(data, model=model)
        import manifact

        found = manifact.load(model)
        named = output or outputs.named_after(model, ".html")
        page = outputs.free("--output", named, overwrite, model, data, ending=".html")
        with showing(not quiet):
            samples, X, lacking = (
                (None, None, None) if no_samples else _training_samples(found, model, data, given(reading), quiet)
            )
            write_page(found, samples, X, page, title, map)
    if lacking:
        note(lacking)
    if not quiet:
        say(f"report    {page}")
    if browse:
        typer.launch(page.resolve().as_uri())


def write_page(
    model: Any, samples: Any, X: Any, output: Path, title: str | None = None, map_name: str = "auto"
) -> None:
    """The page of a model and, as far as they are at hand, its samples."""
    place, positions = cells_files.map_of(None if samples is None else Path(samples.source), map_name)
    source = getattr(model, "source_", {})
    pixels = samples is not None and samples.kind == "images"
    model.report(
        X,
        output,
        sample_names=source.get("names"),
        labels=source.get("labels"),
        texts=None if samples is None else samples.texts,
        images=samples.X if pixels else None,
        positions=positions,
        map_name=place,
        title=title or _title(source),
    )


def _title(source: Mapping[str, Any]) -> str | None:
    path = source.get("path")
    return Path(path).name if path and not is_dash(Path(path)) else None


def _training_samples(
    model: Any, path: Path, data: Path | None, reading: Mapping[str, Any], quiet: bool
) -> tuple[Any, Any, str | None]:
    """The samples that the model was fitted on, read again; or None and why."""
    from manifact.utils.sparse_matrices import empty_rows

    if data is None and not hasattr(model, "source_"):
        return None, None, "the samples themselves are not shown: the model was saved in Python, without them"
    if data is None:
        where = training_samples.place(model, path)
        if is_dash(where):
            return None, None, "the samples themselves are not shown: they came from standard input, name a file"
        if not where.exists():
            return None, None, f"the samples themselves are not shown: {where} is not there, name it after the model"
        if not training_samples.is_near(where, path) or not training_samples.is_known(model):
            told = f"the model file says that they are {where}, name that after the model if it is yours"
            return None, None, f"the samples themselves are not shown: {told}"
    without = "pass --no-samples for a page without them"
    samples, X = training_samples.read_again(model, path, data, reading, without)
    warn_of_empty(samples, empty_rows(X), quiet)
    return samples, X, None
