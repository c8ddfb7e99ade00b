"""The options of ``arbiter scan``; what it does is tested as people run it."""

from __future__ import annotations

import click

from arbiter.cli.scan import command
from arbiter.interchange.readers import FORMATS


def test_every_format_can_be_chosen() -> None:
    """The choices, which are written out so that help is quick, are those of the readers."""
    (option,) = [parameter for parameter in command.params if parameter.name == "file_format"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == FORMATS
