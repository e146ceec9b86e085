//! The topic `mcp` of `silcrow help`.

use super::HelpBlock::{Heading, Lines, List, Text};
use super::HelpTopic;

pub(super) const SERVERS: HelpTopic = HelpTopic {
    name: "mcp",
    about: "The tools of MCP servers, and what they may do",
    blocks: &[
        Text(
            "An MCP server is a program, or a service at a URL, with tools of its own. They are \
                  called SERVER.TOOL. Servers start beside each other when a run begins and end with \
                  it; one that is slow or broken is named, and the run continues without it.",
        ),
        Lines(
            "silcrow mcp add time uvx mcp-server-time\nsilcrow mcp test time\nsilcrow run --allow time.* \"What time is it in Oslo?\"",
        ),
        Heading("Where servers are declared"),
        List(&[
            ("config.toml", "your own, in tables [mcp.NAME], which silcrow mcp add writes"),
            (
                ".silcrow/config.toml",
                "that of a project; you are asked once, and again when the file has changed",
            ),
            ("--mcp NAME=SERVER", "for one run: a command or a URL"),
        ]),
        Heading("The keys of [mcp.NAME]"),
        List(&[
            (
                "command",
                "the program and its arguments: words, in which {root} is the root, ~/ your home \
                 folder and $NAME a variable",
            ),
            ("env", "variables of the program: { TOKEN = \"$TOKEN\", LEVEL = \"debug\" }"),
            ("folder", "the folder it runs in: \".\" is the root [an empty folder of its own]"),
            ("url", "https://…, or http://… on this machine, instead of a command"),
            ("token", "\"$VARIABLE\": the token that a server at a URL gets; without it, log in"),
            (
                "headers",
                "the headers that a server at a URL gets: { X-API-Key = \"$KEY\" }, or { command = \
                 [\"PROGRAM\"], prefix = \"Bearer \" } as the value",
            ),
            (
                "timeout",
                "the seconds that a call may take, which begin again with each report of progress, up \
                 to half an hour [60]",
            ),
            ("start_timeout", "the seconds that the start may take; its tools join then [60]"),
            ("trust", "whether what it says about its tools counts [false]"),
            ("off", "whether it is left out [false]"),
        ]),
        Heading("Logging in"),
        Text(
            "A server at a URL may want a login: silcrow mcp login NAME opens your browser, and runs \
                  use and renew what it brings back. silcrow mcp logout NAME forgets it. A run never \
                  opens a browser.",
        ),
        Heading("What its tools may do"),
        Text(
            "You are asked about each call, unless --allow SERVER.TOOL, --allow SERVER.* or a rule \
                  with tool = \"SERVER.*\" allows it. In the mode read-only they do not run. Of a server \
                  with trust = true, tools that say that they only read run at once.",
        ),
        Text(
            "Nothing confines the program of a server: it may do what you may do. It gets PATH, \
                  HOME, the addresses of proxies and a few variables like them, and those of env. A call whose server dies or \
                  says nothing fails, and says that its outcome is unknown.",
        ),
        Text(
            "If there are many tools, the model reads their names, and searches with tool_search. \
                  In a session, /SERVER:PROMPT uses a prompt of a server, and @SERVER:URI puts a text of \
                  one into yours; Tab completes both.",
        ),
        Heading("Being a server"),
        Text(
            "silcrow mcp serve makes the agent a tool of another program, which starts the command \
                  itself. silcrow serve offers the same over HTTP, at /mcp. In the settings of many \
                  programs:",
        ),
        Lines(
            "{\"mcpServers\": {\"silcrow\": {\"command\": \"silcrow\", \"args\": [\"mcp\", \"serve\"]}}}",
        ),
    ],
};
