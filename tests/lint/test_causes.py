"""A finding that follows from another is folded into it: which do, and which do not."""

import pytest
from support.transcripts import lint

from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.causes import TABLE
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
