"""LangChain's model for OpenAI's APIs talks to a served agent, with tools that LangChain runs."""

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from agent_server import TOKEN, action


@tool
def open_map(place: str) -> str:
    """Opens a map of a place."""
    return f"A map of {place}."


class City(BaseModel):
    """A city."""

    name: str
    inhabitants: int


def check(server, address):
    """Checks both APIs."""
    for is_responses in (False, True):
        model = ChatOpenAI(
            model="silcrow",
            base_url=address,
            api_key=TOKEN,
            max_retries=0,
            timeout=60,
            use_responses_api=is_responses,
            stream_usage=True,
        )
        for one in (
            a_text_is_streamed,
            a_bound_tool_is_called,
            a_bound_tool_is_called_in_a_stream,
            an_answer_has_the_form_of_a_class,
        ):
            one(server, model)
            api = "Responses" if is_responses else "Chat Completions"
            print(f"ok: LangChain over {api}: {one.__name__.replace('_', ' ')}", flush=True)


def a_text_is_streamed(server, model):
    server.answer("<response>Four.</response>")
    said = [SystemMessage("Be brief."), HumanMessage("2 + 2?")]
    pieces = list(model.stream(said))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole += piece
    assert whole.text == "Four.", whole
    server.answer("<response>Five.</response>")
    assert model.invoke([*said, whole, HumanMessage("And 1?")]).text == "Five."


def a_bound_tool_is_called(server, model):
    continued(server, model, lambda bound, said: bound.invoke(said))


def a_bound_tool_is_called_in_a_stream(server, model):
    def streamed(bound, said):
        pieces = list(bound.stream(said))
        whole = pieces[0]
        for piece in pieces[1:]:
            whole += piece
        return whole

    continued(server, model, streamed)


def continued(server, model, ask):
    """Has the model call the tool twice at once, and continues with both results."""
    bound = model.bind_tools([open_map])
    said = [HumanMessage("Where are Oslo and Rome?")]
    places = ("Oslo", "Rome")
    server.answer(*[action(place, "open_map", {"place": place}) for place in places])
    asked = ask(bound, said)
    assert [call["name"] for call in asked.tool_calls] == ["open_map", "open_map"], asked
    assert [call["args"] for call in asked.tool_calls] == [{"place": place} for place in places]
    results = [open_map.invoke(call) for call in asked.tool_calls]
    assert all(isinstance(result, ToolMessage) for result in results)
    server.answer("<response>In the north and in the south.</response>")
    answer = ask(bound, [*said, asked, *results])
    assert answer.text == "In the north and in the south.", answer
    assert answer.tool_calls == []


def an_answer_has_the_form_of_a_class(server, model):
    structured = model.with_structured_output(City, method="json_schema")
    # An answer that does not fit is asked for again.
    server.answer("<response>Oslo has 700,000 inhabitants.</response>")
    server.answer('<response>{"name": "Oslo", "inhabitants": 700000}</response>')
    assert structured.invoke("Which city?") == City(name="Oslo", inhabitants=700000)
