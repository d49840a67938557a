"""The ASGI application, for servers that speak nothing else. Views here are synchronous: WSGI serves them faster."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tarneeb_service.settings")

application = get_asgi_application()
