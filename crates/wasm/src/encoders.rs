//! Encoders of front ends by the names of their protocols, and the end of a run from JSON.

use serde_json::Value;
use silcrow_front::{
    AgUiEncoder, AgUiRequest, AiSdkEncoder, AiSdkTarget, CallItems, ChatCompletionsEncoder,
    CompletionHead, NativeEncoder, ResponseHead, ResponsesEncoder, RunEncoder, RunEnd,
};
use silcrow_reading::WrongOptions;

/// The encoders that are open, by their handles.
pub(crate) type OpenEncoders = Vec<Option<Box<dyn RunEncoder>>>;

/// Opens an encoder from a JSON object with `protocol`, `conversation`, and the parameters of the
/// protocol.
pub(crate) fn open_encoder(json: &str) -> Result<Box<dyn RunEncoder>, WrongOptions> {
    let given = Given::read(json)?;
    let conversation = given.text("conversation").unwrap_or("conversation");
    Ok(match given.text("protocol").unwrap_or_default() {
        "native" => Box::new(NativeEncoder::new()),
        "ai-sdk" => {
            let target = AiSdkTarget::parse(given.text("version").unwrap_or("6"));
            let target = target.ok_or_else(|| wrong("version: the AI SDK has 5, 6 and 7 here"))?;
            Box::new(AiSdkEncoder::new(target, conversation))
        }
        "ag-ui" => {
            let request = AgUiRequest::parse(given.0["request"].to_string().as_bytes());
            let request = request.map_err(|why| wrong(format!("request: {why}")))?;
            Box::new(AgUiEncoder::new(conversation, &request))
        }
        "chat-completions" => {
            let head = CompletionHead::new(
                given.text("id").unwrap_or("chatcmpl-1"),
                given.model(),
                given.created(),
            );
            let usage = given.0["usage"].as_bool().unwrap_or(false);
            Box::new(ChatCompletionsEncoder::new(conversation, head.with_usage(usage)))
        }
        "responses" => {
            let id = given.text("id").unwrap_or("resp_1");
            let head = ResponseHead::new(id, given.model(), given.created());
            let head = head.with_call_items(given.call_items()?);
            Box::new(ResponsesEncoder::new(conversation, head))
        }
        other => {
            return Err(wrong(format!(
                "unknown protocol `{other}`; use native, ag-ui, ai-sdk, \
                 chat-completions or responses"
            )));
        }
    })
}

/// Reads the end of a run: `outcome`, and `code` and `content` of a failure.
pub(crate) fn run_end(json: &str) -> Result<RunEnd, WrongOptions> {
    let given = Given::read(json)?;
    let text = |member: &str| given.text(member).unwrap_or_default().to_owned();
    Ok(match given.text("outcome").unwrap_or("answered") {
        "answered" => RunEnd::Answered,
        "stopped" => RunEnd::Stopped,
        "waiting" => RunEnd::Waiting,
        "failed" => RunEnd::Failed { code: text("code"), message: text("content") },
        other => {
            return Err(wrong(format!(
                "outcome: a run does not end as `{other}`; there are answered, stopped, waiting and failed"
            )));
        }
    })
}

/// The members of a JSON object.
struct Given(Value);

impl Given {
    fn read(json: &str) -> Result<Self, WrongOptions> {
        serde_json::from_str(json).map(Self).map_err(|why| wrong(why.to_string()))
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.0[member].as_str()
    }

    /// Returns the name of the model at the client.
    fn model(&self) -> &str {
        self.text("model").unwrap_or("silcrow")
    }

    /// Returns the time of the answer, in seconds since 1970.
    fn created(&self) -> u64 {
        self.0["created"].as_u64().unwrap_or(0)
    }

    fn call_items(&self) -> Result<CallItems, WrongOptions> {
        match self.text("calls").unwrap_or("mcp") {
            "mcp" => Ok(CallItems::Mcp),
            "function" => Ok(CallItems::FunctionPairs),
            other => Err(wrong(format!("unknown form of calls `{other}`; use mcp or function"))),
        }
    }
}

fn wrong(why: impl Into<String>) -> WrongOptions {
    WrongOptions::new(why)
}
