//! How much a model of Messages thinks, and which thoughts it shows.
//!
//! Models differ in their parameters: older ones take a budget, newer ones an effort, with which
//! they decide themselves how long they think.

use serde::Serialize;
use silcrow_provider::{Effort, Sampling, ThinkingDisplay};

/// A request's settings for the thoughts of a model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MessagesThinking {
    pub(super) thinking: Option<ThinkingField>,
    pub(super) effort: Option<&'static str>,
}

/// The field `thinking` of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ThinkingField {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display: Option<&'static str>,
}

/// The ways of telling a model how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThinkingKind {
    /// By a budget alone.
    Budget,
    /// By an effort alone.
    Adaptive,
    /// By either.
    Both,
    /// Unknown.
    Unknown,
}

impl MessagesThinking {
    /// Returns the settings for a model's thoughts, in an answer of at most `max_tokens`.
    pub(super) fn new(model: &str, sampling: &Sampling, max_tokens: u32) -> Self {
        let kind = ThinkingKind::for_model(model);
        let Sampling { effort, thinking_budget, thinking_display, .. } = *sampling;
        if thinking_budget == Some(0) || thinking_budget.is_none() && effort == Some(Effort::None) {
            return Self { thinking: Some(ThinkingField::DISABLED), effort: None };
        }
        let display = thinking_display.map(|display| match display {
            ThinkingDisplay::Omitted => "omitted",
            _ => "summarized",
        });
        // The thoughts are a part of the answer.
        let enabled = |budget: u32| ThinkingField {
            r#type: "enabled",
            budget_tokens: Some(budget.min(max_tokens.saturating_sub(1))),
            display,
        };
        let adaptive = ThinkingField { r#type: "adaptive", budget_tokens: None, display };
        let thinking = match kind {
            ThinkingKind::Budget => thinking_budget.or_else(|| effort.map(budget_of)).map(enabled),
            ThinkingKind::Adaptive => {
                let is_asked = thinking_budget.is_some() || effort.is_some() || display.is_some();
                is_asked.then_some(adaptive)
            }
            ThinkingKind::Both => match thinking_budget {
                Some(budget) => Some(enabled(budget)),
                None => (effort.is_some() || display.is_some()).then_some(adaptive),
            },
            // Servers that copy the API may not support the newer way.
            ThinkingKind::Unknown => {
                thinking_budget.map(enabled).or_else(|| display.map(|_| adaptive))
            }
        };
        let effort = effort.filter(|_| kind != ThinkingKind::Budget).map(|effort| match effort {
            Effort::None | Effort::Minimal => "low",
            effort => effort.as_str(),
        });
        Self { thinking, effort }
    }
}

impl ThinkingField {
    const DISABLED: Self = Self { r#type: "disabled", budget_tokens: None, display: None };
}

impl ThinkingKind {
    fn for_model(model: &str) -> Self {
        let begins = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
        match () {
            () if begins(&BOTH) => Self::Both,
            () if begins(&BUDGET) => Self::Budget,
            () if model.starts_with("claude-") => Self::Adaptive,
            () => Self::Unknown,
        }
    }
}

/// Returns the budget that an effort is for a model that takes no effort.
const fn budget_of(effort: Effort) -> u32 {
    match effort {
        Effort::Medium => 8_192,
        Effort::High => 16_384,
        Effort::XHigh => 24_576,
        Effort::Max => 32_768,
        _ => 2_048,
    }
}

/// The prefixes of models that take both a budget and an effort. They are checked first.
const BOTH: [&str; 3] = ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-5"];

/// The prefixes of models that take only a budget. Unknown models take an effort.
const BUDGET: [&str; 10] = [
    "claude-3",
    "claude-haiku-4-5",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2",
    "claude-opus-4@",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
    "claude-sonnet-4-5",
    "claude-sonnet-4@",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(model: &str, sampling: &Sampling) -> String {
        let found = MessagesThinking::new(model, sampling, 10_000);
        let thinking = serde_json::to_string(&found.thinking).unwrap();
        format!("{thinking} {}", found.effort.unwrap_or("-"))
    }

    #[test]
    fn effort_maps_to_the_supported_form() {
        let mut sampling = Sampling::new();
        for (effort, [budget, adaptive, unknown]) in [
            (None, ["null -", "null -", "null -"]),
            (
                Some(Effort::Low),
                [
                    r#"{"type":"enabled","budget_tokens":2048} -"#,
                    r#"{"type":"adaptive"} low"#,
                    "null low",
                ],
            ),
            (
                Some(Effort::Max),
                [
                    r#"{"type":"enabled","budget_tokens":9999} -"#,
                    r#"{"type":"adaptive"} max"#,
                    "null max",
                ],
            ),
            (Some(Effort::None), [r#"{"type":"disabled"} -"#; 3]),
        ] {
            sampling.effort = effort;
            assert_eq!(sent("claude-sonnet-4-5-20250929", &sampling), budget);
            assert_eq!(sent("claude-sonnet-4-20250514", &sampling), budget);
            assert_eq!(sent("claude-opus-4-8", &sampling), adaptive);
            assert_eq!(sent("claude-opus-4-6", &sampling), adaptive);
            assert_eq!(sent("claude-novel-9", &sampling), adaptive);
            assert_eq!(sent("minimax-m3", &sampling), unknown);
        }
    }

    #[test]
    fn budget_is_sent_if_supported_below_max_tokens() {
        let mut sampling = Sampling::new();
        sampling.thinking_budget = Some(4_096);
        sampling.thinking_display = Some(ThinkingDisplay::Omitted);
        let budget = r#"{"type":"enabled","budget_tokens":4096,"display":"omitted"} -"#;
        for model in ["claude-haiku-4-5", "claude-opus-4-6", "minimax-m3"] {
            assert_eq!(sent(model, &sampling), budget, "{model}");
        }
        let adaptive = r#"{"type":"adaptive","display":"omitted"} -"#;
        assert_eq!(sent("claude-sonnet-5", &sampling), adaptive);
        sampling.thinking_budget = Some(20_000);
        sampling.thinking_display = Some(ThinkingDisplay::Detailed);
        let most = r#"{"type":"enabled","budget_tokens":9999,"display":"summarized"} -"#;
        assert_eq!(sent("claude-haiku-4-5", &sampling), most);
        sampling.thinking_budget = Some(0);
        assert_eq!(sent("claude-haiku-4-5", &sampling), r#"{"type":"disabled"} -"#);
    }
}
