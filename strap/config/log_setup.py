"""Logging: to stderr, and to a file under the data directory on request, as text or JSON."""

import logging

from strap.atomic_files import make_private
from strap.config.loading import Config
from strap.errors import StartupError

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def configure_logging(config: Config) -> None:
    """Set the level of strap's loggers, and add the file if `log_file` asks for it.

    An application that embeds strap keeps its own handlers: nothing is added where the root
    logger has one.
    """
    logger, root = logging.getLogger("strap"), logging.getLogger()
    logger.setLevel(config.log.upper())
    formatter = _formatter(config)
    if not root.handlers and not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(formatter)
        # As JSON, what libraries say is an object a line as well.
        (root if config.log_format == "json" else logger).addHandler(handler)
    if config.log_file:
        _add_file(logger, config, formatter)


def _formatter(config: Config) -> logging.Formatter:
    if config.log_format == "text":
        return logging.Formatter(FORMAT)
    from strap.config.json_lines import JsonLines

    return JsonLines(config.secrets)


def _add_file(logger: logging.Logger, config: Config, formatter: logging.Formatter) -> None:
    from logging.handlers import RotatingFileHandler

    path = config.home / "logs" / "strap.log"
    names = {getattr(h, "baseFilename", None) for h in logger.handlers}
    if str(path) in names:
        return
    try:
        make_private(path.parent)
        path.touch(mode=0o600)
    except OSError as error:
        raise StartupError(
            f"The log {str(path)!r} cannot be written: {error.strerror}.",
            hint="Set 'home' to a directory that you may write to, or leave 'log_file' out.",
        ) from None
    handler = RotatingFileHandler(path, maxBytes=5_000_000, backupCount=2, delay=True)
    handler.setFormatter(formatter)
    logger.addHandler(handler)
