"""The settings of the live view: `[plugins.browser.live]`."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class LiveSettings(BaseModel):
    """Who may watch, and how."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
    """Whether a person may watch: without it there is no socket, and `live` refuses."""
    port: int = Field(default=0, ge=0, le=65535)
    """Port on 127.0.0.1 to listen on while somebody watches; 0: any that is free."""
    links: Literal["control", "watch"] = "control"
    """What a link that `live` gives to a model allows."""
    viewers: int = Field(default=64, ge=1, le=1_000)
    """Viewers at a time."""
    hold_s: float = Field(default=900, gt=0, le=86_400)
    """Seconds that one person may keep the agent waiting."""
    away_s: float = Field(default=60, ge=0, le=3_600)
    """Seconds for which a holder whose window is gone may come back, before the agent goes on."""
    samples: Literal["watched", "runs", "never"] = "watched"
    """Of which runs pictures are kept beside those of their steps, one in two seconds where it is
    another one: of those that somebody watches, of all of them, or of none."""
    quality: int = Field(default=60, ge=10, le=95)
    """JPEG quality of pictures in motion; what is at rest is shown at 85."""
