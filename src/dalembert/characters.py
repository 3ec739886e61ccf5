"""Text of others as it can be shown: in a terminal, which control characters command, and in HTML."""

from __future__ import annotations

import re

from markupsafe import Markup
from markupsafe import escape as escape_html

_CONTROL = re.compile(  # also what turns the direction of writing, or ends a line without being seen
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


def visible(text: str) -> str:
    """Write control characters out, so that a name in a file cannot command the terminal or turn the line around."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def escape(text: str) -> Markup:
    """Return text as HTML in which it is only text; what is HTML already stays as it is.

    >>> escape("<b> & \u202e")
    Markup('&lt;b&gt; &amp; \\\\u202e')
    """
    return text if isinstance(text, Markup) else escape_html(visible(text))
