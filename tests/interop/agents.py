"""The real agents: where each comes from, how it is pointed at our stand-in, which tools it has."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_spy.errors import AcpSpyError

from .lab import LAB, filled, npm, run

PORT = 8080
API = f"http://127.0.0.1:{PORT}"
NOTES = "/home/dev/project/notes.txt"
KEY = "dummy"


@dataclass(frozen=True)
class Agent:
    """One release of one agent. `read` needs no leave, `mend` does; both are (tool, arguments)."""

    name: str
    language: str
    package: str  # `npm NAME` or `pypi NAME`
    version: str
    program: str  # below the folder that it is installed in
    read: tuple[str, dict[str, Any]]
    mend: tuple[str, dict[str, Any]]
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # below its home

    @property
    def folder(self) -> Path:
        """Where it is, or will be, installed."""
        return LAB / "agents" / f"{self.name}-{self.version}"

    def install(self) -> None:
        """Install it if it is not there."""
        source, _, name = self.package.partition(" ")

        def from_npm(folder: Path) -> None:
            wanted = {"private": True, "dependencies": {name: self.version}}
            (folder / "package.json").write_text(json.dumps(wanted))
            npm(folder)

        if source == "npm":
            filled(self.folder, from_npm)
        elif not (self.folder / "complete").exists():  # a virtual environment cannot be moved
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            run([_newer_python(), "-m", "venv", str(self.folder)], LAB)
            pip = str(self.folder / "bin" / "pip")
            run([pip, "install", "-q", f"{name}=={self.version}"], LAB)
            (self.folder / "complete").touch()

    def command(self, node: str) -> list[str]:
        """Return the command line that starts it."""
        program = str(self.folder / self.program)
        return [*([node] if program.endswith(".js") else []), program, *self.arguments]


def _newer_python() -> str:
    """Find a Python that the agents can do with; ours may be too old."""
    places = [shutil.which(f"python3.{minor}") for minor in (13, 12)]
    places += map(str, sorted(Path.home().glob(".pyenv/versions/3.1[23].*/bin/python3")))
    for place in filter(None, places):
        if subprocess.run([place, "--version"], capture_output=True, check=False).returncode == 0:
            return place
    raise AcpSpyError("Python 3.12 or 3.13 is needed and not there", hint="install one of them")


CLAUDE = Agent(
    name="claude",
    language="TypeScript",
    package="npm @agentclientprotocol/claude-agent-acp",
    version="0.99.0",
    program="node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js",
    environment={
        "ANTHROPIC_BASE_URL": API,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    },
    read=("Read", {"file_path": NOTES}),
    mend=("Edit", {"file_path": NOTES, "old_string": "teh", "new_string": "the"}),
)

CODEX = Agent(
    name="codex",
    language="Rust",
    package="npm @zed-industries/codex-acp",
    version="0.16.0",
    program="node_modules/@zed-industries/codex-acp/bin/codex-acp.js",
    environment={"OPENAI_API_KEY": KEY},
    files={
        ".codex/config.toml": f"""
            model = "gpt-5-codex"
            model_provider = "stand-in"
            approval_policy = "untrusted"
            sandbox_mode = "danger-full-access"
            [model_providers.stand-in]
            name = "stand-in"
            base_url = "{API}/v1"
            env_key = "OPENAI_API_KEY"
            wire_api = "responses"
            """
    },
    read=("exec_command", {"cmd": f"cat {NOTES}"}),
    mend=("exec_command", {"cmd": f"sed -i s/teh/the/ {NOTES}"}),
)

GEMINI = Agent(
    name="gemini",
    language="TypeScript",
    package="npm @google/gemini-cli",
    version="0.61.0",
    program="node_modules/@google/gemini-cli/bundle/gemini.js",
    arguments=("--acp", "-m", "gemini-2.5-pro"),
    environment={
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": API,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    files={
        ".gemini/settings.json": json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False},
            }
        )
    },
    read=("read_file", {"file_path": NOTES}),
    mend=(
        "replace",
        {
            "file_path": NOTES,
            "instruction": "Mend the typo.",
            "old_string": "teh",
            "new_string": "the",
        },
    ),
)

OPENCODE = Agent(
    name="opencode",
    language="TypeScript",
    package="npm opencode-ai",
    version="1.18.18",
    program="node_modules/.bin/opencode",
    arguments=("acp",),
    environment={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    files={
        ".config/opencode/opencode.json": json.dumps(
            {
                "autoupdate": False,
                "share": "disabled",
                "model": "stand-in/stand-in",
                "small_model": "stand-in/stand-in",
                "permission": {"edit": "ask", "bash": "ask"},
                "provider": {
                    "stand-in": {
                        "npm": "@ai-sdk/openai-compatible",
                        "name": "Stand-in",
                        "options": {"baseURL": f"{API}/v1", "apiKey": KEY},
                        "models": {
                            "stand-in": {
                                "name": "Stand-in",
                                "tool_call": True,
                                "limit": {"context": 200_000, "output": 8_000},
                            }
                        },
                    }
                },
            }
        )
    },
    read=("read", {"filePath": NOTES}),
    mend=("edit", {"filePath": NOTES, "oldString": "teh", "newString": "the"}),
)

KIMI = Agent(
    name="kimi",
    language="Python",
    package="pypi kimi-cli",
    version="1.44.0",
    program="bin/kimi",
    arguments=("acp",),
    files={
        ".kimi/config.toml": f"""
            default_model = "stand-in"
            [models.stand-in]
            provider = "stand-in"
            model = "kimi-k2"
            max_context_size = 200000
            [providers.stand-in]
            type = "kimi"
            base_url = "{API}/v1"
            api_key = "{KEY}"
            """,
        ".kimi/credentials/kimi-code.json": json.dumps(
            {
                "access_token": KEY,
                "refresh_token": KEY,
                "expires_at": 4_102_444_800,
                "scope": "",
                "token_type": "Bearer",
                "expires_in": 999_999_999,
            }
        ),
    },
    read=("ReadFile", {"path": NOTES}),
    mend=("StrReplaceFile", {"path": NOTES, "edit": {"old": "teh", "new": "the"}}),
)

VIBE = Agent(
    name="vibe",
    language="Python",
    package="pypi mistral-vibe",
    version="3.0.2",
    program="bin/vibe-acp",
    environment={"STAND_IN_KEY": KEY, "MISTRAL_API_KEY": KEY},
    files={
        ".vibe/config.toml": f"""
            active_model = "stand-in"
            enable_telemetry = false
            enable_update_checks = false
            enable_auto_update = false
            [[providers]]
            name = "stand-in"
            api_base = "{API}/v1"
            api_key_env_var = "STAND_IN_KEY"
            api_style = "openai"
            backend = "generic"
            [[models]]
            name = "stand-in"
            provider = "stand-in"
            alias = "stand-in"
            """
    },
    read=("read_file", {"path": NOTES}),
    mend=("bash", {"command": f"sed -i s/teh/the/ {NOTES}"}),
)

AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX, GEMINI, OPENCODE, KIMI, VIBE)}
