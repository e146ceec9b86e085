//! The keys of a file of settings: the kind of each value, the variable that overrides it, and what
//! the file of a project may do with it.

use silcrow_agent::ConnectionMode;
use silcrow_exec::closest_names;
use silcrow_parser::Dialect;
use silcrow_policy::PermissionMode;
use silcrow_provider::Effort;

/// A key of a file of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConfigKey {
    Model,
    KeyCommand,
    Dialect,
    Mode,
    Tools,
    Policy,
    PolicyMode,
    Sandbox,
    OnQuestion,
    Mcp,
    Instructions,
    Coding,
    LearnProfile,
    TitleModel,
    Store,
    Search,
    Proxy,
    ProxyPlainHttp,
    Prices,
    Temperature,
    MaxTokens,
    Effort,
    Seed,
    Stop,
    Theme,
    Thoughts,
    Diff,
    Profile,
    Window,
    CompactAt,
    OtlpEndpoint,
    OtlpContents,
}

/// The kind of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    /// A file or a folder, which may begin with `~/`, or is relative to the folder of its file.
    Path,
    /// One of [`ConfigKey::words`].
    Word,
    /// Yes or no.
    Switch,
    Tools,
    Engine,
    Number,
    Count,
    /// One text, or a list of them.
    Texts,
    /// A path, or a table of prices.
    Prices,
    /// A path, or a table with a mode and rules.
    Policy,
    /// The words of a command: a list of them, or a text that is split as a shell does.
    Words,
    /// A table of MCP servers by name.
    Servers,
}

/// What the file of a project may do with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProjectRight {
    /// It sets the key as the person's file does.
    Sets,
    /// It can only narrow what the person allows.
    Narrows,
    /// It sets the key once the person trusts its contents, because the value decides where
    /// something is sent, kept or read.
    SetsIfTrusted,
    /// It cannot have the key.
    Nothing,
}

impl ConfigKey {
    /// Lists every key, in the order in which they are shown.
    pub(super) const ALL: [Self; 32] = [
        Self::Profile,
        Self::Model,
        Self::Dialect,
        Self::Mode,
        Self::KeyCommand,
        Self::Tools,
        Self::PolicyMode,
        Self::Policy,
        Self::Sandbox,
        Self::OnQuestion,
        Self::Mcp,
        Self::Instructions,
        Self::Coding,
        Self::LearnProfile,
        Self::TitleModel,
        Self::Store,
        Self::Search,
        Self::Proxy,
        Self::ProxyPlainHttp,
        Self::Prices,
        Self::Temperature,
        Self::MaxTokens,
        Self::Effort,
        Self::Seed,
        Self::Stop,
        Self::Theme,
        Self::Thoughts,
        Self::Diff,
        Self::Window,
        Self::CompactAt,
        Self::OtlpEndpoint,
        Self::OtlpContents,
    ];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::KeyCommand => "key_command",
            Self::Dialect => "dialect",
            Self::Mode => "mode",
            Self::Tools => "tools",
            Self::Policy => "policy",
            Self::PolicyMode => "policy.mode",
            Self::Sandbox => "sandbox",
            Self::OnQuestion => "on_question",
            Self::Mcp => "mcp",
            Self::Instructions => "instructions",
            Self::Coding => "coding",
            Self::LearnProfile => "learn_profile",
            Self::TitleModel => "title_model",
            Self::Store => "store",
            Self::Search => "search",
            Self::Proxy => "proxy",
            Self::ProxyPlainHttp => "proxy_plain_http",
            Self::Theme => "theme",
            Self::Thoughts => "thoughts",
            Self::Diff => "diff",
            Self::Prices => "prices",
            Self::Temperature => "sampling.temperature",
            Self::MaxTokens => "sampling.max_tokens",
            Self::Effort => "sampling.effort",
            Self::Seed => "sampling.seed",
            Self::Stop => "sampling.stop",
            Self::Profile => "profile",
            Self::Window => "window",
            Self::CompactAt => "compact_at",
            Self::OtlpEndpoint => "otlp_endpoint",
            Self::OtlpContents => "otlp_contents",
        }
    }

    /// Returns the key of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == name)
    }

    /// Returns the message about a name that no key has.
    pub(super) fn unknown(name: &str) -> String {
        let names = Self::ALL.map(Self::as_str);
        match &closest_names(name, names.into_iter().chain(["profiles"]))[..] {
            [] => match variable_of_secret(name) {
                Some(variable) => format!(
                    "a file of settings holds no keys, because it is copied and committed; put the \
                     key into the variable {variable} of the environment"
                ),
                None => format!("there is no key `{name}`; use {} or profiles", names.join(", ")),
            },
            near => {
                let near: Vec<_> = near.iter().map(|near| format!("`{near}`")).collect();
                format!("there is no key `{name}`: did you mean {}?", near.join(" or "))
            }
        }
    }

    pub(super) const fn kind(self) -> ValueKind {
        match self {
            Self::Model | Self::TitleModel | Self::Profile | Self::Proxy | Self::OtlpEndpoint => {
                ValueKind::Text
            }
            Self::Dialect
            | Self::Mode
            | Self::PolicyMode
            | Self::Sandbox
            | Self::OnQuestion
            | Self::Effort
            | Self::Theme
            | Self::Thoughts
            | Self::Diff => ValueKind::Word,
            Self::Instructions
            | Self::Coding
            | Self::LearnProfile
            | Self::ProxyPlainHttp
            | Self::OtlpContents => ValueKind::Switch,
            Self::Temperature => ValueKind::Number,
            Self::MaxTokens | Self::Seed | Self::Window | Self::CompactAt => ValueKind::Count,
            Self::KeyCommand => ValueKind::Words,
            Self::Stop => ValueKind::Texts,
            Self::Tools => ValueKind::Tools,
            Self::Store => ValueKind::Path,
            Self::Search => ValueKind::Engine,
            Self::Prices => ValueKind::Prices,
            Self::Policy => ValueKind::Policy,
            Self::Mcp => ValueKind::Servers,
        }
    }

    /// Returns whether a count may be 0.
    pub(super) const fn is_from_zero(self) -> bool {
        matches!(self, Self::Seed | Self::CompactAt)
    }

    /// Returns the values of a key that has only some.
    pub(super) fn words(self) -> Vec<&'static str> {
        match self {
            Self::Dialect => Dialect::ALL.map(Dialect::as_str).to_vec(),
            Self::Mode => ConnectionMode::ALL.map(ConnectionMode::as_str).to_vec(),
            Self::PolicyMode => PermissionMode::ALL.map(PermissionMode::as_str).to_vec(),
            Self::Sandbox => vec!["on", "off"],
            Self::OnQuestion => vec!["park", "deny"],
            Self::Theme => vec!["dark", "light", "plain"],
            Self::Thoughts => vec!["brief", "full", "off"],
            Self::Diff => vec!["full", "short", "off"],
            Self::Effort => Effort::ALL.map(Effort::as_str).to_vec(),
            _ => Vec::new(),
        }
    }

    /// Returns the variable of the environment that counts instead of any file.
    pub(super) const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Model => Some("SILCROW_MODEL"),
            Self::Search => Some("SILCROW_SEARCH"),
            Self::Prices => Some("SILCROW_PRICES"),
            Self::Profile => Some("SILCROW_PROFILE"),
            Self::OtlpEndpoint => Some("OTEL_EXPORTER_OTLP_ENDPOINT"),
            _ => None,
        }
    }

    pub(super) const fn right_of_project(self) -> ProjectRight {
        match self {
            Self::Dialect
            | Self::Mode
            | Self::OnQuestion
            | Self::Coding
            | Self::Temperature
            | Self::MaxTokens
            | Self::Effort
            | Self::Seed
            | Self::Window
            | Self::CompactAt
            | Self::Stop
            | Self::Theme
            | Self::Thoughts
            | Self::Diff => ProjectRight::Sets,
            Self::Tools | Self::Policy | Self::PolicyMode | Self::Instructions => {
                ProjectRight::Narrows
            }
            Self::Model
            | Self::Store
            | Self::Search
            | Self::Proxy
            | Self::ProxyPlainHttp
            | Self::Mcp
            | Self::Prices => ProjectRight::SetsIfTrusted,
            Self::LearnProfile
            | Self::Sandbox
            | Self::KeyCommand
            | Self::TitleModel
            | Self::Profile
            | Self::OtlpEndpoint
            | Self::OtlpContents => ProjectRight::Nothing,
        }
    }

    /// Returns what counts if nothing sets the key, in words if it is not a value.
    pub(super) const fn default(self) -> &'static str {
        match self {
            Self::Model => "rehearsal",
            Self::KeyCommand => "(none; the key is in the environment)",
            Self::Dialect => "sigil",
            Self::Mode => "auto",
            Self::Tools => "(all)",
            Self::Policy => "(policy.toml beside this file)",
            Self::Sandbox => "on",
            Self::PolicyMode => "(workspace in a sandbox, otherwise ask)",
            Self::LearnProfile | Self::OtlpContents => "false",
            Self::OnQuestion => "(ask at a terminal, otherwise deny)",
            Self::Instructions => "true",
            Self::Coding => "true (in a repository, without --system)",
            Self::Store => "($XDG_DATA_HOME/silcrow)",
            Self::Search => "duckduckgo",
            Self::Proxy => "(that of HTTPS_PROXY or ALL_PROXY, if one is set)",
            Self::ProxyPlainHttp => "false",
            Self::Theme => "dark",
            Self::Thoughts => "brief",
            Self::Diff => "full",
            Self::Window => "(of a table, or learned)",
            Self::CompactAt => "70",
            Self::TitleModel => "(none; a title is the first line of the first prompt)",
            Self::OtlpEndpoint => "(none; nothing is sent)",
            Self::Mcp | Self::Prices | Self::Profile | Self::Stop => "(none)",
            Self::Temperature | Self::MaxTokens | Self::Effort | Self::Seed => "(the server's own)",
        }
    }
}

/// Returns the variable for the key that a name seems to stand for, if it stands for one.
fn variable_of_secret(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let last = name.rsplit(['.', '_', '-']).next().unwrap_or_default();
    if !SECRET_WORDS.contains(&last) && !name.contains("apikey") {
        return None;
    }
    Some(variable_for(&name))
}

/// Returns the variable for the key of the vendor that a text names or that begins as its keys do.
pub(super) fn variable_for(text: &str) -> &'static str {
    let vendors = [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("sk-ant-", "ANTHROPIC_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("AIza", "GEMINI_API_KEY"),
        ("brave", "BRAVE_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("sk-", "OPENAI_API_KEY"),
    ];
    let found = vendors.iter().find(|(part, _)| text.contains(part));
    found.map_or("SILCROW_COMPATIBLE_KEY", |(_, variable)| variable)
}

/// The last words of the names of keys.
const SECRET_WORDS: [&str; 6] = ["key", "keys", "token", "secret", "password", "apikey"];
