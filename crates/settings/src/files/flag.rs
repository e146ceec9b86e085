//! The name of a caller's value in messages.

use super::key::SettingKey;

impl SettingKey {
    /// Returns the name of the command's flag for the key, for messages about a value that the
    /// caller gave. For a key without one it is the key.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Model => "--model",
            Self::Dialect => "--dialect",
            Self::Calls => "--calls",
            Self::Mode => "--mode",
            Self::Tools => "--tools",
            Self::Policy => "--policy",
            Self::PolicyMode => "--permissions",
            Self::Sandbox => "--sandbox",
            Self::OnQuestion => "--on-question",
            Self::Mcp => "--mcp",
            Self::Instructions => "--no-instructions",
            Self::LearnProfile => "--learn-profile",
            Self::Store => "--store",
            Self::Search => "--search",
            Self::Proxy => "--proxy",
            Self::ProxyPlainHttp => "--proxy-plain-http",
            Self::Prices => "--prices",
            Self::Temperature => "--temperature",
            Self::MaxTokens => "--max-tokens",
            Self::Effort => "--effort",
            Self::ThinkingBudget => "--thinking-budget",
            Self::ThinkingDisplay => "--thinking-display",
            Self::Seed => "--seed",
            Self::Stop => "--stop",
            Self::Theme => "--theme",
            Self::Thoughts => "--thoughts",
            Self::Diff => "--diff",
            Self::Profile => "--profile",
            Self::Window => "--window",
            Self::CompactAt => "--compact-at",
            Self::KeyCommand
            | Self::Models
            | Self::Coding
            | Self::TitleModel
            | Self::Notify
            | Self::Status
            | Self::Keys
            | Self::OtlpEndpoint
            | Self::OtlpContents
            | Self::OtlpWholeInput => self.as_str(),
        }
    }
}
