"""The path of a call through the router."""

import asyncio
from dataclasses import replace

import pytest

from strap import Call, Context, Denial, Result, StrapError, action, hookimpl, testing

from . import sample

pytestmark = pytest.mark.anyio


@pytest.fixture
async def web(tmp_path):
    async with testing.router(sample, home=tmp_path) as opened:
        yield opened


async def test_runs_an_action(web):
    result = await web(resource="sample", action="greet", name="Ada", times=2)
    assert result.text == "hello Ada hello Ada"


async def test_resource_may_be_left_out_where_the_action_says_enough(web):
    assert (await web(action="greet", name="Ada")).text == "hello Ada"


async def test_unknown_resource(web):
    error = await web.fails(resource="sampel", action="greet")
    assert error.code == "unknown_resource"
    assert str(error).startswith("Unknown resource: 'sampel' (valid: ")
    assert str(error).endswith("Did you mean 'sample'?")


async def test_unknown_action(web):
    error = await web.fails(resource="sample", action="great")
    assert str(error) == (
        "Unknown action: 'great' for resource 'sample' (valid: contract, count, crash, fail, "
        "flood, greet, halves, hang, help, relay). Did you mean 'greet'?"
    )


async def test_no_action_given(web):
    assert "No action given for resource 'sample'" in str(await web.fails(resource="sample"))
    assert "No resource and action given" in str(await web.fails())


async def test_all_problems_come_in_one_message(web):
    error = await web.fails(resource="sample", action="greet", times="many", moood="kind")
    assert str(error) == (
        "sample.greet: 'name' is missing; 'times' must be a whole number, "
        "not 'many'; unknown field 'moood' (did you mean 'mood'?). "
        "Takes: greet name [times mood headers tags url]."
    )


async def test_a_field_of_another_action_names_that(tmp_path):
    async with testing.router(home=tmp_path) as web:
        error = await web.fails(resource="browser", action="evaluate", text="1", task="Buy a pen")
        assert "unknown field 'task' (a field of eval). Takes: evaluate text [" in str(error)
        error = await web.fails(resource="browser", action="evaluate", text="1", url="/")
        assert "unknown field 'url'. Takes:" in str(error)  # of many, so of none


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "a", "headers": '{"a": "\\ud800"}'}, "'headers.a' is not valid Unicode (a lone"),
        ({"name": "a", "headers": '{"a":' * 100_000}, "'headers' must be a map of names to values"),
        ({"name": 10**5000}, "The arguments have an integer of more than 1024 bits."),
        ({"name": "a", "times": "1.5"}, "'times' must be a whole number, not '1.5'"),
        ({"name": "a", "times": 1.5}, "'times' must be a whole number, not 1.5"),
        ({"name": "a", "mood": "odd"}, "'mood' must be 'kind' or 'curt', not 'odd'"),
        ({"name": "a", "tags": 5}, "'tags' must be a list, not 5"),
        ({"name": "x" * 1_000_001}, "'name' must have at most 1000000 characters"),
        ({"name": {"a": 1}}, "'name' must be a string, not {'a': 1}"),
        ({"name": "a", "timeout": -1}, "'timeout' must be greater than 0, not -1"),
        ({"name": "a", "timeout": float("nan")}, "'timeout' must be"),
        ({"name": "a", "k" * 5000: 1}, "unknown field 'kkkkk"),
    ],
)
async def test_bad_values_are_named_and_cut(web, fields, said):
    error = await web.fails(resource="sample", action="greet", **fields)
    assert said in str(error)
    assert len(str(error)) < 500


async def test_arguments_that_are_no_object(web):
    with pytest.raises(StrapError, match="must be an object"):
        await web.router.call(["resource"])


async def test_lenient_where_clients_differ(web):
    result = await web(
        resource="sample", action="greet", name=7, times="2", url=None, headers='{"a": "b"}'
    )
    assert result.text == "hello 7 hello 7"
    assert result.data["params"].headers == {"a": "b"}


async def test_an_action_error_passes_unchanged(web):
    error = await web.fails(resource="sample", action="fail")
    assert (str(error), error.code, error.retryable) == (
        "The sample failed. Call greet.",
        "sample",
        True,
    )


async def test_foreign_errors_are_hidden(web, caplog):
    error = await web.fails(resource="sample", action="crash")
    where = "sample.crash of plugin 'tests.unit.sample'"
    assert str(error) == f"Internal error (KeyError) in {where}; the details are in strap's log."
    assert "secret detail" in caplog.text


async def test_the_time_limit_is_enforced(web):
    error = await web.fails(resource="sample", action="hang")
    assert (error.code, error.retryable) == ("timeout", True)
    assert "sample.hang did not finish within 0.2" in str(error)
    assert sample.OPENED[-1].events == ["cancelled"]


async def test_the_caller_may_change_the_limit(web):
    error = await web.fails(resource="sample", action="hang", timeout=0.05)
    assert "did not finish within" in str(error)


async def test_a_cancelled_call_is_stopped(web):
    await web(resource="sample", action="greet", name="Ada")
    state = sample.OPENED[-1]
    task = asyncio.create_task(web(resource="sample", action="hang", timeout=30))
    await state.waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert state.events == ["cancelled"]


async def test_a_state_is_of_one_event_loop(web):
    """Another one would wait for ever, or find locks that are not its own."""
    await web(resource="sample", action="count")
    error = await asyncio.to_thread(
        lambda: asyncio.run(web.fails(resource="sample", action="count"))
    )
    assert str(error) == (
        "This router was opened in another event loop. "
        "Open one in each: `async with strap.open_router() as web`."
    )
    await web(resource="sample", action="count")


async def test_text_is_bounded_as_a_last_resort(web):
    result = await web(resource="sample", action="flood", max_tokens=100)
    assert len(result.text) < 900
    assert result.text.endswith("more characters; repeat with a larger max_tokens to see them]")
    assert len(result.images) == 1


async def test_progress_reaches_the_caller(web):
    said = []

    async def report(message, done, total):
        said.append((message, done, total))

    await web.router.call({"resource": "sample", "action": "count"}, progress=report)
    assert said == [("one", 1, None), ("two", 2, 2)]


async def test_a_contract_renders_what_happens_around_its_action(web):
    invalid = await web(resource="sample", action="contract")
    assert invalid == Result(text="object: invalid_arguments", is_error=True)
    crashed = await web(resource="sample", action="contract", name="crash")
    assert (crashed.text, crashed.is_error) == ("object: internal", True)
    late = await web(resource="sample", action="contract", name="Ada")
    assert late == Result(text="object: timeout", is_error=True)


async def test_answer_renders_errors(web):
    result, error = await web.router.answer({"resource": "sample", "action": "fail"})
    assert result == Result(text="The sample failed. Call greet.", is_error=True)
    assert error.code == "sample"


async def test_state_is_opened_once_and_closed(tmp_path):
    async with testing.router(sample, home=tmp_path) as web:
        before = len(sample.OPENED)
        await asyncio.gather(*(web(resource="sample", action="greet", name="A") for _ in range(9)))
        assert len(sample.OPENED) == before + 1
        await web.router.end_session("local/local")
    assert sample.OPENED[-1].events == ["end local/local", "closed"]


async def test_nothing_is_opened_for_bad_arguments(tmp_path):
    before = len(sample.OPENED)
    async with testing.router(sample, home=tmp_path) as web:
        await web.fails(resource="sample", action="greet")
    assert len(sample.OPENED) == before


async def test_a_session_is_begun_where_the_transport_has_none(web):
    stateless = web.as_caller(None)
    result = await stateless(resource="sample", action="greet", name="Ada")
    handle = result.data["key"].split("/")[1]
    assert result.text == f'hello Ada\nsession: "{handle}" (give it with every further call)'
    again = await stateless(resource="sample", action="greet", name="Ada", session=handle)
    assert again.text == "hello Ada"
    assert again.data["key"] == result.data["key"]


async def test_callers_never_share_a_key(web):
    keys = set()
    for session, handle in [("a", None), ("b", None), ("a", "h"), (None, "h"), (None, None)]:
        given = {"session": handle} if handle else {}
        result = await web.as_caller(session)(
            resource="sample", action="greet", name="Ada", **given
        )
        keys.add(result.data["key"])
    assert len(keys) == 5


async def test_denied_by_policy(tmp_path):
    async with testing.router(sample, home=tmp_path, deny=["sample.greet"]) as web:
        error = await web.fails(resource="sample", action="greet", name="Ada")
        assert error.code == "denied"
        assert "The policy does not allow sample.greet." in str(error)
        assert "greet" not in (await web(resource="sample", action="help")).text


async def test_denied_by_host(tmp_path):
    async with testing.router(sample, home=tmp_path, deny=["*@*.example.com"]) as web:
        ask = {"resource": "sample", "action": "greet", "name": "Ada"}
        assert (await web(**ask, url="https://example.org/")).text == "hello Ada"
        error = await web.fails(**ask, url="https://evil.example.com/")
        assert "does not allow sample.greet for 'https://evil.example.com/'" in str(error)


class Order:
    def __init__(self, name, seen):
        self.name, self.seen = name, seen

    @hookimpl
    def strap_wrap_call(self, call):
        async def wrapper(call, call_next):
            self.seen.append(f"{self.name} in")
            result = await call_next(call)
            self.seen.append(f"{self.name} out")
            return result

        return wrapper


async def test_wrappers_run_first_registered_outermost(tmp_path):
    seen = []
    a, b = Order("a", seen), Order("b", seen)
    a.__name__, b.__name__ = "a", "b"
    async with testing.router(sample, a, b, home=tmp_path) as web:
        await web(resource="sample", action="greet", name="Ada")
    assert seen == ["a in", "b in", "b out", "a out"]


class Swap:
    """Replaces the parameters after the fact; the policy must check what really runs."""

    @hookimpl
    def strap_wrap_call(self, call):
        async def wrapper(call, call_next):
            params = call.params.model_copy(update={"url": "https://evil.example.com/"})
            return await call_next(
                Call(
                    resource=call.resource,
                    action=call.action,
                    effect=call.effect,
                    params=params,
                    caller=call.caller,
                )
            )

        return wrapper


async def test_no_wrapper_changes_what_the_policy_checked(tmp_path):
    async with testing.router(sample, Swap(), home=tmp_path, deny=["*@evil.example.com"]) as web:
        error = await web.fails(resource="sample", action="greet", name="Ada")
    assert error.code == "denied"


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Denial(reason="Not today.", hint="Tomorrow."), "Not today. Tomorrow."),
        (False, "gave False"),
        (True, "gave True"),
        (ZeroDivisionError(), "failed, so the call is denied"),
    ],
)
async def test_any_doubt_denies(tmp_path, verdict, said):
    class Check:
        @hookimpl
        def strap_check_call(self, call):
            if isinstance(verdict, Exception):
                raise verdict
            return verdict

    async with testing.router(sample, Check(), home=tmp_path) as web:
        error = await web.fails(resource="sample", action="greet", name="Ada")
    assert error.code == "denied"
    assert said in str(error)


async def test_help_of_a_resource_and_of_an_action(web):
    overview = (await web(resource="sample", action="help")).text
    assert "- greet name [times mood headers tags url]: Greet somebody." in overview
    text = (await web(resource="sample", action="help", value="greet")).text
    assert "More about greeting." in text
    assert "- name (string, required): Person to greet." in text
    assert "- mood (kind|curt, default 'kind')" in text
    error = await web.fails(resource="sample", action="help", value="gret")
    assert "Did you mean 'greet'?" in str(error)


async def test_an_action_may_call_another_by_all_rules(tmp_path):
    async with testing.router(sample, home=tmp_path, deny=["sample.fail"]) as web:
        result = await web(resource="sample", action="relay", name="greet")
        assert result.text == "hello Ada"
        denied = await web.fails(resource="sample", action="relay", name="fail")
        assert denied.code == "denied"


async def test_actions_that_call_each_other_for_ever_are_stopped(tmp_path):
    @action("sample", effect="read")
    async def again(params: sample.Nothing, ctx: Context) -> Result:
        """Call itself."""
        return await ctx.web(resource="sample", action="again")

    class Again:
        @hookimpl
        def strap_register_actions(self, config):
            return [again]

    async with testing.router(sample, Again(), home=tmp_path) as web:
        error = await web.fails(resource="sample", action="again")
    assert "4 deep" in str(error)


async def test_a_wrapper_that_cannot_be_made_is_named(tmp_path):
    class Broken:
        @hookimpl
        def strap_wrap_call(self, call):
            raise ZeroDivisionError

    async with testing.router(sample, Broken(), home=tmp_path) as web:
        error = await web.fails(resource="sample", action="greet", name="Ada")
    assert str(error) == "The wrapper of plugin 'Broken' failed."


async def test_a_wrapper_that_returns_something_else_is_named(tmp_path):
    class Broken:
        @hookimpl
        def strap_wrap_call(self, call):
            async def wrapper(call, call_next):
                return "text"

            return wrapper

    async with testing.router(sample, Broken(), home=tmp_path) as web:
        error = await web.fails(resource="sample", action="greet", name="Ada")
    assert str(error) == "The wrapper of plugin 'Broken' returned no Result."


async def test_half_characters_are_replaced_both_ways(web):
    result = await web(resource="sample", action="greet", name="a\ud83d")
    assert result.text == "hello a\ufffd"
    text = (await web(resource="sample", action="halves")).text
    assert text == "left \ufffd right"
    answer, _ = await web.router.answer({"resource": "\ud83d", "action": "greet"})
    assert "\ufffd" in answer.text


@pytest.mark.parametrize("field", ["tags", "headers", "odd"])
async def test_deep_nesting_is_refused(web, field):
    nested = []
    for _ in range(5000):
        nested = [nested]
    error = await web.fails(resource="sample", action="greet", name="a", **{field: nested})
    assert str(error) == "The arguments are nested too deeply (at most 32 levels)."


LONG = "h" * 500_000


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"resource": LONG, "action": "greet"}, "(valid: "),
        ({"resource": "sample", "action": LONG}, "(valid: contract"),
        ({"action": LONG}, "(resources: "),
        ({"resource": "sample", "action": "help", "value": LONG}, "(valid: contract"),
        ({"resource": [LONG] * 9, "action": "greet"}, "(valid: "),
        ({"resource": "sample", "action": "greet", LONG: 1}, "Takes: greet name"),
        ({"resource": "sample", "action": "greet"} | dict.fromkeys(map(str, range(999))), "Takes"),
    ],
)
async def test_a_huge_name_is_not_repeated(web, fields, said):
    error = await web.fails(**fields)
    assert said in str(error)
    assert len(str(error)) < 700
    assert "Did you mean" not in str(error)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("sample", "No action given for resource 'sample' (valid: contract, "),
        ("help", "Several resources have an action 'help' (browser, http, sample, search): give"),
        ([], "No resource given, and no action is called [] (resources: "),
        ({}, "No resource given, and no action is called {} (resources: "),
    ],
)
async def test_an_action_without_its_resource(web, action, said):
    assert said in str(await web.fails(action=action))


async def test_a_resource_runs_around_each_of_its_actions_with_its_state(tmp_path):
    seen = []

    async def around(context, go_on):
        seen.append((context.call.action, type(context.state).__name__))
        if getattr(context.call.params, "mood", "") == "curt":
            return Result(text="not now")
        return await go_on()

    class Watched:
        @hookimpl
        def strap_register_resources(self, config):
            resource = replace(sample.sample, name="watched", around=around)
            return [resource]

        @hookimpl
        def strap_register_actions(self, config):
            return [action("watched", effect="read", name="greet")(greet)]

    async def greet(params: sample.Greet, ctx: Context) -> Result:
        """Say hello."""
        return Result(text=f"hello {params.name}")

    async with testing.router(Watched(), home=tmp_path) as web:
        assert (await web(resource="watched", action="greet", name="Ada")).text == "hello Ada"
        curt = await web(resource="watched", action="greet", name="Ada", mood="curt")
        assert curt.text == "not now"
    assert seen == [("greet", "State")] * 2
