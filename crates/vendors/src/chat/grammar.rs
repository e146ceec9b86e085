//! Grammars that servers restrict a model to, and the fields by which requests carry them.

use serde::Serialize;

/// A grammar that a server restricts the model's output to, as the server reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputGrammar {
    /// llama.cpp's `grammar`, in GBNF.
    LlamaCpp(String),
    /// vLLM's `structured_outputs`, in the same notation.
    Vllm(String),
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
