"""Models that refuse: what they say is told, where browser-use drops it."""

from typing import Any


def tell(model: Any) -> None:
    """Let a refusal of `model`, of a class for OpenAI's interface, be an error with its text."""
    inner = getattr(model, "get_client", None)
    if inner is None:
        return

    def get_client() -> Any:
        client = inner()
        completions = getattr(getattr(client, "chat", None), "completions", None)
        if completions is not None and not hasattr(client, "tells_refusals"):
            completions.create = _telling(completions.create)
            client.tells_refusals = True
        return client

    model.get_client = get_client


def _telling(create: Any) -> Any:
    from browser_use.llm.exceptions import ModelProviderError

    async def checked(*args: Any, **kwargs: Any) -> Any:
        response = await create(*args, **kwargs)
        for choice in response.choices or ():
            if refusal := getattr(choice.message, "refusal", None):
                error = ModelProviderError(f"The model refused: {refusal}")
                error.refused = True
                raise error
        return response

    return checked
