"""One conversation of the OpenHands SDK in the working directory, with the packages of another environment.

python openhands_run.py PROMPT: the hooks are those of the files, and the model is at the address in MODEL_URL.
"""

import os
import sys
from pathlib import Path

from openhands.sdk import LLM, Agent, Conversation, Tool  # type: ignore[import-not-found]
from openhands.sdk.hooks import HookConfig  # type: ignore[import-not-found]
from openhands.tools.terminal import TerminalTool  # type: ignore[import-not-found]
from pydantic import SecretStr


def main(prompt: str) -> None:
    """Send the prompt, and run until the agent ends."""
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
    conversation.run()
    conversation.close()


main(sys.argv[1])
