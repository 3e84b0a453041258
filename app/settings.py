"""Everything that an installation can set, read once from the environment by `create_app` or a command."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """Each field is an environment variable of the same name in capitals; docs/settings.md explains them all."""

    model_config = SettingsConfigDict(extra="ignore")

    database_url: str = f"sqlite:///{ROOT}/var/adjudge.db"
    uploads_dir: Path = ROOT / "var" / "uploads"
    host: str = "127.0.0.1"
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
