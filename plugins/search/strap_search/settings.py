"""What the operator can set: the table `[plugins.search]` or `STRAP_SEARCH__<KEY>`."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, FilePath, SecretStr, field_validator


class SearchSettings(BaseModel):
    """Keys, ways to the engines and limits; none of it can be given in a call."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    serper_key: SecretStr | None = Field(default=None, min_length=1)
    """Key of serper.dev: `engine="google"` is then answered by its API."""
    serper_url: str = Field(default="https://google.serper.dev", pattern=r"^https?://[^/]")
    """Base URL of the Serper API."""
    startpage: bool = True
    """Whether `engine="google"` without a key may be answered by Startpage (Google's index)."""
    proxy: SecretStr | None = None
    """URL of an HTTP proxy to reach the engines through, `http://[user:password@]host:port`."""
    ca_file: FilePath | None = None
    """PEM file with the certificate authorities to trust, in place of the system's."""
    region: str = Field(default="us-en", pattern=r"^[a-z]{2}-[a-z]{2}$")
    """Country and language of the results, as in `de-de`."""
    request_timeout: float = Field(default=10, gt=0, le=120)
    """Seconds after which one request to an engine is given up."""
    interval: float = Field(default=1, ge=0, le=60)
    """Seconds between two requests to a keyless engine: four at once already raise its guard."""

    @field_validator("proxy")
    @classmethod
    def _http(cls, proxy: SecretStr | None) -> SecretStr | None:
        if proxy and not proxy.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return proxy

    @property
    def proxy_url(self) -> str | None:
        """The proxy in the clear, for the library that connects through it."""
        return self.proxy.get_secret_value() if self.proxy else None

    @property
    def google(self) -> Literal["Serper", "Startpage, keyless", "not set up"]:
        """The way that `engine="google"` takes: an API for which there is a key comes first."""
        if self.serper_key is not None:
            return "Serper"
        return "Startpage, keyless" if self.startpage else "not set up"
