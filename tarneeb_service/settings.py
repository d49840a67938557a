"""Settings. Everything that differs between machines comes from the environment; `docs/operating.md` lists it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import django_stubs_ext
from celery.schedules import crontab, schedule
from environs import Env
from kombu import Exchange, Queue

from tarneeb_service.local.discovery import cache_beside, local_environment
from tarneeb_service.logs import logging_settings

# Lets generic classes of Django be subscripted at run time too: `models.Field[str, str]`.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_DIR = Path(Env().str("LOCAL_DIR", str(BASE_DIR / ".local")))

# Where the environment names no servers, the embedded ones of the local default are used, if they run.
LOCALLY_SUPPLIED = local_environment(LOCAL_DIR)

env = Env()

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY")
# Seals the seeds of deals. Changing it makes the seeds of matches in play unreadable.
DEAL_SECRETS_KEY = env.str("DEAL_SECRETS_KEY", SECRET_KEY)
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "tarneeb_service.access",
    "tarneeb_service.http",
    "tarneeb_service.local",
    "matches",
    "matches.webhooks",
    "replays",
]

MIDDLEWARE = [
    "tarneeb_service.http.request_ids.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tarneeb_service.http.guard.GuardMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

ROOT_URLCONF = "tarneeb_service.urls"
WSGI_APPLICATION = "tarneeb_service.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "access.User"

# A pool where many requests share a process (gunicorn_conf.py sets its size), a lasting connection elsewhere. A
# restart of the database costs the requests that it cuts off and no later ones: `database.first_trip` says how.
DATABASE_POOL_SIZE = env.int("DATABASE_POOL_SIZE", 0)
DATABASE_POOL_WAIT_SECONDS = env.float("DATABASE_POOL_WAIT_SECONDS", 5.0)
_database: dict[str, Any] = {"OPTIONS": {}, **env.dj_db_url("DATABASE_URL")}
# The directory of a Unix socket stands in the URL's parameters: commands like dbshell look for it here.
_database["HOST"] = _database["OPTIONS"].pop("host", _database["HOST"])
_database["PORT"] = _database["OPTIONS"].pop("port", _database["PORT"])
if DATABASE_POOL_SIZE:
    _database["OPTIONS"]["pool"] = {
        "min_size": min(2, DATABASE_POOL_SIZE),
        "max_size": DATABASE_POOL_SIZE,
        "timeout": DATABASE_POOL_WAIT_SECONDS,
    }
else:
    # Tasks and commands ask first whether the connection from before still works.
    _database |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
# How often a statement is sent before the server is asked to keep its plan. Behind a pooler that hands out another
# server connection for each transaction, 0: never.
_database["OPTIONS"]["prepare_threshold"] = env.int("DATABASE_PREPARE_THRESHOLD", 3) or None
DATABASES = {"default": _database}

BROKER_URL = env.str("BROKER_URL")
CACHE_URL = env.str("CACHE_URL", cache_beside(BROKER_URL))
CACHES: dict[str, Any] = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}}

# Queues hold no truth: what a lost message would have done, the next sweep of the database does. So a worker confirms a
# message after its work, tasks can be run twice without harm, and nothing waits in a broker for a time to come.
CELERY_BROKER_URL = BROKER_URL
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name) for name in ("clocks", "webhooks", "analysis", "upkeep")
]
CELERY_TASK_DEFAULT_QUEUE = "upkeep"
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A message that a worker took and never confirmed is delivered again after the timeout; tasks are ended well before it.
CELERY_TASK_SOFT_TIME_LIMIT = 200
CELERY_TASK_TIME_LIMIT = 240
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 300}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
# Who sends from within a request does not keep the player waiting for a broker that is away.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.2}
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE: dict[str, Any] = {
    "ensure_partitions": {
        "task": "matches.tasks.ensure_partitions",
        "schedule": crontab(hour="0", minute="10"),
        "options": {"queue": "upkeep"},
    },
    "purge_answers": {
        "task": "tarneeb_service.http.tasks.purge_answers",
        "schedule": crontab(minute="20"),
        "options": {"queue": "upkeep"},
    },
}

# Webhooks go where tenants want them: in production never into the network that this service itself stands in.
WEBHOOK_ALLOW_PRIVATE = env.bool("WEBHOOK_ALLOW_PRIVATE", False)
WEBHOOK_PORTS: list[int] = env.list("WEBHOOK_PORTS", [80, 443, 8080, 8443], subcast=int)
WEBHOOK_REFUSED_NETWORKS: list[str] = env.list("WEBHOOK_REFUSED_NETWORKS", [])
WEBHOOK_CONNECT_SECONDS = env.float("WEBHOOK_CONNECT_SECONDS", 3.0)
WEBHOOK_TOTAL_SECONDS = env.float("WEBHOOK_TOTAL_SECONDS", 10.0)
WEBHOOK_PUMPS = env.int("WEBHOOK_PUMPS", 1)
WEBHOOK_WIDTH = env.int("WEBHOOK_WIDTH", 32)
WEBHOOK_KEEP_DAYS = env.int("WEBHOOK_KEEP_DAYS", 30)
# Seals the secrets that webhooks are signed with. Changing it makes those in use unreadable.
WEBHOOK_SECRETS_KEY = env.str("WEBHOOK_SECRETS_KEY", SECRET_KEY)
CELERY_BEAT_SCHEDULE |= {
    "deliver_webhooks": {
        "task": "matches.webhooks.tasks.deliver",
        "schedule": schedule(timedelta(seconds=1.0)),
        # What could not be sent in time has been overtaken by the next.
        "options": {"queue": "webhooks", "expires": 10},
    },
    "purge_deliveries": {
        "task": "matches.webhooks.tasks.purge_deliveries",
        "schedule": crontab(hour="1", minute="40"),
        "options": {"queue": "upkeep"},
    },
}

# Who waits for news of a match is woken by a hint through the cache's server; one that is lost costs this long.
LIVE_POLL_SECONDS = env.float("LIVE_POLL_SECONDS", 2.0)
# A stream whose reader takes nothing for so long is cut; the reader comes back with the last id.
LIVE_SLOWEST_READER_SECONDS = env.float("LIVE_SLOWEST_READER_SECONDS", 20.0)

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tarneeb_service.access.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["tarneeb_service.access.permissions.ReadOrPlay"],
    "DEFAULT_PARSER_CLASSES": ["tarneeb_service.http.parsing.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["tarneeb_service.http.rendering.JsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "tarneeb_service.http.rendering.Negotiation",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "tarneeb_service.http.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    # `?format=` belongs to the views: DRF would take it for a renderer's name.
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Tarneeb match service",
    "DESCRIPTION": "Matches of Tarneeb (طرنيب), the Arab partnership trick game: played, watched, replayed.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": ["matches.api.openapi.add_shapes", "matches.api.webhooks.add_messages"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

LOGGING = logging_settings(as_json=env.bool("LOG_JSON", False), level=env.str("LOG_LEVEL", "INFO"))

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ar", "العربية")]

STATIC_URL = "static/"
STATIC_ROOT = env.path("STATIC_ROOT", BASE_DIR / "staticfiles")
# Served from where the packages keep them; `collectstatic` is there for those who put a web server in front.
WHITENOISE_USE_FINDERS = True
