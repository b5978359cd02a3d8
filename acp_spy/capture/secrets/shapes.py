"""All shapes: those of the vendors, and those of any secret that is spelled as one."""

from acp_spy.capture.secrets.shape import shape
from acp_spy.capture.secrets.vendors import VENDORS

SHAPES = (
    *VENDORS,
    shape(
        "jwt",
        "eyJ",
        r"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{12,}+\.eyJ[A-Za-z0-9_-]{12,}+\.[A-Za-z0-9_-]*+",
        "eyJ<33>.eyJ<70>.<43>",
        "eyJ<33>",
    ),
    shape(
        "private-key",
        "PRIVATE",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?=[\w+/=\s\\:,.()-]{40})"
        r"(?:\s|\\[nr])*+((?:[\w+/=\s\\:,.()]++|-(?!----))++)",
        "-----BEGIN RSA PRIVATE KEY-----\n<64>\n<64>\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n<64>\n-----END PUBLIC KEY-----",
    ),
    shape(
        "age-key",
        "AGE-SECRET-KEY-1",
        r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+",
        "AGE-SECRET-KEY-1<upper 58>",
        "AGE-SECRET-KEY-1...",
    ),
    shape(
        "authorization",
        "Bearer bearer BEARER Basic uthorization",
        # Not (?i): without a set of first letters the search is five times slower.
        r"(?<![A-Za-z])(?:[Bb]earer|BEARER|Basic|[Aa]uthorization[\"']?[:=]\s{0,3}[\"']?token)"
        r"\s{1,3}([A-Za-z0-9._~+/=-]{16,}+)",
        "Authorization: Bearer <32>",
        "Authorization: Bearer YOUR_TOKEN_GOES_HERE",
        mixed=True,
    ),
    shape(
        "url-password",
        "@",
        r":(?<=[a-z0-9+]:)\\?/\\?/[^\s/:@\"'<>?#\\]{0,256}:([^\s/@\"'<>?#\\]{1,256})@",
        "postgres://alice:<12>@db.example.com/main",
        "http://localhost:8080/@scope/name",
    ),
    shape(
        "url-token",
        "@",
        r"https?:\\?/\\?/([A-Za-z0-9_-]{20,256})@",
        "https://<40>@git.example.com/project.git",
        "https://git@git.example.com/project.git",
        mixed=True,
    ),
    shape(
        "url-parameter",
        "key= Key= oken= ecret= ssword= sig= ature= ential= KEY= TOKEN=",
        r"[?&;](?i:(?:[a-z0-9]{1,12}[_-]){0,3}(?:api_?key|key|(?:access|auth|id)?token|secret"
        r"|password|sig|signature|credential)=)([^\s&\"'<>#;\\]{12,}+)",
        "https://example.com/v1?alt=sse&key=<39>",
        "https://example.com/?key=enter",
        mixed=True,
    ),
    shape(
        "cookie",
        "ookie:",
        r"[Cc]ookie:[ \t]{0,3}([^\s\"'<>][^\r\n\"'<>]{15,}+)",
        "Set-Cookie: session=<32>; Path=/",
        "Cookie: none",
        mixed=True,
    ),
    shape(  # in a line for a shell
        "option",
        "-key -token -secret -password -passphrase",
        r"--(?:[a-z0-9]{1,20}-){0,4}(?:key|token|secret|password|passphrase)[= ][\"']?"
        r"([^\s\"'$<-][^\s\"'<>]{7,}+)",
        "acme --api-key <12> --verbose",
        "acme --api-key your-api-key --key-file <12>",
        mixed=True,
    ),
    shape(
        "variable",
        "TOKEN= SECRET= PASSWORD= PASSWD= KEY= _PAT=",
        r"(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|_KEY|_PAT)=[\"']?([^\s\"'$&;|<>()]{8,}+)",
        "export ACME_TOKEN='<12>'",
        "ACME_TOKEN=${OTHER_TOKEN_1}",
        mixed=True,
    ),
    shape(
        "assignment",
        # `tokens` are counted in every turn. What follows `token` may be escaped.
        (
            *(
                "oken=",
                "oken:",
                "oken ",
                'oken"',
                "oken'",
                "oken`",
                "oken\\",
                "OKEN",
                "ecret",
                "ECRET",
            ),
            *("_key", "_KEY", "-key", "-KEY", "apikey", "piKey", "APIKEY", "ssKey"),
            *("assw", "ASSW", "assphrase", "ASSPHRASE"),
        ),
        r"(?:[Aa]pi-?[Kk]ey|API-?KEY|[Aa]ccessKey|_key|_KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET"
        r"|[Pp]assw(?:or)?d|PASSW(?:OR)?D|[Pp]assphrase|PASSPHRASE)"
        r"[\"'`]?[ \t]{0,3}[=:][ \t]{0,3}[\"'`]?([A-Za-z0-9_+/=~-]{16,}+)(?![(\[.])",
        "acme_api_key: <24>",
        "token = next_token_or_none",
        mixed=True,
    ),
)
