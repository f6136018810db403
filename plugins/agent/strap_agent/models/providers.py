"""The providers of models: browser-use's class of each, and what it needs."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """One of browser-use's model classes: where it is, which variables hold its key."""

    path: str
    keys: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    """How the names of its own models begin."""
    url_keys: tuple[str, ...] = ()
    needs_url: bool = False
    own_only: bool = False
    """Whether it serves no other family than its own, unless another address is given."""
    prefixed: bool = False
    """Whether it names the models of others as `provider/model`."""
    variables: tuple[tuple[str, ...], ...] = ()
    """Variables that its class reads by itself, one of each group."""
    package: str = ""
    """Package that it needs beside browser-use."""


LLM = "browser_use.llm"
PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        f"{LLM}.anthropic.chat:ChatAnthropic", ("ANTHROPIC_API_KEY",), ("claude",),
        url_keys=("ANTHROPIC_BASE_URL",), own_only=True,
    ),
    "azure": Provider(
        f"{LLM}.azure.chat:ChatAzureOpenAI", ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_KEY"),
        url_keys=("AZURE_OPENAI_ENDPOINT",), needs_url=True,
    ),
    "bedrock": Provider(
        f"{LLM}.aws.chat_bedrock:ChatAWSBedrock",
        variables=(
            ("AWS_ACCESS_KEY_ID",),
            ("AWS_SECRET_ACCESS_KEY",),
            ("AWS_REGION", "AWS_DEFAULT_REGION"),
        ),
        package="boto3",
    ),
    "browser-use": Provider(
        f"{LLM}.browser_use.chat:ChatBrowserUse", ("BROWSER_USE_API_KEY",), ("bu-",),
        own_only=True, prefixed=True,
    ),
    "cerebras": Provider(f"{LLM}.cerebras.chat:ChatCerebras", ("CEREBRAS_API_KEY",)),
    "deepseek": Provider(
        f"{LLM}.deepseek.chat:ChatDeepSeek", ("DEEPSEEK_API_KEY",), ("deepseek",), own_only=True
    ),
    "google": Provider(
        f"{LLM}.google.chat:ChatGoogle", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), ("gemini",),
        own_only=True,
    ),
    "groq": Provider(f"{LLM}.groq.chat:ChatGroq", ("GROQ_API_KEY",)),
    "mistral": Provider(
        f"{LLM}.mistral.chat:ChatMistral", ("MISTRAL_API_KEY",), ("mistral", "codestral"),
        own_only=True,
    ),
    "ollama": Provider(
        f"{LLM}.ollama.chat:ChatOllama", url_keys=("OLLAMA_HOST",)
    ),
    "openai": Provider(
        f"{LLM}.openai.chat:ChatOpenAI", ("OPENAI_API_KEY",), ("gpt-", "chatgpt", "o1", "o3", "o4"),
        url_keys=("OPENAI_BASE_URL",), own_only=True,
    ),
    "openrouter": Provider(f"{LLM}.openrouter.chat:ChatOpenRouter", ("OPENROUTER_API_KEY",)),
    "vercel": Provider(f"{LLM}.vercel.chat:ChatVercel", ("AI_GATEWAY_API_KEY",)),
}  # fmt: skip
