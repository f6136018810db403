"""Address and URL guard shared by every plugin that opens connections."""

from strap.network.addresses import Space
from strap.network.devtools import OWN_REQUEST
from strap.network.guard import WEB, Guard, Mode, VettedURL
from strap.network.host_patterns import HostPattern, Place, host_pattern, place_of
from strap.network.ports import SharedPorts
from strap.network.racing import first_connection
from strap.network.resolver import Resolver
from strap.network.urls import with_scheme

__all__ = [
    "OWN_REQUEST",
    "WEB",
    "Guard",
    "HostPattern",
    "Mode",
    "Place",
    "Resolver",
    "SharedPorts",
    "Space",
    "VettedURL",
    "first_connection",
    "host_pattern",
    "place_of",
    "with_scheme",
]
