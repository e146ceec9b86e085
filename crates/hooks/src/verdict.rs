//! The verdict of a hook, from its exit status and from JSON at its standard output.

use serde::Deserialize;
use silcrow_sanitize::sanitize;

use crate::hook::{Hook, HookEvent};
use crate::process::HookOutput;

/// The combined verdict of the hooks about an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookOutcome {
    /// Whether it goes on.
    pub verdict: HookVerdict,
    /// Words for the model, which are data.
    pub context: Vec<String>,
    /// Words for the person.
    pub messages: Vec<String>,
}

/// Whether the action of the hook's event continues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "callers decide about all of them")]
pub enum HookVerdict {
    /// It goes on.
    #[default]
    GoOn,
    /// The person is asked, for this reason.
    Ask(String),
    /// It does not happen, for this reason.
    Block(String),
}

impl HookOutcome {
    /// Reads the output of a hook.
    ///
    /// # Errors
    ///
    /// Returns why the hook has failed.
    pub(crate) fn read(hook: &Hook, output: &HookOutput) -> Result<Self, String> {
        match output.status {
            Some(0) => {}
            Some(BLOCKS) => {
                let why = said(&output.stderr);
                return Ok(Self { verdict: HookVerdict::Block(why), ..Self::default() });
            }
            Some(status) => {
                return Err(format!(
                    "it ended with exit status {status}: {}",
                    said(&output.stderr)
                ));
            }
            None => return Err("a signal ended it".to_owned()),
        }
        let text = output.stdout.trim();
        if !text.starts_with('{') {
            let tells = matches!(hook.event, HookEvent::UserPromptSubmit | HookEvent::SessionStart);
            let context = (tells && !text.is_empty()).then(|| said(text)).into_iter().collect();
            return Ok(Self { context, ..Self::default() });
        }
        let told: HookJson = serde_json::from_str(text)
            .map_err(|error| format!("its output is not a hook's JSON: {error}"))?;
        told.outcome()
    }
}

/// The output of a hook, as several tools have it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HookJson {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    stop_reason: Option<String>,
    decision: Option<String>,
    reason: Option<String>,
    system_message: Option<String>,
    hook_specific_output: Option<SpecificOutput>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpecificOutput {
    permission_decision: Option<String>,
    permission_decision_reason: Option<String>,
    additional_context: Option<String>,
}

impl HookJson {
    fn outcome(self) -> Result<HookOutcome, String> {
        let specific = self.hook_specific_output.unwrap_or_default();
        let why = specific.permission_decision_reason.or(self.reason).unwrap_or_default();
        let word = specific.permission_decision.or(self.decision);
        let verdict = match word.as_deref() {
            _ if self.goes_on == Some(false) => {
                HookVerdict::Block(said(&self.stop_reason.unwrap_or(why)))
            }
            Some("block" | "deny") => HookVerdict::Block(said(&why)),
            Some("ask") => HookVerdict::Ask(said(&why)),
            // It allows nothing that would be asked about.
            None | Some("allow" | "approve") => HookVerdict::GoOn,
            Some(other) => return Err(format!("its decision is `{}`", said(other))),
        };
        let words = |text: Option<String>| text.map(|text| said(&text)).into_iter().collect();
        let (context, messages) = (words(specific.additional_context), words(self.system_message));
        Ok(HookOutcome { verdict, context, messages })
    }
}

/// Returns the text of a hook, safe to show and bounded.
fn said(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(LONGEST);
    sanitize(&text[..end]).into_owned()
}

/// The exit status with which a hook blocks.
const BLOCKS: i32 = 2;

/// The maximum length of a hook's text, in bytes.
const LONGEST: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event: HookEvent, status: Option<i32>, stdout: &str) -> Result<HookOutcome, String> {
        let output = HookOutput { status, stdout: stdout.to_owned(), stderr: "no\n".to_owned() };
        HookOutcome::read(&Hook::new(event, "x"), &output)
    }

    #[test]
    fn exit_status_and_json_determine_the_verdict() {
        let verdict = |status, stdout: &str| {
            read(HookEvent::PreToolUse, status, stdout).map(|outcome| outcome.verdict)
        };
        let block = |why: &str| Ok(HookVerdict::Block(why.to_owned()));
        assert_eq!(verdict(Some(0), ""), Ok(HookVerdict::GoOn));
        assert_eq!(verdict(Some(0), "words"), Ok(HookVerdict::GoOn));
        assert_eq!(verdict(Some(2), ""), block("no"));
        assert!(verdict(Some(1), "").is_err() && verdict(None, "").is_err());
        assert!(verdict(Some(0), "{").is_err());
        assert_eq!(verdict(Some(0), r#"{"decision":"block","reason":"why"}"#), block("why"));
        assert_eq!(verdict(Some(0), r#"{"continue":false,"stopReason":"end"}"#), block("end"));
        let of_tool = |word: &str| {
            let text = format!(
                r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}","permissionDecisionReason":"w"}}}}"#
            );
            verdict(Some(0), &text)
        };
        assert_eq!(of_tool("deny"), block("w"));
        assert_eq!(of_tool("ask"), Ok(HookVerdict::Ask("w".to_owned())));
        assert_eq!(of_tool("allow"), Ok(HookVerdict::GoOn));
        assert!(of_tool("perhaps").is_err());
    }

    #[test]
    fn plain_output_is_context_only_for_prompts() {
        let context = |event, stdout| read(event, Some(0), stdout).unwrap().context;
        assert_eq!(context(HookEvent::UserPromptSubmit, "It rains.\n"), ["It rains."]);
        assert_eq!(context(HookEvent::PostToolUse, "It rains."), [""; 0]);
        let json = r#"{"hookSpecificOutput":{"additionalContext":"Use tabs."}}"#;
        assert_eq!(context(HookEvent::PostToolUse, json), ["Use tabs."]);
    }
}
