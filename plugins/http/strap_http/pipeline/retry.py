"""Trying again where that is polite: methods that may be repeated, failures that may pass."""

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from strap import ActionError, VettedURL
from strap_http.message.request import Request
from strap_http.message.response import Response
from strap_http.pipeline.send_once import Send

IDEMPOTENT = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")
"""RFC 9110 9.2.2."""
STATUSES = (429, 502, 503, 504)
FAILURES = ("connection_refused", "unreachable", "no_answer")
"""Codes of errors before an answer began."""
LONGEST = 10.0
"""Seconds that a server may ask to wait; what asks for more is left to the caller."""
AFTER_STATUS, AFTER_FAILURE = 0.5, 0.1
"""Seconds that the first pause is below; each further one may be twice as long."""
_random = secrets.SystemRandom()


@dataclass(kw_only=True, slots=True)
class Retries:
    """Sends up to `most` more times, never pausing beyond `deadline` (loop time); for one call."""

    send: Send
    most: int
    deadline: float
    reasons: list[str] = field(default_factory=list)

    async def __call__(self, request: Request, target: VettedURL) -> Response:
        """Send `request`; the answer or the error says how often it was tried."""
        while True:
            try:
                response = await self.send(request, target)
            except ActionError as error:
                pause = self._pause(error.code in FAILURES, AFTER_FAILURE, None)
                if pause is None or request.method not in IDEMPOTENT:
                    raise self._with_reasons(error) from None
                self.reasons.append("a failed connection")
            else:
                wait = waiting_time(response)
                pause = self._pause(response.status in STATUSES, AFTER_STATUS, wait)
                if pause is None or request.method not in IDEMPOTENT:
                    return self._noted(response, wait)
                self.reasons.append(str(response.status))
            await asyncio.sleep(pause)

    def _pause(self, worthwhile: bool, first: float, wait: float | None) -> float | None:
        """Seconds to wait (full jitter unless the server asks), or None to leave it at that."""
        if not worthwhile or len(self.reasons) >= self.most:
            return None
        pause = _random.uniform(0, first * 2 ** len(self.reasons)) if wait is None else wait
        left = self.deadline - asyncio.get_running_loop().time()
        return pause if pause <= LONGEST and pause < left else None

    def _noted(self, response: Response, wait: float | None) -> Response:
        if self.reasons:
            response = response.noted(f"Tried {len(self.reasons) + 1} times{self._because()}.")
        if response.status in STATUSES and wait:
            response = response.noted(f"Try again in {wait:.0f} s.")
        return response

    def _with_reasons(self, error: ActionError) -> ActionError:
        if not self.reasons:
            return error
        return ActionError(
            f"{error.message} It was tried {len(self.reasons) + 1} times.",
            hint=error.hint,
            code=error.code,
            retryable=error.retryable,
        )

    def _because(self) -> str:
        return f", after {' and '.join(dict.fromkeys(self.reasons))}"


def waiting_time(response: Response) -> float | None:
    """The seconds that Retry-After asks for (RFC 9110 10.2.3), None where it says nothing."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError, OSError):
        return None
