# Adjudge as one image, installed from the lock with hashes; it runs as a user without rights.
FROM python:3.11-slim AS install
WORKDIR /adjudge
RUN python -m venv .venv
COPY requirements requirements
RUN .venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
    --requirement requirements/run.txt
COPY tools tools
RUN .venv/bin/python tools/frontend.py
COPY pyproject.toml alembic.ini ./
COPY app app
COPY migrations migrations
COPY static static
COPY templates templates
RUN .venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --editable . \
    && python -m compileall -q app migrations

FROM python:3.11-slim
RUN useradd --system --create-home --home-dir /adjudge --shell /usr/sbin/nologin adjudge \
    && install --directory --owner=adjudge /adjudge/var
COPY --from=install /adjudge /adjudge
USER adjudge
WORKDIR /adjudge
VOLUME /adjudge/var
ENV HOST=0.0.0.0 PORT=8000 PATH=/adjudge/.venv/bin:$PATH PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/readyz', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["adjudge", "serve"]
