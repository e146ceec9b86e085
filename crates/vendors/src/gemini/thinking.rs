//! How much a model of Gemini thinks, and which thoughts it shows.

use serde::Serialize;
use silcrow_provider::{Effort, Sampling, ThinkingDisplay};

/// The thoughts that a request asks for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include_thoughts: Option<bool>,
}

impl ThinkingConfig {
    /// Returns the request's settings for a model's thoughts, if it has any.
    ///
    /// The API rejects a level next to a budget, so a budget is sent alone. Models before Gemini 3
    /// have no levels, and get the budget that the vendor documents for the level.
    pub(super) fn new(model: &str, sampling: &Sampling) -> Option<Self> {
        let takes_level = !BEFORE_LEVELS.iter().any(|begin| model.starts_with(begin));
        let effort = sampling.effort.filter(|_| sampling.thinking_budget.is_none());
        let level = effort.filter(|_| takes_level);
        let budget = effort.filter(|_| !takes_level).map(|effort| budget(model, effort));
        let config = Self {
            thinking_level: level.map(|effort| effort.as_str().to_ascii_uppercase()),
            thinking_budget: sampling.thinking_budget.or(budget),
            include_thoughts: sampling
                .thinking_display
                .map(|display| display != ThinkingDisplay::Omitted),
        };
        let is_empty = config.thinking_level.is_none()
            && config.thinking_budget.is_none()
            && config.include_thoughts.is_none();
        (!is_empty).then_some(config)
    }
}

/// Returns the budget that an effort is for a model before Gemini 3, as the vendor's own API for clients
/// of Chat Completions has it. `pro` cannot be without thoughts.
fn budget(model: &str, effort: Effort) -> u32 {
    let is_pro = model.contains("-pro");
    match effort {
        Effort::None if is_pro => 128,
        Effort::None => 0,
        Effort::Minimal | Effort::Low => 1_024,
        Effort::Medium => 8_192,
        Effort::XHigh | Effort::Max if is_pro => 32_768,
        _ => 24_576,
    }
}

/// The prefixes of models without levels.
const BEFORE_LEVELS: [&str; 2] = ["gemini-2", "gemini-1"];

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(model: &str, sampling: &Sampling) -> String {
        serde_json::to_string(&ThinkingConfig::new(model, sampling)).unwrap()
    }

    #[test]
    fn thinking_is_a_level_or_a_budget() {
        let mut sampling = Sampling::new();
        assert_eq!(sent("gemini-3-pro", &sampling), "null");
        sampling.effort = Some(Effort::High);
        assert_eq!(sent("gemini-3-pro", &sampling), r#"{"thinkingLevel":"HIGH"}"#);
        assert_eq!(sent("gemini-2.5-flash", &sampling), r#"{"thinkingBudget":24576}"#);
        sampling.effort = Some(Effort::Max);
        assert_eq!(sent("gemini-2.5-pro", &sampling), r#"{"thinkingBudget":32768}"#);
        sampling.effort = Some(Effort::None);
        assert_eq!(sent("gemini-2.5-pro", &sampling), r#"{"thinkingBudget":128}"#);
        assert_eq!(sent("gemini-2.5-flash-lite", &sampling), r#"{"thinkingBudget":0}"#);
        sampling.thinking_budget = Some(7);
        for model in ["gemini-3-pro", "gemini-2.5-pro"] {
            assert_eq!(sent(model, &sampling), r#"{"thinkingBudget":7}"#);
        }
    }

    #[test]
    fn thoughts_are_included_unless_omitted() {
        let mut sampling = Sampling::new();
        for (display, is_included) in [
            (ThinkingDisplay::Omitted, false),
            (ThinkingDisplay::Summarized, true),
            (ThinkingDisplay::Detailed, true),
        ] {
            sampling.thinking_display = Some(display);
            let expected = format!(r#"{{"includeThoughts":{is_included}}}"#);
            assert_eq!(sent("gemini-3-pro", &sampling), expected);
        }
    }
}
