"""Errors of connections and transfers, in words of our own."""

import re
import ssl
from collections.abc import Iterator

import httpcore2

from strap import ActionError, VettedURL
from strap.text import counted
from strap_http.transport.content_codings import TruncatedBody, Undecodable

# Verification results of OpenSSL, https://docs.openssl.org/master/man3/X509_STORE_CTX_get_error/
_RENEW = "Its owner has to mend it, unless the clock of this machine is wrong."
_AUTHORITY = "ca_file in [plugins.http] can name its authority."
_CERTIFICATE = {
    9: ("is not valid yet", _RENEW),
    10: ("has expired", _RENEW),
    18: ("is self-signed", _AUTHORITY),
    19: ("was issued by an authority that is not trusted", _AUTHORITY),
    20: ("was issued by an authority that is not trusted", _AUTHORITY),
    21: ("was issued by an authority that is not trusted", _AUTHORITY),
    62: ("is for another host", "Check the host, with and without 'www.'."),
    64: ("is for another host", "Use the host's name in place of its address."),
}
# Protocol errors that mean nothing but the end of the connection.
_CLOSED = re.compile("disconnected|closed connection")

_OPERATOR = "The operator of strap has to check proxy in [plugins.http]."
_PLAIN = "To have it uncompressed: headers={'Accept-Encoding': 'identity'}."

ERRORS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
)


class NoTunnel(httpcore2.ProxyError):
    """The proxy was reached, but no tunnel through it came about; the cause tells why."""


def explain(error: Exception, target: VettedURL, received: int, answered: bool) -> ActionError:
    """Return the `ActionError` for one of `ERRORS`; `answered` tells that the head had come."""
    where = f"{target.host}:{target.port}"
    if isinstance(error, httpcore2.ConnectTimeout):
        return _failed(f"{where!r} does not answer.", "Check host and port.", "timeout", True)
    if isinstance(error, httpcore2.ConnectError):
        return _not_connected(error, target, where)
    if isinstance(error, httpcore2.ProtocolError) and not _CLOSED.search(str(error)):
        hint = "Check that a web server listens there; resource=browser may be laxer."
        return _failed(f"The answer of {where!r} is not valid HTTP.", hint, "protocol", False)
    if not answered:
        message = f"{where!r} closed the connection before it answered."
        return _failed(message, "Try again later.", "no_answer", True)
    message = f"{where!r} closed the connection after {counted(received, 'byte')} of the body."
    return _failed(message, "Try again.", "closed", True)


def of_proxy(error: Exception, target: VettedURL) -> ActionError | None:
    """Return the `ActionError` for one of `ERRORS` that the proxy is to blame for, else None."""
    unreached = _failed("The proxy cannot be reached.", _OPERATOR, "proxy", True)
    if isinstance(error, NoTunnel):
        odd = _failed("The proxy does not answer as a proxy does.", _OPERATOR, "proxy", True)
        return unreached if _is_tls(error) else odd
    if isinstance(error, httpcore2.ProxyError):
        return _refused(error, target)
    connecting = isinstance(error, (httpcore2.ConnectError, httpcore2.ConnectTimeout))
    in_tunnel = target.scheme == "https" and _is_tls(error)
    return unreached if connecting and not in_tunnel else None


def _refused(error: httpcore2.ProxyError, target: VettedURL) -> ActionError:
    if str(error).startswith("407") or "username" in str(error).lower():
        message, hint = "The proxy refuses its credentials.", _OPERATOR
    else:
        message = f"The proxy does not connect to '{target.host}:{target.port}'."
        hint = "It may not allow that host, or the host may be down: try another source."
    return _failed(message, hint, "proxy", True)


def not_decodable(target: VettedURL, error: Undecodable) -> ActionError:
    """The error for a body that is not what its Content-Encoding says."""
    if isinstance(error, TruncatedBody):
        message = f"The compressed body of {target.url!r} breaks off before its end."
        return _failed(message, f"Try again. {_PLAIN}", "protocol", True)
    message = f"The body of {target.url!r} is not compressed as its Content-Encoding says."
    return _failed(message, _PLAIN, "protocol", False)


def _failed(message: str, hint: str, code: str, retryable: bool) -> ActionError:
    return ActionError(message, hint=hint, code=code, retryable=retryable)


def _not_connected(error: Exception, target: VettedURL, where: str) -> ActionError:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _bad_certificate(cause.verify_code, target)
        if isinstance(cause, ssl.SSLError):
            plain = f"http://{target.host}:{target.port}/"
            hint = f"If it speaks plain HTTP, use {plain!r}."
            return _failed(f"{where!r} does not speak TLS as expected.", hint, "tls", False)
        if isinstance(cause, ConnectionRefusedError):
            hint = "Check host and port, and that the server runs."
            return _failed(f"Nothing listens at {where!r}.", hint, "connection_refused", True)
    return _failed(f"{where!r} cannot be reached.", "Check host and port.", "unreachable", True)


def _bad_certificate(code: int, target: VettedURL) -> ActionError:
    why, hint = _CERTIFICATE.get(code, ("is not valid", _RENEW))
    return _failed(f"The TLS certificate of {target.host!r} {why}.", hint, "tls", False)


def _is_tls(error: Exception) -> bool:
    return any(isinstance(cause, ssl.SSLError) for cause in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
