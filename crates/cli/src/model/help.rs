//! The part of `silcrow run --help` that lists models, keys and limits.

/// The list of models, keys and limits in `run --help`.
pub(crate) const HELP: &str = "\
Models:
  rehearsal               plain rules in place of a model; needs neither key nor network
  anthropic:MODEL         with the key in ANTHROPIC_API_KEY; ANTHROPIC_VERSION: 2023-06-01 (default)
                          or 2026-10-21
  azure:DEPLOYMENT        by Chat Completions in Azure, at AZURE_OPENAI_ENDPOINT, with the key in
                          AZURE_OPENAI_API_KEY; OPENAI_API_VERSION, if the deployment needs one
  gemini:MODEL            with the key in GEMINI_API_KEY
  gemini-interactions:MODEL
                          by Interactions, with the same; a connection sends only what is new
  gemini-live:MODEL       by Live, with the same; today's models there speak and write no text
  openai:MODEL            by Chat Completions, with the key in OPENAI_API_KEY
  openai-realtime:MODEL   by Realtime, in text, with the same
  openai-responses:MODEL  by Responses, with the same; a connection sends only what is new
  compatible:URL#MODEL    a server that speaks Chat Completions, such as llama.cpp, Ollama or vLLM
                          (http://127.0.0.1:8080/v1#name)
  script:FILE             one answer in FILE for each request, separated by lines `%%`
  replay:FILE             the answers that were recorded when SILCROW_RECORD was FILE

A variable may hold several keys, separated by commas: when one is exhausted, the next is used.
With _FILE after its name it names a file of keys, one a line. ANTHROPIC_BASE_URL, GEMINI_BASE_URL
and OPENAI_BASE_URL name another server, to which the key is sent.
SILCROW_COMPATIBLE_KEY holds the keys of compatible servers as HOST=KEY or HOST:PORT=KEY, and each
goes to its server alone; one that names no server is for that of --model. No key is sent over plain
http to another machine, unless SILCROW_ALLOW_PLAIN_HTTP is 1.

ANTHROPIC_, AZURE_OPENAI_, GEMINI_, OPENAI_ and SILCROW_COMPATIBLE_ with HEADERS after them hold
further headers (`Name: value`, one a line), with BODY further fields of the requests (an object of
JSON); OPENAI_ORG_ID and OPENAI_PROJECT_ID are sent as OpenAI's own clients send them.
HTTPS_PROXY or ALL_PROXY names a proxy for https, and NO_PROXY the hosts that are reached without it.

Seconds that a server may take: SILCROW_TIMEOUT_CONNECT (5) until it is reached,
SILCROW_TIMEOUT_FIRST (60; 600 for models that are known to think) until the first piece of an
answer, SILCROW_TIMEOUT_ALIVE (600) until then if it shows signs of life, SILCROW_TIMEOUT_IDLE (60)
between pieces, SILCROW_TIMEOUT_WHOLE (600) for an answer in one piece.
SILCROW_REQUESTS_PER_MINUTE and SILCROW_TOKENS_PER_MINUTE limit the rate of requests to each vendor
and each compatible server; without them there is no limit.

The answer goes to standard output; thoughts, calls and results go to standard error.";
