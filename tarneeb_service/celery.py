"""The Celery application. Its settings stand in `settings.py`, its tasks in each app's `tasks.py`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tarneeb_service.settings")

app = Celery("tarneeb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
