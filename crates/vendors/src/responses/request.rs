use serde::Serialize;
use silcrow_event::Role;
use silcrow_provider::Request;

/// What is sent besides model and messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
}

/// The body of a request. Equal messages give equal bytes, or no prompt cache would hold; they
/// stand last, so that a longer conversation only adds to the bytes.
pub(crate) fn body(model: &str, request: &Request, options: Options) -> Vec<u8> {
    let (system, told): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    let instructions: Vec<_> = system.iter().map(|message| &*message.content).collect();
    let input = told.into_iter().map(|message| Item {
        r#type: "message",
        role: message.role.as_str(),
        content: [Content {
            r#type: if message.role == Role::Assistant { "output_text" } else { "input_text" },
            text: &message.content,
        }],
    });
    let body = Body {
        model,
        stream: request.streaming,
        store: false,
        max_output_tokens: options.max_tokens,
        temperature: options.temperature,
        instructions: (!instructions.is_empty()).then(|| instructions.join("\n\n")),
        input: input.collect(),
    };
    serde_json::to_vec(&body).expect("strings and numbers are JSON")
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    input: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    r#type: &'static str,
    role: &'a str,
    content: [Content<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
}
