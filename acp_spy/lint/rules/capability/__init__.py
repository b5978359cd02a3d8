"""Family CAP: what was advertised."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.capability.advertised_but_missing import advertised_but_missing
from acp_spy.lint.rules.capability.hidden_capability import hidden_capability
from acp_spy.lint.rules.capability.login_without_methods import login_without_methods
from acp_spy.lint.rules.capability.unadvertised_agent_method import unadvertised_agent_method
from acp_spy.lint.rules.capability.unadvertised_auth_method import unadvertised_auth_method
from acp_spy.lint.rules.capability.unadvertised_client_method import unadvertised_client_method
from acp_spy.lint.rules.capability.unadvertised_config_option import unadvertised_config_option
from acp_spy.lint.rules.capability.unadvertised_content_accepted import (
    unadvertised_content_accepted,
)
from acp_spy.lint.rules.capability.unadvertised_directories_listed import (
    unadvertised_directories_listed,
)
from acp_spy.lint.rules.capability.unadvertised_elicitation import unadvertised_elicitation
from acp_spy.lint.rules.capability.unadvertised_elicitation_served import (
    unadvertised_elicitation_served,
)
from acp_spy.lint.rules.capability.unadvertised_field import unadvertised_field
from acp_spy.lint.rules.capability.unadvertised_mcp_transport import unadvertised_mcp_transport
from acp_spy.lint.rules.capability.unadvertised_own_feature import unadvertised_own_feature
from acp_spy.lint.rules.capability.unadvertised_prompt_content import unadvertised_prompt_content
from acp_spy.lint.rules.capability.unadvertised_update import unadvertised_update

RULES: tuple[Rule, ...] = (
    unadvertised_client_method,
    unadvertised_agent_method,
    unadvertised_prompt_content,
    unadvertised_mcp_transport,
    unadvertised_field,
    unadvertised_directories_listed,
    unadvertised_update,
    unadvertised_auth_method,
    unadvertised_config_option,
    unadvertised_elicitation,
    unadvertised_elicitation_served,
    unadvertised_own_feature,
    advertised_but_missing,
    hidden_capability,
    login_without_methods,
    unadvertised_content_accepted,
)
