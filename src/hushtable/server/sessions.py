"""Sessions: signed cookies that say who is logged in, and tokens that show a form came from our own page."""

from __future__ import annotations

import hmac
import time
from collections.abc import Mapping
from hashlib import sha256

from starlette.responses import Response

from .accounts import Accounts, Person
from .problems import LoginNeeded, NotAllowed
from .rates import Rates
from .settings import Settings

__all__ = ["COOKIE", "FORM_FIELD", "LOCAL", "Sessions"]

COOKIE = "hush_session"
FORM_FIELD = "form_token"
LONGEST = 12 * 3600
# Clocks of one machine may be set back a little; further back, and nobody can say how old a login is.
CLOCK_MAY_GO_BACK = 120
LOCAL = Person(name="you", role="owner")
FOREIGN = "this form is not from a page of this server, or the login has changed; load it again"


class Sessions:
    """From a request to a person. Without accounts everybody is whoever sits at this machine."""

    def __init__(self, settings: Settings) -> None:
        from itsdangerous import URLSafeTimedSerializer

        self.accounts = None if settings.users is None else Accounts(settings.users)
        self._secure = settings.secure_cookies
        self._rates = Rates(settings.limits.rate, settings.limits.burst)
        # Wrong passwords: ten at once, then one in twenty seconds, for each name.
        self._tries = Rates(0.05, 10)
        self._key = b"" if self.accounts is None else self.accounts.cookie_key
        self._signer = URLSafeTimedSerializer(self._key or b"unused", salt="hush-session")

    def person(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> Person:
        """Who asks; LoginNeeded when nobody is logged in. Counts the request."""
        if self.accounts is None:
            return LOCAL
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            person = self.accounts.token_person(token.strip())
        else:
            person = self._by_cookie(cookies.get(COOKIE, ""))
        self._rates.take(person.name)
        return person

    def login(self, name: str, password: str, response: Response) -> Person:
        """Logs in, by a cookie that no script can read."""
        if self.accounts is None:
            return LOCAL
        self._tries.take(name[:100])
        person = self.accounts.login(name, password)
        value = self._signer.dumps([person.name, person.epoch])
        response.set_cookie(
            COOKIE, value, max_age=LONGEST, httponly=True, samesite="strict", secure=self._secure, path="/"
        )
        return person

    def logout(self, response: Response) -> None:
        """Forgets the cookie."""
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=self._secure)

    def form_token(self, cookies: Mapping[str, str]) -> str:
        """What our own pages put into their forms: another site can make a browser send a cookie, but not read it."""
        return hmac.new(self._key, cookies.get(COOKIE, "").encode(), sha256).hexdigest()

    def check_form(self, given: str, cookies: Mapping[str, str], headers: Mapping[str, str]) -> None:
        """NotAllowed for a form that came from elsewhere."""
        self.check_origin(headers)
        right = hmac.compare_digest(given.encode(), self.form_token(cookies).encode())
        if self.accounts is not None and not right:
            raise NotAllowed(FOREIGN)

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """NotAllowed where a browser says that another site sent the form."""
        origin, host = headers.get("origin", ""), headers.get("host", "")
        if origin and origin.partition("://")[2] != host:
            raise NotAllowed(FOREIGN)

    def _by_cookie(self, cookie: str) -> Person:
        from itsdangerous import BadData

        again = "log in again"
        if not cookie or self.accounts is None:
            raise LoginNeeded("log in first, or send a token (Authorization: Bearer ...)")
        try:
            (name, epoch), made = self._signer.loads(cookie, return_timestamp=True)
        except (BadData, ValueError, TypeError):
            raise LoginNeeded(f"the cookie of this login is not one of ours; {again}") from None
        age = time.time() - made.timestamp()
        if age > LONGEST or age < -CLOCK_MAY_GO_BACK:
            raise LoginNeeded(f"this login has ended; {again}")
        person = self.accounts.person(str(name))
        if person is None or person.epoch != epoch:
            raise LoginNeeded(f"this login has ended; {again}")
        return person
