"""browser-use as it comes, in a browser that is there already: `… CDP_URL MODEL_URL PAGE STEPS`."""

import asyncio
import sys


async def main(cdp_url: str, model_url: str, page: str, steps: int) -> None:
    from browser_use import Agent, BrowserSession, ChatOpenAI

    agent = Agent(
        task=f"look around at {page}",
        llm=ChatOpenAI(model="scripted", base_url=model_url, api_key="x", max_retries=0),
        browser_session=BrowserSession(cdp_url=cdp_url, headless=False, no_viewport=True),
        use_judge=False,
    )
    await agent.run(max_steps=steps)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
