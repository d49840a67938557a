"""Settings. Everything that differs between machines comes from the environment; `docs/operating.md` lists it."""

from pathlib import Path
from typing import Any

import django_stubs_ext
from environs import Env

from tarneeb_service.local.discovery import local_environment

# Lets generic classes of Django be subscripted at run time too: `models.Field[str, str]`.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_DIR = Path(Env().str("LOCAL_DIR", str(BASE_DIR / ".local")))

# Where the environment names no servers, the embedded ones of the local default are used, if they run.
local_environment(LOCAL_DIR)

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

ROOT_URLCONF = "tarneeb_service.urls"
WSGI_APPLICATION = "tarneeb_service.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "access.User"

DATABASES: dict[str, Any] = {"default": env.dj_db_url("DATABASE_URL")}
BROKER_URL = env.str("BROKER_URL")
CACHE_URL = env.str("CACHE_URL", BROKER_URL)
CACHES: dict[str, Any] = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}}

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ar", "العربية")]

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
