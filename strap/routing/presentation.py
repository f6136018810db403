"""Presentation of results before they leave the router: masking, labels, limits."""

from dataclasses import replace
from typing import Any

from strap.api.calls import Context, GoOn
from strap.api.params import Params
from strap.api.results import DEFAULT_MAX_TOKENS, Result, check_parts, cut
from strap.config.secrets import Secrets
from strap.errors import StrapError
from strap.text import counted, replace_surrogates, short_repr

FOOTER = 60
"""Tokens of a line that says how to get the rest."""


def presentable(result: Result, secrets: Secrets) -> Result:
    """Mend half characters, and mask the secrets that an action did not.

    Actions mask where they shorten a text themselves, as a part of a secret would show.
    """
    text = secrets.hide(replace_surrogates(result.text))
    if text == result.text and not secrets:
        return result
    return replace(result, text=text, data=secrets.hide_all(result.data))


async def labelled(go_on: GoOn, context: Context[Any]) -> Result:
    """Run an action, and keep what it shows of which site; an error shows something too."""
    try:
        result = finished(await go_on(), context.call.params, context.minted)
    except StrapError as error:
        if error.code != "flow_denied":  # whose text is the guard's
            context.flow.learn(str(error))
        raise
    files = (*result.files, *context.files)
    return replace(result, files=files, read=context.flow.learn(result.text))


def finished(result: Result, params: Params, minted: str | None) -> Result:
    """Bound the text as a last resort, and name a session that was begun.

    An action that keeps to `max_tokens` itself has room for a line that says how to go on.
    """
    if not isinstance(result, Result):
        raise TypeError(f"the action returned {short_repr(result)}, not a Result")
    check_parts(result)
    if result.whole:
        return result
    limit = params.max_tokens or DEFAULT_MAX_TOKENS
    head, rest = cut(result.text, limit + limit // 5 + FOOTER)
    if not rest and minted is None:
        return result
    if rest:
        left = counted(len(rest), "more character")
        head += f"\n[{left}; repeat with a larger max_tokens to see them]"
    if minted is not None:
        head += f'\nsession: "{minted}" (give it with every further call)'
    return replace(result, text=head)
