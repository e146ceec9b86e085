//! The words of keys that have only some.

use silcrow_agent::{CallForms, ConnectionMode};
use silcrow_parser::Dialect;
use silcrow_policy::PermissionMode;
use silcrow_provider::{Effort, ThinkingDisplay};

use super::key::SettingKey;

impl SettingKey {
    /// Returns the values of a key that has only some.
    pub(crate) fn words(self) -> Vec<&'static str> {
        match self {
            Self::Dialect => Dialect::ALL.map(Dialect::as_str).to_vec(),
            Self::Calls => CallForms::ALL.map(CallForms::as_str).to_vec(),
            Self::Mode => ConnectionMode::ALL.map(ConnectionMode::as_str).to_vec(),
            Self::PolicyMode => PermissionMode::ALL.map(PermissionMode::as_str).to_vec(),
            Self::Sandbox => vec!["on", "off"],
            Self::OnQuestion => vec!["park", "deny"],
            Self::Theme => vec!["dark", "light", "plain", "auto"],
            Self::Thoughts => vec!["brief", "full", "off"],
            Self::Diff => vec!["full", "short", "off"],
            Self::Notify => vec!["off", "auto", "bell", "osc9", "osc777", "osc99"],
            Self::Status => vec![
                "mode", "sandbox", "model", "time", "tokens", "cost", "window", "todo", "agents",
                "folder", "branch",
            ],
            Self::Keys => vec!["usual", "vi"],
            Self::Effort => Effort::ALL.map(Effort::as_str).to_vec(),
            Self::ThinkingDisplay => ThinkingDisplay::ALL.map(ThinkingDisplay::as_str).to_vec(),
            _ => Vec::new(),
        }
    }
}
