"""How the keys of the big vendors look, as their own documents and the known scanners tell."""

from acp_spy.capture.secrets.shape import key, shape

_W, _A, _HEX = r"[A-Za-z0-9_-]", r"[A-Za-z0-9]", r"[0-9a-f]"

MODELS = (
    key("anthropic-key", "sk-ant-", rf"{_W}{{24,}}+", "sk-ant-api03-<95>", "sk-ant-api03-..."),
    key(
        "openai-key",
        "sk-proj- sk-svcacct- sk-admin- sk-None-",
        rf"{_W}{{20,}}+",
        "sk-proj-<156>",
        "sk-proj-YOUR_KEY",
    ),
    key("openrouter-key", "sk-or-v1-", rf"{_HEX}{{40,}}+", "sk-or-v1-<hex 64>", "sk-or-v1-model"),
    key(
        "langfuse-key",
        "sk-lf-",
        r"[0-9a-f-]{36}",
        "sk-lf-<hex 8>-<hex 4>-<hex 4>-<hex 4>-<hex 12>",
        "sk-lf-<hex 8>",
    ),
    # OpenAI's first ones, DeepSeek, Moonshot, Stability, LiteLLM and others.
    key("sk-key", "sk-", rf"{_A}{{20,}}+", "sk-<48>", "disk-<48>", mixed=True),
    key("groq-key", "gsk_", rf"{_A}{{40,}}+", "gsk_<52>", "gsk_priority_queue"),
    key("xai-key", "xai-", rf"{_A}{{60,}}+", "xai-<80>", "xai-grok-4"),
    key("perplexity-key", "pplx-", rf"{_A}{{40,}}+", "pplx-<48>", "pplx-70b-online"),
    key("huggingface-token", "hf_ api_org_", rf"{_A}{{30,}}+", "hf_<34>", "hf_hub_download"),
    key("replicate-token", "r8_", rf"{_A}{{37}}", "r8_<37>", "r8_register"),
    key("nvidia-key", "nvapi-", rf"{_W}{{40,}}+", "nvapi-<64>", "nvapi-version-2"),
    key("tavily-key", "tvly-", rf"{_W}{{20,}}+", "tvly-dev-<32>", "tvly-search"),
    key("cerebras-key", "csk-", r"[a-z0-9]{40,}+", "csk-<hex 48>", "csk-model"),
)

CLOUDS = (
    key("google-key", "AIza", rf"{_W}{{35}}(?!{_W})", "AIza<35>", "AIza<45>"),
    key("google-oauth-token", "ya29.", rf"{_W}{{20,}}+", "ya29.<120>", "ya29.html"),
    key("google-client-secret", "GOCSPX-", rf"{_W}{{24,}}+", "GOCSPX-<28>", "GOCSPX-x"),
    key(
        "aws-key-id",
        "AKIA ASIA ABIA ACCA",
        rf"[A-Z2-7]{{16}}(?!{_A})",
        "AKIA<upper 16>",
        "AKIAHEADQUARTERSOFTHEWEST",
    ),
    key(
        "aws-bedrock-key",
        "bedrock-api-key-",
        r"[A-Za-z0-9+/=]{30,}+",
        "bedrock-api-key-<200>",
        "bedrock-api-key-x",
    ),
    key("alibaba-key-id", "LTAI", rf"{_A}{{16,}}+", "LTAI<20>", "LTAILORED"),
    key("heroku-key", "HRKU-", rf"{_W}{{40,}}+", "HRKU-AA<58>", "HRKU-APP"),
    key("flyio-token", "fm1a_ fm1r_ fm2_ fo1_", r"[A-Za-z0-9+/=_-]{40,}+", "fm2_<200>", "fm2_x"),
    key("pulumi-token", "pul-", rf"{_HEX}{{40}}", "pul-<hex 40>", "pul-stack"),
    key(
        "planetscale-key",
        "pscale_tkn_ pscale_pw_ pscale_oauth_",
        r"[\w=.-]{32,}+",
        "pscale_tkn_<43>",
        "pscale_tkn_x",
    ),
    key("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,}+=*", "ABSK<128>", "ABSKIN"),
    shape(
        "azure-storage-key",
        "AccountKey=",
        r"AccountKey=([A-Za-z0-9+/]{80,}+=*)",
        "AccountName=x;AccountKey=<86>==;",
        "AccountKey=$KEY",
    ),
    key(
        "digitalocean-token",
        "doo_v1_ dop_v1_ dor_v1_",
        rf"{_HEX}{{64}}",
        "dop_v1_<hex 64>",
        "do_v1_<hex 64>",
    ),
    key("databricks-token", "dapi", rf"{_HEX}{{32}}", "dapi<hex 32>", "dapi<hex 12>"),
    key("vault-token", "hvs. hvb.", rf"{_W}{{24,}}+", "hvs.<95>", "hvs.service"),
    key(
        "supabase-key",
        "sbp_ sb_secret_",
        rf"{_W}{{20,}}+",
        "sbp_<hex 40>",
        "sb_publishable_<20>",
    ),
)

CODE = (
    key("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_A}{{36,}}+", "ghp_<36>", "ghp_<20>"),
    key("github-token", "github_pat_", r"\w{40,}+", "github_pat_<22>_<59>", "github_pat_name"),
    key(
        "gitlab-token",
        "glpat- gldt- glptt- glrt- glcbt- glft- glffct- gloas- glsoat- glimt- glagent-",
        rf"{_W}{{20,}}+(?:\.[0-9a-z]{{2,9}}+){{0,2}}",
        "glpat-<20>",
        "glpat-token",
    ),
    key("npm-token", "npm_", rf"{_A}{{36}}", "npm_<36>", "npm_config_cache"),
    key("pypi-token", "pypi-AgE", rf"{_W}{{50,}}+", "pypi-AgE<160>", "pypi-AgE"),
    key("docker-token", "dckr_pat_ dckr_oat_", rf"{_W}{{20,}}+", "dckr_pat_<27>", "dckr_pat_x"),
    key("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{60,}+", "ATATT3<180>", "ATATT3"),
    key(
        "sentry-token",
        "sntrys_ sntryu_",
        r"[A-Za-z0-9+/=_]{40,}+",
        "sntryu_<hex 64>",
        "sntrys_<9>",
    ),
    key("postman-key", "PMAK-", r"[0-9a-f-]{40,}+", "PMAK-<hex 24>-<hex 34>", "PMAK-x"),
    key("linear-key", "lin_api_ lin_oauth_", rf"{_A}{{32,}}+", "lin_api_<40>", "lin_api_url"),
    key("notion-token", "ntn_", rf"{_A}{{40,}}+", "ntn_<46>", "ntn_page"),
    key("figma-token", "figd_", rf"{_W}{{36,}}+", "figd_<40>", "figd_file"),
    key(
        "grafana-token",
        "glsa_ glc_",
        r"[A-Za-z0-9+/=_]{32,}+",
        "glsa_<32>_<hex 8>",
        "glsa_name",
    ),
)

MESSAGES_AND_MONEY = (
    key(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe.xoxb- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs- xapp-",
        r"[A-Za-z0-9%_-]{20,}+",
        "xoxb-<12>-<12>-<24>",
        "xoxb-token",
    ),
    shape(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/+_-]{20,}+)",
        "https://hooks.slack.com/services/T<8>/B<10>/<24>",
        "https://hooks.slack.com/services/T/B/X",
    ),
    shape(
        "discord-webhook",
        "/webhooks",
        r"/api/webhooks/(\d{10,25}/[A-Za-z0-9_-]{30,}+)",
        "https://discord.com/api/webhooks/1234567890123456/<68>",
        "https://discord.com/api/webhooks/",
    ),
    shape(
        "telegram-token",
        ":AA",
        rf":AA(?<=\d{{8}}:AA)({_W}{{32,34}})(?!{_W})",
        "123456789:AA<33>",
        "12:AA<33>",
    ),
    key(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        rf"{_A}{{16,}}+",
        "sk_live_<24>",
        "pk_live_<24>",
    ),
    key("sendgrid-key", "SG.", rf"{_W}{{16,32}}\.{_W}{{32,}}+", "SG.<22>.<43>", "SG.<22>"),
    key(
        "shopify-token",
        "shpat_ shpca_ shppa_ shpss_",
        r"[a-fA-F0-9]{32}",
        "shpat_<hex 32>",
        "shpat_x",
    ),
)

VENDORS = (*MODELS, *CLOUDS, *CODE, *MESSAGES_AND_MONEY)
