"""Settings. Everything that differs between machines comes from the environment; `docs/operating.md` lists it."""

from pathlib import Path
from typing import Any

import django_stubs_ext
from environs import Env

from tarneeb_service.local.discovery import cache_beside, local_environment

# Lets generic classes of Django be subscripted at run time too: `models.Field[str, str]`.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_DIR = Path(Env().str("LOCAL_DIR", str(BASE_DIR / ".local")))

# Where the environment names no servers, the embedded ones of the local default are used, if they run.
LOCALLY_SUPPLIED = local_environment(LOCAL_DIR)

env = Env()

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY")
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
    "replays",
]

MIDDLEWARE = [
    "tarneeb_service.http.request_ids.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

ROOT_URLCONF = "tarneeb_service.urls"
WSGI_APPLICATION = "tarneeb_service.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
if (BASE_DIR / "tarneeb_service/access/models.py").exists():  # until it is written
    AUTH_USER_MODEL = "access.User"
if not (BASE_DIR / "tarneeb_service/http/request_ids.py").exists():  # until it is written
    del MIDDLEWARE[0]

# A pool where many requests share a process (gunicorn_conf.py sets its size), a lasting connection elsewhere. Both are
# checked before use, so that a restart of the database costs the requests that it cuts off and no later ones.
DATABASE_POOL_SIZE = env.int("DATABASE_POOL_SIZE", 0)
DATABASE_POOL_WAIT_SECONDS = env.float("DATABASE_POOL_WAIT_SECONDS", 5.0)
_database: dict[str, Any] = {"OPTIONS": {}, **env.dj_db_url("DATABASE_URL", conn_health_checks=True)}
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
    _database["CONN_MAX_AGE"] = 60
DATABASES = {"default": _database}

BROKER_URL = env.str("BROKER_URL")
CACHE_URL = env.str("CACHE_URL", cache_beside(BROKER_URL))
CACHES: dict[str, Any] = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}}

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ar", "العربية")]

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
