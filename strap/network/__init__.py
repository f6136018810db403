"""Address and URL guard shared by every plugin that opens connections."""

from strap.network.addresses import Space
from strap.network.guard import WEB, Guard, Mode, Target
from strap.network.racing import first_connection
from strap.network.resolver import Resolver

__all__ = ["WEB", "Guard", "Mode", "Resolver", "Space", "Target", "first_connection"]
