//! How much a model behind Chat Completions thinks, and which thoughts its server sends.
//!
//! The API has a field for the effort only. Compatible servers added different fields for the rest, and
//! some reject the fields of other servers, so the fields depend on the host.

use serde::Serialize;
use silcrow_provider::{Effort, Sampling, ThinkingDisplay};

use super::ChatServer;

/// The fields of a request about thoughts.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct ThinkingFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    /// OpenRouter's.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<RouterReasoning>,
    /// Of DeepSeek, Moonshot and Zhipu.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingSwitch>,
    /// Of Alibaba and SiliconFlow.
    #[serde(skip_serializing_if = "Option::is_none")]
    enable_thinking: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    /// vLLM's.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_token_budget: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include_reasoning: Option<bool>,
    /// llama.cpp's.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget_tokens: Option<u32>,
    /// The switches for models' templates on self-hosted servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<TemplateSwitch>,
}

#[derive(Debug, PartialEq, Serialize)]
struct RouterReasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclude: Option<bool>,
}

#[derive(Debug, PartialEq, Serialize)]
struct ThinkingSwitch {
    r#type: &'static str,
}

#[derive(Debug, PartialEq, Serialize)]
struct TemplateSwitch {
    enable_thinking: bool,
}

impl ThinkingFields {
    /// Returns the fields of the server at `host` for a request.
    pub(super) fn new(server: ChatServer, host: &str, sampling: &Sampling) -> Self {
        let effort = sampling.effort.map(Effort::as_str);
        let of_api = Self { reasoning_effort: effort, ..Self::default() };
        let budget = sampling.thinking_budget;
        let is_shown = sampling.thinking_display.map(|display| display != ThinkingDisplay::Omitted);
        if server != ChatServer::Compatible || (budget, is_shown) == (None, None) {
            return of_api;
        }
        let is_at = |domains: &[&str]| domains.iter().any(|domain| is_within(host, domain));
        if is_at(&ROUTERS) {
            // Only one of effort and budget counts there.
            let reasoning = RouterReasoning {
                effort: effort.filter(|_| budget.is_none()),
                max_tokens: budget,
                exclude: is_shown.map(|is_shown| !is_shown),
            };
            return Self { reasoning: Some(reasoning), ..Self::default() };
        }
        if is_at(&WITH_SWITCH) {
            let r#type = |budget| if budget == 0 { "disabled" } else { "enabled" };
            let thinking = budget.map(|budget| ThinkingSwitch { r#type: r#type(budget) });
            return Self { thinking, ..of_api };
        }
        if is_at(&WITH_BUDGET) {
            let enable_thinking = budget.map(|budget| budget > 0);
            let thinking_budget = budget.filter(|budget| *budget > 0);
            return Self { enable_thinking, thinking_budget, ..of_api };
        }
        let off = TemplateSwitch { enable_thinking: false };
        Self {
            thinking_token_budget: budget,
            thinking_budget_tokens: budget,
            include_reasoning: is_shown,
            chat_template_kwargs: (budget == Some(0)).then_some(off),
            ..of_api
        }
    }
}

/// Returns whether a host is of a domain.
fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

const ROUTERS: [&str; 1] = ["openrouter.ai"];

/// Servers that can only switch thinking on and off.
const WITH_SWITCH: [&str; 6] =
    ["deepseek.com", "moonshot.ai", "moonshot.cn", "kimi.com", "z.ai", "bigmodel.cn"];

const WITH_BUDGET: [&str; 3] = ["aliyuncs.com", "siliconflow.cn", "siliconflow.com"];

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(server: ChatServer, host: &str, budget: u32, display: ThinkingDisplay) -> String {
        let mut sampling = Sampling::new();
        sampling.effort = Some(Effort::Low);
        sampling.thinking_budget = Some(budget);
        sampling.thinking_display = Some(display);
        serde_json::to_string(&ThinkingFields::new(server, host, &sampling)).unwrap()
    }

    #[test]
    fn each_server_gets_its_thinking_fields() {
        for (host, budget, display, expected) in [
            (
                "openrouter.ai",
                512,
                ThinkingDisplay::Omitted,
                r#"{"reasoning":{"max_tokens":512,"exclude":true}}"#,
            ),
            (
                "api.deepseek.com",
                0,
                ThinkingDisplay::Summarized,
                r#"{"reasoning_effort":"low","thinking":{"type":"disabled"}}"#,
            ),
            (
                "dashscope.aliyuncs.com",
                64,
                ThinkingDisplay::Detailed,
                r#"{"reasoning_effort":"low","enable_thinking":true,"thinking_budget":64}"#,
            ),
            (
                "127.0.0.1",
                64,
                ThinkingDisplay::Omitted,
                r#"{"reasoning_effort":"low","thinking_token_budget":64,"include_reasoning":false,"thinking_budget_tokens":64}"#,
            ),
            (
                "notz.ai",
                0,
                ThinkingDisplay::Summarized,
                r#"{"reasoning_effort":"low","thinking_token_budget":0,"include_reasoning":true,"thinking_budget_tokens":0,"chat_template_kwargs":{"enable_thinking":false}}"#,
            ),
        ] {
            assert_eq!(sent(ChatServer::Compatible, host, budget, display), expected, "{host}");
        }
        for server in [ChatServer::OpenAi, ChatServer::Azure, ChatServer::AzureVersion] {
            let sent = sent(server, "api.openai.com", 64, ThinkingDisplay::Summarized);
            assert_eq!(sent, r#"{"reasoning_effort":"low"}"#);
        }
    }
}
