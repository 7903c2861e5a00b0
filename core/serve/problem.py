"""What is wrong with a request, in one sentence, as RFC 9457 has it."""

from http import HTTPStatus

import msgspec
from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """A request that is not answered.

    Attributes
    ----------
    status : of HTTP
    detail : what is wrong, by which rule, and what to do
    """

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers or {}


def problem(error: ProblemError) -> Response:
    """Return the answer to such a request."""
    body = {"title": HTTPStatus(error.status).phrase, "status": error.status, "detail": error.detail}
    return Response(msgspec.json.encode(body), error.status, error.headers, MEDIA_TYPE)
