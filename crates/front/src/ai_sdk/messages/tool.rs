//! A call in a message, with all known facts about it.

use silcrow_event::Json;

use crate::ai_sdk::part::UiPart;
use crate::json_object::JsonObject;

/// A call of a message.
#[derive(Default)]
pub(super) struct UiTool {
    pub(super) call: String,
    tool: String,
    /// Whether the client has the tool.
    is_of_client: bool,
    title: Option<String>,
    input: Option<Json>,
    approval: Option<UiApproval>,
    outcome: ToolOutcome,
}

/// A question to a person about a call.
struct UiApproval {
    id: String,
    is_approved: Option<bool>,
    /// The reason for which a person is asked.
    asked: Option<String>,
    /// The reason for the answer.
    answered: Option<String>,
}

#[derive(Default)]
enum ToolOutcome {
    #[default]
    Open,
    Output(Json),
    Error(String),
    Denied,
}

impl UiTool {
    /// Creates a call from its first part.
    pub(super) fn new(part: UiPart<'_>) -> Self {
        let call = part.call().unwrap_or_default().to_owned();
        let mut tool = Self { call, ..Self::default() };
        tool.take(part);
        tool
    }

    pub(super) fn take(&mut self, part: UiPart<'_>) {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match part {
            UiPart::InputStart { tool, is_dynamic, .. } => {
                (self.tool, self.is_of_client) = (tool.to_owned(), !is_dynamic);
            }
            UiPart::InputAvailable { tool, title, input, is_dynamic, .. } => {
                self.is_of_client = !is_dynamic;
                (self.tool, self.title) = (tool.to_owned(), owned(title));
                self.input = Some(input);
            }
            UiPart::InputError { tool, input, error, .. } => {
                self.tool = tool.to_owned();
                self.input = Some(input);
                self.outcome = ToolOutcome::Error(error.to_owned());
            }
            UiPart::Output { output, .. } => self.outcome = ToolOutcome::Output(output),
            UiPart::OutputError { error, .. } => {
                self.outcome = ToolOutcome::Error(error.to_owned());
            }
            UiPart::OutputDenied { .. } => self.outcome = ToolOutcome::Denied,
            UiPart::ApprovalRequest { id, reason, .. } => {
                let (id, asked) = (id.to_owned(), owned(reason));
                self.approval = Some(UiApproval { id, is_approved: None, asked, answered: None });
            }
            UiPart::ApprovalResponse { is_approved, reason, .. } => {
                if let Some(approval) = &mut self.approval {
                    approval.is_approved = Some(is_approved);
                    approval.answered = owned(reason);
                }
            }
            _ => {}
        }
    }

    pub(super) fn json(&self) -> JsonObject {
        let part = match self.is_of_client {
            true => JsonObject::new().text("type", &format!("tool-{}", self.tool)),
            false => JsonObject::new().text("type", "dynamic-tool").text("toolName", &self.tool),
        };
        let part = part
            .text("toolCallId", &self.call)
            .maybe_text("title", self.title.as_deref())
            .text("state", self.state());
        let part = self.input.iter().fold(part, |part, input| part.raw("input", input));
        let part = match &self.outcome {
            ToolOutcome::Output(output) => part.raw("output", output),
            ToolOutcome::Error(error) => part.text("errorText", error),
            ToolOutcome::Open | ToolOutcome::Denied => part,
        };
        match &self.approval {
            Some(approval) if self.shows(approval) => {
                part.raw("approval", approval.json().finish())
            }
            _ => part,
        }
    }

    fn state(&self) -> &'static str {
        let answer = self.approval.as_ref().map(|approval| approval.is_approved);
        match (&self.outcome, answer) {
            (ToolOutcome::Output(_), _) => "output-available",
            (ToolOutcome::Error(_), _) => "output-error",
            (ToolOutcome::Denied, _) => "output-denied",
            (ToolOutcome::Open, Some(Some(_))) => "approval-responded",
            (ToolOutcome::Open, Some(None)) => "approval-requested",
            (ToolOutcome::Open, None) if self.input.is_some() => "input-available",
            (ToolOutcome::Open, None) => "input-streaming",
        }
    }

    /// Returns whether a question belongs in the message: a call with an outcome has none that was
    /// not answered.
    const fn shows(&self, approval: &UiApproval) -> bool {
        match self.outcome {
            ToolOutcome::Output(_) | ToolOutcome::Error(_) => {
                matches!(approval.is_approved, Some(true))
            }
            ToolOutcome::Open | ToolOutcome::Denied => true,
        }
    }
}

impl UiApproval {
    fn json(&self) -> JsonObject {
        let json = JsonObject::new().text("id", &self.id);
        let json = self.is_approved.iter().fold(json, |json, is| json.raw("approved", is));
        let json = json.maybe_text("requestReason", self.asked.as_deref());
        json.maybe_text("reason", self.answered.as_deref())
    }
}
