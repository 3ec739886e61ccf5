"""`dalembert cache`: what is kept on disk."""

from __future__ import annotations

from typing import Annotated

import typer

NAME, GROUP = "cache", "Keep house"
EXAMPLES = """
Where compiled code and derived equations are kept, and how much of it
dalembert cache
Remove it; what is needed is made again
dalembert cache --clear
"""


def command(clear: Annotated[bool, typer.Option("--clear", help="Remove all of it.")] = False) -> None:
    """Show where compiled code and equations are kept and how much of it there is, or remove it.

    The folder is named by DALEMBERT_CACHE, if that is set.
    """
    from dalembert.native import cache as kept

    if clear:
        count = kept.clear()
        typer.echo(f"Removed {count} file{'s' * (count != 1)} from {kept.folder()}")
        return
    files = kept.entries()
    size = sum(path.stat().st_size for path in files if path.exists())
    count = f"{len(files)} file{'s' * (len(files) != 1)}"
    typer.echo(f"{kept.folder()}: {count}, {size / 1e6:.1f} MB of compiled code and equations")
    if why := kept.refusal(kept.folder()):
        typer.echo(f"Nothing of it is used, as the folder {why}")
        return
    typer.echo("Files are made anew when they are missing; `dalembert cache --clear` removes them.")
