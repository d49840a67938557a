"""The WSGI application: requests, long polls and streams alike."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tarneeb_service.settings")

application = get_wsgi_application()
