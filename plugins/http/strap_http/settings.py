"""Settings of the operator: the table `[plugins.http]` or `STRAP_HTTP__<KEY>`."""

from pydantic import BaseModel, ConfigDict, Field

from strap import CertificateFile, HostNames, ProxyUrl

MIB = 1_048_576


class HttpSettings(BaseModel):
    """Limits, identification and trust; none of it can be given in a call."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_bytes: int = Field(default=10 * MIB, ge=1_024, le=1_024 * MIB)
    """Largest body, in bytes after decompression."""
    max_redirects: int = Field(default=10, ge=0, le=20)
    """Redirects that one call follows."""
    retries: int = Field(default=2, ge=0, le=5)
    """Further attempts of one call after a failed connection or a status 429, 502, 503 or 504."""
    connect_timeout: float = Field(default=10, gt=0, le=120)
    """Seconds after which connecting to a server is given up."""
    cache_bytes: int = Field(default=100 * MIB, ge=0)
    """Size of the cache of answers on disk, in bytes; 0 turns it off."""
    crawl_interval: float = Field(default=1, ge=0, le=60)
    """Seconds between two requests of `map` and `crawl` to a host; robots.txt may ask for more."""
    robots: bool = False
    """Whether `fetch` keeps to robots.txt, on every redirect too; `map` and `crawl` always do."""
    cookies: bool = False
    """Whether to keep the cookies of a caller from call to call, while its session lasts."""
    proxy: ProxyUrl | None = None
    """URL of a proxy to go through, `http://[user:password@]host:port`, `https://` or `socks5://`."""
    no_proxy: HostNames = ()
    """Hosts that are reached without the proxy, with all below them; this machine always is."""
    user_agent: str = Field(default="strap/0.1", pattern=r"^[\x20-\x7e]+$")
    """The User-Agent header, unless the call gives one."""
    ca_file: CertificateFile | None = None
    """PEM file with certificate authorities to trust beside the system's."""
