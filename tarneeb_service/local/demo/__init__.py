"""The demo table: four clients play a real match over the public REST API and show it in the terminal.

It stands outside the service on purpose, like any backend that would use it: HTTP is all it knows, and nothing here
imports the engine or Django. `views` is what the API answers, `strategy` what a player makes of it, `client` the wire,
`table` the loop, `story` and `screen` what a watcher sees, `texts` every word of it in English and Arabic.
"""
