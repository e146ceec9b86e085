//! Grammars that constrain a model's output, and the fields of a request that carry them.

use serde::Serialize;

/// A grammar to which a server restricts the model's output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputGrammar {
    /// A grammar in GBNF, for llama.cpp's field `grammar`.
    LlamaCpp(String),
    /// A grammar in GBNF, for vLLM's field `structured_outputs`.
    Vllm(String),
}

/// A server that restricts a model by a grammar, each in its notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GrammarServer {
    /// `llama-server` of llama.cpp.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl OutputGrammar {
    /// Returns a grammar in GBNF for a server.
    ///
    /// ```
    /// use silcrow_vendors::{GrammarServer, OutputGrammar};
    ///
    /// let grammar = OutputGrammar::of_gbnf(GrammarServer::Vllm, "root ::= \"yes\"");
    /// assert!(matches!(grammar, OutputGrammar::Vllm(_)));
    /// ```
    pub fn of_gbnf(server: GrammarServer, text: impl Into<String>) -> Self {
        match server {
            GrammarServer::LlamaCpp => Self::LlamaCpp(text.into()),
            GrammarServer::Vllm => Self::Vllm(text.into()),
        }
    }
}

/// The fields of a request that carry a grammar.
#[derive(Default, Serialize)]
pub(crate) struct GrammarFields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_outputs: Option<StructuredOutputs<'a>>,
}

#[derive(Serialize)]
struct StructuredOutputs<'a> {
    grammar: &'a str,
}

impl<'a> From<&'a OutputGrammar> for GrammarFields<'a> {
    fn from(grammar: &'a OutputGrammar) -> Self {
        match grammar {
            OutputGrammar::LlamaCpp(text) => Self { grammar: Some(text), ..Self::default() },
            OutputGrammar::Vllm(text) => Self {
                structured_outputs: Some(StructuredOutputs { grammar: text }),
                ..Self::default()
            },
        }
    }
}
