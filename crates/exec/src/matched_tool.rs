//! The match of a call with a tool: whether the tool exists and the arguments fit it.
//!
//! This module gives the reasons why a call cannot run. It runs nothing.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use silcrow_event::{CallKind, CallResult, ResultOrigin};
use silcrow_plan as plan;
use silcrow_sanitize::Secrets;
use silcrow_tool::{Tool, ToolError, ToolPolicy, Toolbox, Validator, closest_names};

use crate::fitted::fit_outputs;
use crate::masked::mask_text;
use crate::spilled::cut;
use crate::unique_keys::unique_keys;
use crate::update::CallOutcome;

/// The tool that fits a call.
#[derive(Clone)]
pub(crate) struct MatchedTool {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) policy: ToolPolicy,
}

/// Returns the tool of a call whose arguments fit, or the reason why the call cannot run. A panic
/// of the tool or of the validator is a reason, too (P-27). An output that is the JSON text of a
/// value becomes that value if the tool wants one (P-26).
pub(crate) fn match_tool(
    ready: &mut plan::ReadyCall,
    toolbox: &Toolbox,
    validator: &dyn Validator,
) -> Result<MatchedTool, Refusal> {
    if let Some(undone) = ready.undoes().filter(|undone| undone.is_by_tool) {
        let tool = toolbox.get_as(undone.kind, &undone.name).cloned();
        let gone = || ToolError::new(format!("`{}` is no longer available", undone.name));
        let tool = tool.ok_or_else(|| Refusal::new("not undone", gone()))?;
        return Ok(MatchedTool { tool, policy: ToolPolicy::default() });
    }
    let looked = catch_unwind(AssertUnwindSafe(|| {
        let Some(tool) = toolbox.get_as(ready.kind(), ready.name()).cloned() else {
            let summary = format!("unknown {}", ready.kind().as_str());
            return Err(Refusal::new(&summary, unknown(ready, toolbox)));
        };
        fit_outputs(ready, tool.schema());
        unique_keys(ready.args())
            .and_then(|()| validator.check(tool.schema(), ready.args()))
            .map_err(|why| Refusal::new("bad arguments", why))?;
        let policy = tool.policy();
        Ok(MatchedTool { tool, policy })
    }));
    looked.unwrap_or_else(|payload| {
        let why = format!("a panic before the call could start: {}", panic_message(&*payload));
        Err(Refusal::by_tool("panicked", ToolError::new(why)))
    })
}

/// The reason why a call cannot run.
pub(crate) struct Refusal {
    /// The summary for a person.
    summary: String,
    /// The words for the model.
    why: ToolError,
    /// The author of the words.
    origin: ResultOrigin,
}

impl Refusal {
    /// Creates the refusal of a call that a person denied. Earlier attempts may have had effects.
    pub(crate) fn denied(ready: &plan::ReadyCall, reason: &str) -> Self {
        let why = match ready.attempt() {
            1 => reason.to_owned(),
            attempt => {
                format!("{reason} (attempt {attempt}; the attempts before it ran and failed)")
            }
        };
        Self::new("denied", ToolError::new(why))
    }

    /// Creates a refusal in the words of the framework.
    pub(crate) fn new(summary: &str, why: ToolError) -> Self {
        Self { summary: summary.to_owned(), why, origin: ResultOrigin::Framework }
    }

    /// Creates a refusal in words that are the tool's, or contain some of them.
    pub(crate) fn by_tool(summary: &str, why: ToolError) -> Self {
        Self { origin: ResultOrigin::Tool, ..Self::new(summary, why) }
    }

    /// Returns the outcome of the call. Another attempt would change nothing.
    pub(crate) fn ended(
        self,
        ready: &plan::ReadyCall,
        cap: usize,
        secrets: &Secrets,
    ) -> CallOutcome {
        let mut why = self.why.into_words();
        mask_text(&mut why, secrets);
        let (why, truncated) = cut(why, None, cap);
        let failure = match self.origin {
            ResultOrigin::Tool => CallResult::failure,
            ResultOrigin::Framework => CallResult::framework_failure,
        };
        let outcome = failure(ready.id(), Some(ready.name()), self.summary, why);
        let outcome = outcome.with_truncation(truncated);
        CallOutcome { id: ready.id().to_owned(), outcome, retries: None, has_run: false }
    }
}

/// Returns the message of a panic.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(without a message)")
}

fn unknown(ready: &plan::ReadyCall, toolbox: &Toolbox) -> ToolError {
    let (kind, name) = (ready.kind(), ready.name());
    let word = kind.as_str();
    let others = CallKind::ALL.into_iter().filter(|other| *other != kind);
    let mut others = others.filter(|other| toolbox.get_as(*other, name).is_some());
    if let Some(right) = others.next() {
        let right = right.as_str();
        let why =
            format!("unknown {word} `{name}`: it is of the type `{right}`; call it with that type");
        return ToolError::new(why);
    }
    let meant = closest_names(name, toolbox.names_as(kind))
        .first()
        .map(|near| format!(" Did you mean `{near}`?"))
        .unwrap_or_default();
    let names: Vec<_> = toolbox.names_as(kind).map(|name| format!("`{name}`")).collect();
    let there_are = match &names[..] {
        [] => format!("No {word} is available."),
        [one] => format!("Available: {one}."),
        names => format!("Available: {}.", names.join(", ")),
    };
    ToolError::new(format!("unknown {word} `{name}`.{meant} {there_are}"))
}
