"""The examples of the first designs run as they are written there, but for names of modules and models."""

import contextlib
import io
import unittest

from silcrow import Agent, StreamingProtocolParser
from test_agent import call, script


class Seeds(unittest.IsolatedAsyncioTestCase):
    async def test_an_agent_is_a_closure_whose_events_are_iterated_over(self):
        events = []
        process = events.append
        query = "What is in this directory?"

        agent = Agent()  # Configuration closure - stateless
        async for event in agent(query):  # Functional execution with streaming state
            process(event)

        self.assertEqual(events[0]["type"], "user")
        self.assertIn("respond", [event["type"] for event in events])

    async def test_events_are_printed_as_dictionaries(self):
        def file_read(file: str) -> str:
            return "from flask import Flask"

        model = script("§think: I need to read the file\n" + call("file_read", file="main.py"),
                       "§respond: The file contains a Flask app\n§end")
        agent = Agent(model, tools=[file_read], store="memory")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            async for event in agent("What's in main.py?"):
                print(event)
        self.assertIn("{'type': 'user', 'content': \"What's in main.py?\"", printed.getvalue())
        self.assertIn("{'type': 'think', 'content': 'I need to read the file'", printed.getvalue())

    async def test_texts_stream_as_tokens_as_events_or_not_at_all(self):
        text = "§think: I need to analyze this\n§respond: done\n§end"
        for stream, count in (("token", 2), ("event", 1), (None, 1)):
            agent = Agent(script(text), tools=[], store="memory", stream=stream)
            thoughts = [event async for event in agent("Why?") if event["type"] == "think"]
            self.assertGreaterEqual(len(thoughts), count, stream)
            self.assertEqual("".join(event["content"] for event in thoughts), "I need to analyze this")

    async def test_a_profile_is_an_option(self):
        agent = Agent("rehearsal", store="memory", profile=True)
        self.assertTrue(await agent.ask("What is in this directory?"))

    async def test_a_provider_streams_text(self):
        class Provider:
            async def stream(self, messages):
                yield "§respond: It is"
                yield " 4.\n§end"

        self.assertEqual(await Agent(Provider(), tools=[], store="memory").ask("2 + 2?"), "It is 4.")

    async def test_a_stream_of_actions_is_parsed_and_run(self):
        ran = []

        async def execute_action(action):
            ran.append((action.name, action.parameters))
            return {"web_scraper": "a page", "database_query": [1, 2]}.get(action.name, "both")

        async def llm_stream():
            text = """<thought>
I need to gather information.
</thought>

<action type="tool" mode="async" id="fetch1">
{"name": "web_scraper", "parameters": {"url": "https://example.com"}, "output_key": "webpage_data"}
</action>

<action type="tool" mode="async" id="fetch2">
{"name": "database_query", "parameters": {"query": "SELECT * FROM users"}, "output_key": "user_data"}
</action>

<action type="agent" mode="sync" id="analyze">
{"name": "data_analyzer", "parameters": {"webpage": "$webpage_data", "users": "$user_data"},
 "depends_on": ["fetch1", "fetch2"], "output_key": "analysis"}
</action>

<response>
Based on $analysis
</response>"""
            for at in range(0, len(text), 5):
                yield text[at : at + 5]

        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # Create parser with action executor
            parser = StreamingProtocolParser(action_executor=execute_action)

            # Parse and execute in real-time
            async for event in parser.parse_stream(llm_stream()):
                if event.token_type == "thought":
                    print(f"💭 {event.content}", end='', flush=True)

                elif event.token_type == "action":
                    action = event.metadata['action']
                    print(f"\n🎬 Executing: {action.name}")

                elif event.token_type == "response":
                    print(f"\n{event.content}", end='', flush=True)

        self.assertEqual([name for name, _ in ran], ["web_scraper", "database_query", "data_analyzer"])
        self.assertEqual(ran[2][1], {"webpage": "a page", "users": [1, 2]})
        self.assertIn("🎬 Executing: web_scraper", printed.getvalue())
        self.assertIn("both", printed.getvalue())

    async def test_an_action_that_fails_skips_what_depends_on_it(self):
        ran = []

        def execute(action):
            ran.append(action.name)
            raise OSError("no network")

        async def stream():
            yield '<action type="tool" mode="async" id="a">{"name": "fetch", "parameters": {}, "retry": 1}</action>'
            yield '<action type="tool" id="b">{"name": "use", "parameters": {}, "depends_on": ["a"]}</action>'
            yield "<response>Well.</response>"

        tokens = [token async for token in StreamingProtocolParser(execute).parse_stream(stream())]
        self.assertEqual(ran, ["fetch", "fetch"])
        errors = [token.metadata["error"] for token in tokens if token.token_type == "result"]
        self.assertEqual(errors[0], "OSError: no network")
        self.assertIn("skipped", errors[1])


if __name__ == "__main__":
    unittest.main()
