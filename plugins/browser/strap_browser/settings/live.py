"""The settings of the live view: `[plugins.browser.live]`."""

from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

USUAL = {"https": 443, "http": 80}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
FORM = "must be an origin such as 'https://live.example.com'"


class LiveSettings(BaseModel):
    """Settings of the live view: who may watch, and how."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    enabled: bool = True
    """Whether a person may watch: without it there is no socket, and `live` refuses."""
    port: int = Field(default=0, ge=0, le=65535)
    """Port on 127.0.0.1 to listen on while somebody watches; 0: any that is free."""
    public_url: str | None = Field(default=None, max_length=300)
    """Origin at which a reverse proxy offers the live view, `https://live.example.com`: links begin
    with it, and its host is let in beside this machine's. It needs a `port` of its own."""
    links: Literal["control", "watch"] | None = None
    """Rights of a link that `live` gives to a model; left out: control, with public_url watch."""
    viewers: int = Field(default=64, ge=1, le=1_000)
    """Viewers at a time."""
    hold_s: float = Field(default=900, gt=0, le=86_400)
    """Seconds that one person may keep the agent waiting."""
    away_s: float = Field(default=60, ge=0, le=3_600)
    """Seconds for which a holder whose window is gone may come back, before the agent goes on."""
    samples: Literal["watched", "runs", "never"] = "watched"
    """Runs that keep pictures between those of their steps, one in two seconds if it changed: runs
    that somebody watches, all runs, or none."""
    quality: int = Field(default=60, ge=10, le=95)
    """JPEG quality of pictures in motion; what is at rest is shown at 85."""

    @field_validator("public_url")
    @classmethod
    def _is_origin(cls, value: str | None) -> str | None:
        """Return it as browsers write the origin of a page."""
        if value is None:
            return None
        try:
            parts = urlsplit(value.rstrip("/"))
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise ValueError(FORM) from None
        scheme, shown = parts.scheme, f"[{host}]" if ":" in host else host
        place = shown if port in (None, USUAL.get(scheme)) else f"{shown}:{port}"
        more = parts.path or parts.query or parts.fragment or "@" in parts.netloc
        if not host or not host.isascii() or more:
            raise ValueError(FORM)
        if scheme != "https" and not (scheme == "http" and host in LOOPBACK):
            raise ValueError(f"{FORM}: only a proxy on this machine may go without https")
        return f"{scheme}://{place}"

    @model_validator(mode="after")
    def _is_found(self) -> Self:
        if self.public_url is not None and not self.port:
            raise ValueError("'public_url' needs a 'port', to which the proxy connects")
        return self

    @property
    def allows(self) -> Literal["control", "watch"]:
        """Rights of a link that a model gets."""
        return self.links or ("watch" if self.public_url else "control")

    @property
    def public_address(self) -> tuple[str, int] | None:
        """Host and port of `public_url`, to which no agent may go."""
        if self.public_url is None:
            return None
        parts = urlsplit(self.public_url)
        return parts.hostname or "", parts.port or USUAL[parts.scheme]
