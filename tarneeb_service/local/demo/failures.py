"""Why a demo did not come to its end. Each names a text of the catalogue and the facts that fill it."""


class DemoFailed(Exception):
    """The demo cannot go on. `text` is a key of `texts.CATALOGUE`."""

    def __init__(self, text: str, **facts: object) -> None:
        super().__init__(text, facts)
        self.text = text
        self.facts = facts


class ActionRefused(DemoFailed):
    """The match moved on before the action came: look again. It ends the demo only when that happens over and over."""
