"""Logs: one line an event on standard error, as text for people or as JSON, with the request's id on each."""

from typing import Any

import structlog
from structlog.types import Processor

SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def logging_settings(*, as_json: bool, level: str) -> dict[str, Any]:
    """Django's LOGGING: records of the standard library and of structlog leave by the same door."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    last: tuple[Processor, ...]
    if as_json:
        last = (structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer())
    else:
        last = (structlog.dev.ConsoleRenderer(colors=False),)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # A refused request is the caller's affair: Django would warn of every one.
            "django.request": {"level": "ERROR"},
            "django": {"handlers": [], "level": level, "propagate": True},
        },
    }
