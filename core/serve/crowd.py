"""How many requests are answered at a time, and how many of them one client may have."""

from collections import Counter

from starlette.types import ASGIApp, Receive, Scope, Send

from core.serve.problem import ProblemError, problem

LATER = {"retry-after": "1"}


class Crowd:
    """Refuses requests beyond a number under way, of which one client may have half."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, or tell it to come again."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = (scope.get("client") or ("",))[0]
        if self._under_way.total() >= self._most or self._under_way[client] >= max(self._most // 2, 1):
            said = "Too many requests are under way. Come again in a second, or send several rows in one."
            await problem(ProblemError(503, said, LATER))(scope, receive, send)
            return
        self._under_way[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[client] -= 1
            if not self._under_way[client]:
                del self._under_way[client]
