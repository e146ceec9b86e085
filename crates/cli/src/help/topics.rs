//! The topics of `silcrow help`: what is true of many commands, or too long for a list of flags.

mod servers;

use super::page::HelpBlock;
use HelpBlock::{Heading, Lines, List, Text};

/// A page of help that belongs to no single command.
pub(super) struct HelpTopic {
    pub(super) name: &'static str,
    /// What it is about, in the list of topics.
    pub(super) about: &'static str,
    pub(super) blocks: &'static [HelpBlock],
}

pub(super) const TOPICS: [HelpTopic; 9] = [
    HelpTopic {
        name: "models",
        about: "The names of models, and where their keys come from",
        blocks: &[
            Text(
                "A model is named by --model, by SILCROW_MODEL, or in your settings (silcrow config set \
                  model NAME). Without a name the rehearsal model answers. silcrow models lists what \
                  your keys open.",
            ),
            Heading("Names"),
            List(&[
                ("rehearsal", "plain rules in place of a model; needs neither key nor network"),
                ("anthropic:MODEL", "with the key in ANTHROPIC_API_KEY"),
                (
                    "azure:DEPLOYMENT",
                    "in Azure, at AZURE_OPENAI_ENDPOINT, with the key in AZURE_OPENAI_API_KEY",
                ),
                ("gemini:MODEL", "with the key in GEMINI_API_KEY"),
                (
                    "gemini-interactions:MODEL",
                    "by Interactions, with the same key; a connection sends only what is new",
                ),
                (
                    "gemini-live:MODEL",
                    "by Live, with the same key; today's models there speak and write no text",
                ),
                ("openai:MODEL", "by Chat Completions, with the key in OPENAI_API_KEY"),
                ("openai-realtime:MODEL", "by Realtime, in text, with the same key"),
                (
                    "openai-responses:MODEL",
                    "by Responses, with the same key; a connection sends only what is new",
                ),
                (
                    "compatible:URL#MODEL",
                    "a server that speaks Chat Completions, such as llama.cpp, Ollama or vLLM: compatible:http://127.0.0.1:8080/v1#name",
                ),
                (
                    "script:FILE",
                    "the answers in FILE, one for each request, separated by lines of %%",
                ),
                ("replay:FILE", "the answers that were recorded when SILCROW_RECORD was FILE"),
            ]),
            Heading("Keys"),
            Text(
                "A variable may hold several keys with commas between them: when one is exhausted, the \
                  next is used. With _FILE after its name, the variable names a file of keys, one a line.",
            ),
            Text(
                "With _COMMAND after its name, as in OPENAI_API_KEY_COMMAND, it has a command that prints \
                  a key on its first line, within 10 seconds and without a shell. key_command in your own \
                  settings does the same for the vendor of the chosen model. A file that has changed is \
                  read again, and so are both once a server rejects the key.",
            ),
            Text(
                "SILCROW_COMPATIBLE_KEY holds the keys of compatible servers as HOST=KEY or \
                  HOST:PORT=KEY, and each goes to its server alone. A key that names no server is for \
                  that of --model. No key is sent over plain http to another machine, unless \
                  SILCROW_ALLOW_PLAIN_HTTP is 1.",
            ),
            Text(
                "ANTHROPIC_BASE_URL, GEMINI_BASE_URL and OPENAI_BASE_URL name another server, which \
                  then receives the key.",
            ),
        ],
    },
    HelpTopic {
        name: "environment",
        about: "The variables that silcrow reads",
        blocks: &[
            Text("A flag counts before a variable, and a variable before the settings."),
            Heading("What a run uses"),
            List(&[
                ("SILCROW_MODEL", "the model to ask"),
                ("SILCROW_PROFILE", "the profile of your settings"),
                ("SILCROW_USER", "the user to whom conversations belong"),
                (
                    "SILCROW_SEARCH",
                    "the search engine of web_search; the key of brave is in BRAVE_API_KEY",
                ),
                ("SILCROW_PRICES", "a file with the prices of models"),
                ("SILCROW_RECORD", "a file to which the answers of models are recorded"),
                ("SILCROW_PAGER, PAGER", "the pager of silcrow log"),
                ("NO_COLOR", "no colours"),
            ]),
            Heading("Keys and servers (see silcrow help models)"),
            List(&[
                (
                    "ANTHROPIC_API_KEY",
                    "also with GEMINI_, OPENAI_ and AZURE_OPENAI_ in front; with _FILE at the end, a file of keys, \
                      and with _COMMAND a command that prints one",
                ),
                ("SILCROW_COMPATIBLE_KEY", "the keys of compatible servers, as HOST=KEY"),
                (
                    "OPENAI_BASE_URL",
                    "another server, to which the key is sent; also ANTHROPIC_ and GEMINI_",
                ),
                (
                    "OPENAI_HEADERS",
                    "further headers, `Name: value`, one a line; also ANTHROPIC_, AZURE_OPENAI_, GEMINI_ and SILCROW_COMPATIBLE_",
                ),
                ("OPENAI_BODY", "further fields of requests, a JSON object; for the same vendors"),
                ("OPENAI_ORG_ID", "sent as OpenAI's own clients send it; also OPENAI_PROJECT_ID"),
                ("OPENAI_API_VERSION", "the version, if an Azure deployment needs one"),
                ("ANTHROPIC_VERSION", "2023-06-01 (default) or 2026-10-21"),
                (
                    "SILCROW_ASK_WINDOW",
                    "0 asks no server for the window of its model, which neither you nor a table names",
                ),
                ("HTTPS_PROXY, ALL_PROXY", "a proxy for https, except for the hosts in NO_PROXY"),
                ("HTTP_PROXY", "a proxy for plain http, only with --proxy-plain-http"),
            ]),
            Heading("Seconds that a server may take"),
            List(&[
                ("SILCROW_TIMEOUT_CONNECT (5)", "until it is reached"),
                (
                    "SILCROW_TIMEOUT_FIRST (60)",
                    "until an answer begins; 600 for models that are known to think",
                ),
                (
                    "SILCROW_TIMEOUT_ALIVE (600)",
                    "until an answer begins, if the server shows signs of life",
                ),
                ("SILCROW_TIMEOUT_IDLE (60)", "between two pieces of an answer"),
                ("SILCROW_TIMEOUT_WHOLE (600)", "for an answer in one piece"),
            ]),
            Heading("Requests to each vendor and each compatible server"),
            List(&[
                ("SILCROW_REQUESTS_PER_MINUTE", "the most requests; no limit unless it is set"),
                ("SILCROW_TOKENS_PER_MINUTE", "the most tokens; no limit unless it is set"),
            ]),
            Heading("Telemetry and debugging (see docs/observability.md)"),
            List(&[
                (
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    "a collector of OpenTelemetry, which gets traces and metrics of runs; nothing is sent without one",
                ),
                (
                    "OTEL_EXPORTER_OTLP_HEADERS",
                    "headers for it, such as api-key=KEY; _PROTOCOL, _COMPRESSION, _TIMEOUT and the other usual names are read, too",
                ),
                ("TRACEPARENT", "the span of the caller, of whose trace runs are then a part"),
                (
                    "SILCROW_LOG",
                    "what happens inside, as RUST_LOG is written: debug, or info,silcrow_exec=trace",
                ),
                ("SILCROW_LOG_FILE", "the file to which that is appended [standard error]"),
            ]),
            Heading("Places"),
            List(&[
                (
                    "XDG_CONFIG_HOME",
                    "its folder silcrow has config.toml and policy.toml [~/.config]",
                ),
                ("XDG_DATA_HOME", "its folder silcrow has the conversations [~/.local/share]"),
                (
                    "XDG_STATE_HOME",
                    "its folders silcrow-typed, silcrow-windows and silcrow-sandbox have what was typed, the windows of models, and where the sandbox works [~/.local/state]",
                ),
            ]),
        ],
    },
    HelpTopic {
        name: "exit-codes",
        about: "What the exit code of a command says",
        blocks: &[
            List(&[
                ("0", "the command did what it was asked to do"),
                ("1", "it failed while running, or found something wrong"),
                ("2", "the arguments or the input are wrong; nothing was done"),
                ("3", "the run waits for answers; silcrow runs answer gives them"),
                ("4", "with --strict: the model answered, although a call was denied"),
                ("128 + N", "signal N stopped it: 130 is Ctrl-C"),
            ]),
            Text(
                "The answer goes to standard output; thoughts, calls and results go to standard error. \
                  -q leaves all but the answer, questions and errors out. With --json the last line is \
                  an object of type done, with the answer, the outcome, what was denied, and this code.",
            ),
        ],
    },
    HelpTopic {
        name: "permissions",
        about: "What tools may do without asking you",
        blocks: &[
            Text(
                "--permissions chooses how much runs without a question. The default is workspace where \
                  a sandbox works, otherwise ask.",
            ),
            List(&[
                ("read-only", "nothing that changes or sends something"),
                ("ask", "the same, and everything else after a question"),
                ("workspace", "also changes in the root, and commands in the sandbox"),
                ("full", "everything that no rule denies"),
            ]),
            Text(
                "In a session Shift-Tab and /permissions change the mode. --sandbox off, or the key \
                  sandbox of your own settings, runs commands unconfined; outside of full you are then \
                  asked about each.",
            ),
            Text(
                "--allow NAME lets one tool run without a question. Protected files stay protected: \
                  git's own files, the manifest, the store, and start files of shells. In a pipe, where \
                  nobody can be asked, a call that needs a question is denied. With --on-question park \
                  the run ends with exit code 3 instead: silcrow runs answer answers, and silcrow run \
                  --resume continues.",
            ),
            Text(
                "Rules of your own are in policy.toml in $XDG_CONFIG_HOME/silcrow, or in the file that \
                  --policy names. A project's silcrow-policy.toml can narrow them and allow nothing.",
            ),
            Lines(
                "[[rules]]\neffect = \"allow\"       # allow, ask or deny\ntool = \"shell\"         # a name, or a pattern such as file_*\ncommand = \"cargo test *\"",
            ),
            Text(
                "silcrow policy check reads the rules, and silcrow tools shows what each tool does.",
            ),
        ],
    },
    servers::SERVERS,
    HelpTopic {
        name: "conversations",
        about: "How to continue, repeat and branch conversations",
        blocks: &[
            Text(
                "Every run belongs to a conversation, which silcrow log lists. The beginning of an id \
                  is enough where only one conversation begins like it.",
            ),
            List(&[
                ("--continue", "continues the last conversation of the folder that --root names"),
                ("--conversation ID", "continues this one"),
                ("--new ID", "begins one under an id of your own"),
                (
                    "--fork ID@SEQ",
                    "begins one with the history of another, up to the event SEQ or to its end",
                ),
                (
                    "--resume",
                    "continues a run that waits for answers or was stopped, without a new prompt",
                ),
                (
                    "--retry",
                    "asks the last prompt again, whose answer was cut, failed or was stopped",
                ),
                (
                    "--examples FILE",
                    "puts a conversation in front that shows the model how to write, as silcrow log show ID --json prints one",
                ),
            ]),
            Text(
                "With --learn-profile a run tells the model a few facts about you, and a model notes \
                  them from your messages. silcrow profile shows and changes them.",
            ),
            Text(
                "While a run works, the lines that a call changes in files are below its row; --diff \
                  short has a line for each file, and --diff off nothing. silcrow diff shows all that a \
                  conversation has changed, and silcrow undo takes it back.",
            ),
        ],
    },
    HelpTopic {
        name: "dialects",
        about: "How the model writes thoughts, calls and answers",
        blocks: &[
            Text(
                "A model writes plain text with delimiters, in the dialect that --dialect names. The \
                  system prompt teaches it.",
            ),
            List(&[
                ("sigil", "a sign and a name at the start of a line; the default"),
                ("phase", "tags around thoughts and calls"),
                ("action", "named actions with outputs that later ones use, for manifests"),
            ]),
        ],
    },
    HelpTopic {
        name: "limits",
        about: "How much a run, a conversation and a user may use",
        blocks: &[
            Text(
                "--max-steps, --max-time, --budget-tokens and --budget-cost limit one run, with all agents, \
             workflows and models that it calls. The flags below limit the rest; budgets of a \
             conversation or a user last for as long as the store. A conversation that outgrows the \
             window of its model gets a summary of its older part, which silcrow context shows and \
             silcrow compact changes. Before a tool changes a file, what \
             it was is kept for silcrow undo. A file of prices has a table for each model, with prices \
             for a million tokens:",
            ),
            Lines("[\"openai:MODEL\"]\ninput = 1.25\noutput = 10\ncached = 0.125"),
        ],
    },
    HelpTopic {
        name: "web",
        about: "How the web tools search, and what they may reach",
        blocks: &[Text(
            "web_search and web_scrape connect to public addresses only. silcrow run --tools \
             except:web_search,web_scrape leaves them out.",
        )],
    },
];
