//! An entry of a server's list of models.
//!
//! The lists of the APIs differ in the names of members, and servers add more of them. This module
//! has these names. It makes no request.

use serde_json::Value;

/// A model in the list of a server.
///
/// ```
/// use silcrow_vendors::ListedModel;
///
/// let mut model = ListedModel::new("gemma3");
/// assert!(model.window.is_none(), "not every server lists it");
/// model.window = Some(32_768);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedModel {
    /// The name of the model at the server.
    pub name: String,
    /// The maximum number of tokens of a request and its answer together, if the server says it.
    /// Anthropic and Gemini count the request alone.
    pub window: Option<u64>,
    /// The maximum number of tokens of an answer, if the server says it.
    pub output: Option<u64>,
}

impl ListedModel {
    /// Creates a model without other data.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), window: None, output: None }
    }
}

/// Reads `{"data": [{"id": …}]}`, or Gemini's `{"models": [{"name": "models/…"}]}`. Items without a
/// name are left out.
pub(crate) fn read(list: &Value) -> Option<Vec<ListedModel>> {
    Some(items(list)?.iter().filter_map(listed).collect())
}

/// Returns the path at which a list's server gives the windows of its running models, if it is a
/// server with such a path.
pub(crate) fn running(list: &Value) -> Option<&'static str> {
    match items(list)?.first()?.get("owned_by")?.as_str()? {
        "llamacpp" => Some("/props"),
        "library" => Some("/api/ps"),
        owner if owner.starts_with("organization") => Some("/api/v0/models"),
        _ => None,
    }
}

/// Takes the windows of running models from the server's answer at that path.
pub(crate) fn in_use(said: &Value, models: &mut [ListedModel]) {
    // llama.cpp runs one model, and divides its memory among the requests that it answers at once.
    if let Some(window) = least(said, &["/default_generation_settings/n_ctx"]) {
        if let [model] = models {
            model.window = Some(window);
        }
        return;
    }
    for found in read(said).unwrap_or_default() {
        let listed = models.iter_mut().find(|model| model.name == found.name);
        if let (Some(listed), Some(_)) = (listed, found.window) {
            listed.window = found.window;
        }
    }
}

fn items(list: &Value) -> Option<&Vec<Value>> {
    list.get("data").or_else(|| list.get("models"))?.as_array()
}

fn listed(item: &Value) -> Option<ListedModel> {
    let name = item.get("id").or_else(|| item.get("name"))?.as_str()?;
    Some(ListedModel {
        name: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        window: least(item, &WINDOW),
        output: least(item, &OUTPUT),
    })
}

/// Returns the minimum of the numbers at these places that can be a limit.
fn least(item: &Value, places: &[&str]) -> Option<u64> {
    let numbers = places.iter().filter_map(|place| item.pointer(place)?.as_u64());
    numbers.filter(|number| (1..=GREATEST).contains(number)).min()
}

/// The members in which servers give the window of a model: OpenRouter and Ollama (a part of which
/// only OpenRouter's usual host has), Groq, Gemini, LM Studio (for a model in memory), LM Studio
/// and Mistral, Anthropic, and vLLM.
const WINDOW: [&str; 8] = [
    "/context_length",
    "/top_provider/context_length",
    "/context_window",
    "/inputTokenLimit",
    "/loaded_context_length",
    "/max_context_length",
    "/max_input_tokens",
    "/max_model_len",
];

/// The members in which servers give the longest answer of a model: Groq, Anthropic, Gemini, and
/// OpenRouter.
const OUTPUT: [&str; 4] = [
    "/max_completion_tokens",
    "/max_tokens",
    "/outputTokenLimit",
    "/top_provider/max_completion_tokens",
];

/// The maximum number of tokens that counts as a limit.
const GREATEST: u64 = 100_000_000;
