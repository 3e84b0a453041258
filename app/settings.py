"""Everything that an installation can set, read once from the environment by `create_app` or a command."""

import re
from ipaddress import ip_address
from pathlib import Path

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent
HOST = r"(\[[0-9a-f:.]+\]|[^\s:/?#@\[\]\\]+)(?::\d+)?"
"""A host, which is its group, and perhaps a port."""
PUBLIC_URL = re.compile(f"https?://{HOST}")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Settings(BaseSettings):
    """Each field is an environment variable of the same name in capitals; docs/settings.md explains them all."""

    model_config = SettingsConfigDict(extra="ignore")

    database_url: str = f"sqlite:///{ROOT}/var/adjudge.db"
    uploads_dir: Path = ROOT / "var" / "uploads"
    host: str = "127.0.0.1"
    public_url: str = ""
    """Where people open it, like https://adjudge.example.org: links bear it, and no other host is answered."""
    port: int = Field(default=8000, ge=0, le=65535)
    trusted_proxies: str = ""
    """Addresses, comma separated, whose X-Forwarded-* headers are believed; none by default."""
    max_upload_bytes: int = Field(default=2_000_000_000, gt=0)
    max_form_bytes: int = Field(default=2_000_000, gt=0)
    session_hours: int = Field(default=12, gt=0)
    idle_minutes: int = Field(default=120, gt=0)
    password_again_minutes: int = Field(default=15, gt=0)
    token_days: int = Field(default=90, gt=0)
    invitation_days: int = Field(default=7, gt=0)

    @field_validator("public_url")
    @classmethod
    def check_public_url(cls, url: str) -> str:
        """Without the last slash, and small where case means nothing."""
        url = url.strip().lower().removesuffix("/")
        if url and not PUBLIC_URL.fullmatch(url):
            raise ValueError("it is http:// or https://, a host and perhaps a port, and nothing else")
        return url

    @property
    def is_for_this_machine(self) -> bool:
        """Whether it listens where only this machine can reach it."""
        try:
            return self.host.lower() == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def own_hosts(self) -> frozenset[str] | None:
        """The hosts that a request may name, without port, IPv6 in brackets; None where it may name any."""
        if self.public_url:
            host = PUBLIC_URL.fullmatch(self.public_url)[1]  # type: ignore[index]
            return LOOPBACK if host in LOOPBACK else frozenset({host})
        named = f"[{self.host}]" if ":" in self.host else self.host
        return LOOPBACK | {named.lower()} if self.is_for_this_machine else None
