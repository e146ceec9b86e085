use serde::Serialize;

/// A grammar that a server lets a model write nothing else than, as the server reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputGrammar {
    /// llama.cpp's `grammar`, in GBNF.
    LlamaCpp(String),
    /// vLLM's `structured_outputs`, in EBNF of the same kind.
    Vllm(String),
}

/// The fields of a request in which it stands.
#[derive(Default, Serialize)]
pub(crate) struct Fields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_outputs: Option<Structured<'a>>,
}

#[derive(Serialize)]
struct Structured<'a> {
    grammar: &'a str,
}

impl<'a> From<&'a OutputGrammar> for Fields<'a> {
    fn from(grammar: &'a OutputGrammar) -> Self {
        match grammar {
            OutputGrammar::LlamaCpp(text) => Self { grammar: Some(text), ..Self::default() },
            OutputGrammar::Vllm(text) => {
                Self { structured_outputs: Some(Structured { grammar: text }), ..Self::default() }
            }
        }
    }
}
