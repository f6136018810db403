"""Settings of the operator: the table `[plugins.search]` or `STRAP_SEARCH__<KEY>`."""

from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from strap import CertificateFile
from strap_search import failures
from strap_search.common import regions

Model = TypeVar("Model", bound=BaseModel)


def _fit_for_a_header(key: SecretStr) -> SecretStr:
    text = key.get_secret_value()
    if not text or " " in text or not (text.isascii() and text.isprintable()):
        raise ValueError("must be printable ASCII without spaces")
    return key


def _region(text: str) -> str:
    regions.canonical(text)
    return text


Key = Annotated[SecretStr, AfterValidator(_fit_for_a_header)]
"""The key of an API: it is sent in a header, and shown nowhere."""
BaseURL = Annotated[str, StringConstraints(pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$")]
"""Base URL of an API, without credentials and query."""


class SearchSettings(BaseModel):
    """Keys, ways to the engines and limits; none of it can be given in a call."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    serper_key: Key | None = None
    """Key of serper.dev: `engine="google"` is then answered by its API."""
    serper_url: BaseURL = "https://google.serper.dev"
    """Base URL of the Serper API."""
    google_key: Key | None = None
    """Key of Google's Programmable Search (Custom Search JSON API), the second way to
    `engine="google"`: closed to new customers, ends on 2027-01-01."""
    google_cx: str | None = Field(default=None, min_length=1, validate_default=True)
    """Identifier of the Programmable Search engine that belongs to `google_key`."""
    google_url: BaseURL = "https://www.googleapis.com"
    """Base URL of the Custom Search JSON API."""
    startpage: bool = True
    """Whether `engine="google"` without a key may be answered by Startpage (Google's index)."""
    brave_key: Key | None = None
    """Key of the Brave Search API, for `engine="brave"`."""
    brave_url: BaseURL = "https://api.search.brave.com"
    """Base URL of the Brave Search API."""
    tavily_key: Key | None = None
    """Key of Tavily, for `engine="tavily"`."""
    tavily_url: BaseURL = "https://api.tavily.com"
    """Base URL of the Tavily API."""
    searxng_url: BaseURL | None = None
    """Base URL of a SearXNG instance that answers in JSON, for `engine="searxng"`."""
    proxy: SecretStr | None = None
    """URL of an HTTP proxy to reach the engines through, `http://[user:password@]host:port`."""
    ca_file: CertificateFile | None = None
    """PEM file with the certificate authorities to trust, in place of the system's."""
    region: Annotated[str, AfterValidator(_region)] = "us-en"
    """Country and language of the results, as in `de-de`, unless a call names others."""
    request_timeout: float = Field(default=10, gt=0, le=120)
    """Seconds after which one request to an engine is given up."""
    interval: float = Field(default=1, ge=0, le=60)
    """Seconds between two requests to a keyless engine: four at once already raise its guard."""
    cooldown: float = Field(default=60, ge=0, le=3600)
    """Seconds for which an engine that refused is left alone; they double up to 16 times that."""
    engines: dict[str, dict[str, Any]] = Field(default_factory=dict, repr=False)
    """Tables of engines of other distributions, `[plugins.search.engines.NAME]`; a key of theirs
    is also `STRAP_SEARCH__ENGINES__NAME__KEY`."""

    @field_validator("proxy")
    @classmethod
    def _http(cls, proxy: SecretStr | None) -> SecretStr | None:
        if proxy and not proxy.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return proxy

    @field_validator("google_cx")
    @classmethod
    def _with_key(cls, cx: str | None, info: ValidationInfo) -> str | None:
        if cx is None and info.data.get("google_key") is not None:
            raise ValueError("is needed with google_key")
        return cx

    @property
    def proxy_url(self) -> str | None:
        """The proxy in the clear, for the library that connects through it."""
        return self.proxy.get_secret_value() if self.proxy else None

    @staticmethod
    def variable(engine: str, key: str) -> str:
        """Return the environment variable of a setting of the engine of another distribution."""
        return f"STRAP_SEARCH__ENGINES__{engine}__{key}".upper()

    def of(self, engine: str, model: type[Model]) -> Model:
        """Return settings of a foreign engine by `model`; the `ActionError` never has a value."""
        try:
            return model.model_validate(self.engines.get(engine, {}))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            key = "__".join(map(str, first["loc"]))
            variable = self.variable(engine, key)
            if first["type"] == "missing":
                raise failures.no_way(engine, variable) from None
            fix = f"corrects {variable}: {first['msg']}"
            raise failures.misconfigured(f"engine={engine!r}", "is not set up well", fix) from None
