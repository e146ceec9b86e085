//! The defaults of keys that nothing sets.

use super::key::SettingKey;

impl SettingKey {
    /// Returns the default of the key, in words if it is not a value.
    pub const fn default(self) -> &'static str {
        match self {
            Self::Model => "rehearsal",
            Self::KeyCommand => "(none; the key is in the environment)",
            Self::Dialect => "sigil",
            Self::Calls => "known",
            Self::Mode => "auto",
            Self::Tools => "(all)",
            Self::Policy => "(policy.toml beside this file)",
            Self::Sandbox => "on",
            Self::PolicyMode => "(workspace in a sandbox, otherwise ask)",
            Self::LearnProfile | Self::OtlpContents | Self::OtlpWholeInput => "false",
            Self::OnQuestion => "(ask at a terminal, otherwise deny)",
            Self::Instructions => "true",
            Self::Coding => "true (in a repository, without --system)",
            Self::Store => "($XDG_DATA_HOME/silcrow)",
            Self::Search => "duckduckgo",
            Self::Proxy => "(HTTPS_PROXY or ALL_PROXY, if one is set)",
            Self::ProxyPlainHttp => "false",
            Self::Theme => "auto",
            Self::Notify => "off",
            Self::Status => {
                "[\"mode\", \"sandbox\", \"model\", \"time\", \"tokens\", \"cost\", \"window\"]"
            }
            Self::Keys => "usual",
            Self::Thoughts => "brief",
            Self::Diff => "full",
            Self::Window => "(of a table, or learned)",
            Self::CompactAt => "70",
            Self::TitleModel => "(none; a title is the first line of the first prompt)",
            Self::OtlpEndpoint => "(none; nothing is sent)",
            Self::Mcp | Self::Prices | Self::Profile | Self::Stop => "(none)",
            Self::Models => "(of a table)",
            Self::Temperature
            | Self::MaxTokens
            | Self::Effort
            | Self::ThinkingBudget
            | Self::ThinkingDisplay
            | Self::Seed => "(the server's own)",
        }
    }
}
