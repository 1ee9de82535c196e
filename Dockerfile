# The engine with MCP over HTTP, for one read-only folder of source: docs/container.md.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY server server
COPY clients/agents clients/agents
COPY docs/surveyor.1 docs/surveyor.1
COPY packaging/completions packaging/completions
RUN python -m venv /opt/surveyor && /opt/surveyor/bin/pip install --no-cache-dir .

FROM python:3.11-slim-bookworm
# Debian's archive keeps no older version of git that could be pinned.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 surveyor \
 && install --directory --owner=surveyor --mode=0700 /data
COPY --from=build /opt/surveyor /opt/surveyor
COPY --chmod=0755 clients/container/entrypoint.sh /usr/local/bin/surveyor-engine
# `engine.idle_timeout` 0: the container ends with its engine, and so only when it is told to.
ENV PATH=/opt/surveyor/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    SURVEYOR_DATA_DIR=/data \
    SURVEYOR_ENGINE__IDLE_TIMEOUT=0 \
    SURVEYOR_MCP__HTTP=true \
    SURVEYOR_MCP__HOST=0.0.0.0 \
    SURVEYOR_MCP__PORT=8765 \
    SURVEYOR_WORKSPACE=/workspace
USER 10001
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --start-period=20s CMD ["surveyor", "engine", "status"]
ENTRYPOINT ["surveyor-engine"]
