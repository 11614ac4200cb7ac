"""One conversation of the OpenHands SDK in the working directory, with the packages of another environment.

python openhands_run.py PROMPT [MODE]: the hooks are those of the files, and the model is at the address in MODEL_URL. MODE says
which calls wait for a user: never, always or risky. In the mode approved all of them wait, and a user approves each.
"""

import os
import sys
from pathlib import Path

from openhands.sdk import LLM, Agent, Conversation, Tool  # type: ignore[import-not-found]
from openhands.sdk.hooks import HookConfig  # type: ignore[import-not-found]
from openhands.sdk.security import confirmation_policy as policies  # type: ignore[import-not-found]
from openhands.tools.terminal import TerminalTool  # type: ignore[import-not-found]
from pydantic import SecretStr

#: The number of calls that a user approves.
APPROVED = 3


def main(prompt: str, mode: str = "never") -> None:
    """Send the prompt, and run until the agent ends or waits for a user."""
    model = LLM(
        model="openai/made-up",
        api_key=SecretStr("sk-made-up"),
        base_url=f"{os.environ['MODEL_URL']}/v1",
        usage_id="agent",
        num_retries=0,
        native_tool_calling=True,
    )
    tool = Tool(name=TerminalTool.name, params={"terminal_type": "subprocess"})
    conversation = Conversation(
        agent=Agent(llm=model, tools=[tool]),
        workspace=str(Path.cwd()),
        hook_config=HookConfig.load(working_dir=str(Path.cwd())),
        visualizer=None,
        max_iteration_per_run=12,
    )
    conversation.send_message(prompt)
    if mode in ("always", "approved"):
        conversation.set_confirmation_policy(policies.AlwaysConfirm())
    elif mode == "risky":
        conversation.set_confirmation_policy(policies.ConfirmRisky())
    conversation.run()
    if mode == "approved":
        for _ in range(APPROVED):
            conversation.run()
    conversation.close()


main(*sys.argv[1:])
