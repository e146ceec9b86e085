//! The names of the semantic conventions for generative AI, and their vocabularies.
//!
//! The conventions are not stable and rename things. This is the only file with exported names;
//! macros of `tracing` in other crates repeat a few of them.

/// A version of the semantic conventions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are the names of releases and the newest ones")]
pub enum SemanticVocabulary {
    /// The names of version 1.41, which most backends read.
    #[default]
    Released,
    /// The newest names, which the conventions call experimental.
    Experimental,
}

impl SemanticVocabulary {
    /// Returns the vocabulary that the variable `OTEL_SEMCONV_STABILITY_OPT_IN` chooses: a list of
    /// words with commas between them.
    ///
    /// ```
    /// use silcrow_otlp::SemanticVocabulary;
    ///
    /// let chosen = SemanticVocabulary::chosen("http/dup, gen_ai_latest_experimental");
    /// assert_eq!(chosen, SemanticVocabulary::Experimental);
    /// assert_eq!(SemanticVocabulary::chosen(""), SemanticVocabulary::Released);
    /// ```
    pub fn chosen(words: &str) -> Self {
        match words.split(',').any(|word| word.trim() == "gen_ai_latest_experimental") {
            true => Self::Experimental,
            false => Self::Released,
        }
    }

    /// Returns the metric of the duration of requests.
    pub(crate) const fn request_duration(self) -> &'static str {
        match self {
            Self::Released => "gen_ai.client.operation.duration",
            Self::Experimental => "gen_ai.client.inference.duration",
        }
    }

    /// Returns the metric of the time to the first piece of an answer.
    pub(crate) const fn time_to_first_chunk(self) -> &'static str {
        match self {
            Self::Released => "gen_ai.client.operation.time_to_first_chunk",
            Self::Experimental => "gen_ai.client.inference.time_to_first_chunk",
        }
    }

    /// Returns the metrics that count the tokens of requests.
    pub(crate) const fn token_metrics(self) -> TokenMetrics {
        match self {
            Self::Released => TokenMetrics::Histogram("gen_ai.client.token.usage"),
            Self::Experimental => TokenMetrics::Counters([
                (USAGE_INPUT, "gen_ai.client.inference.usage.input_tokens"),
                (USAGE_OUTPUT, "gen_ai.client.inference.usage.output_tokens"),
                (USAGE_CACHED, "gen_ai.client.inference.usage.cache_read.input_tokens"),
            ]),
        }
    }
}

/// The metrics that count tokens.
pub(crate) enum TokenMetrics {
    /// A histogram with an attribute for the type of token.
    Histogram(&'static str),
    /// A counter for each of these attributes of a span.
    Counters([(&'static str, &'static str); 3]),
}

pub(crate) const OPERATION: &str = "gen_ai.operation.name";
pub(crate) const PROVIDER: &str = "gen_ai.provider.name";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const AGENT_ID: &str = "gen_ai.agent.id";
pub(crate) const AGENT_NAME: &str = "gen_ai.agent.name";
pub(crate) const AGENT_VERSION: &str = "gen_ai.agent.version";
pub(crate) const WORKFLOW_NAME: &str = "gen_ai.workflow.name";

pub(crate) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(crate) const REQUEST_STREAM: &str = "gen_ai.request.stream";
pub(crate) const REQUEST_MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub(crate) const REQUEST_TEMPERATURE: &str = "gen_ai.request.temperature";
pub(crate) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(crate) const TIME_TO_FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";

pub(crate) const USAGE_INPUT: &str = "gen_ai.usage.input_tokens";
pub(crate) const USAGE_OUTPUT: &str = "gen_ai.usage.output_tokens";
pub(crate) const USAGE_CACHED: &str = "gen_ai.usage.cache_read.input_tokens";
pub(crate) const USAGE_REASONING: &str = "gen_ai.usage.reasoning.output_tokens";
pub(crate) const TOKEN_TYPE: &str = "gen_ai.token.type";

pub(crate) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(crate) const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";
pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(crate) const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";

// Contents, which are written only on request.
pub(crate) const SYSTEM_INSTRUCTIONS: &str = "gen_ai.system_instructions";
pub(crate) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(crate) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(crate) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(crate) const TOOL_RESULT: &str = "gen_ai.tool.call.result";

pub(crate) const ERROR_TYPE: &str = "error.type";
pub(crate) const SERVER_ADDRESS: &str = "server.address";
pub(crate) const SERVER_PORT: &str = "server.port";

// Names for which the conventions have none.
pub(crate) const TURN: &str = "silcrow.turn";
pub(crate) const OUTCOME: &str = "silcrow.run.outcome";
pub(crate) const ATTEMPTS: &str = "silcrow.call.attempts";
pub(crate) const BLOCK: &str = "silcrow.block.kind";
pub(crate) const BLOCK_ID: &str = "silcrow.block.id";
pub(crate) const BLOCK_OUTCOME: &str = "silcrow.block.outcome";
pub(crate) const RECORDED: &str = "silcrow.call.recorded";
pub(crate) const ESTIMATED: &str = "silcrow.usage.estimated";

/// The attribute of the point that counts everything without a point.
pub(crate) const OVERFLOW: &str = "otel.metric.overflow";

// The names of operations, with which the names of spans begin.
pub(crate) const CHAT: &str = "chat";
pub(crate) const INVOKE_AGENT: &str = "invoke_agent";
pub(crate) const INVOKE_WORKFLOW: &str = "invoke_workflow";
pub(crate) const EXECUTE_TOOL: &str = "execute_tool";
pub(crate) const BLOCK_OPERATION: &str = "block";

pub(crate) const AGENT_DURATION: &str = "gen_ai.invoke_agent.duration";
pub(crate) const WORKFLOW_DURATION: &str = "gen_ai.workflow.duration";
pub(crate) const TOOL_DURATION: &str = "gen_ai.execute_tool.duration";
