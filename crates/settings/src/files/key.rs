//! The keys of a file of settings: the kind of each value, the variable that overrides it, and how
//! a project's file may set it.

use silcrow_tool::closest_names;

use super::secret_name::variable_of_secret;

/// A key of a file of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SettingKey {
    /// The name of the model.
    Model,
    /// The command that prints the key of the model.
    KeyCommand,
    /// The notation of the model's output.
    Dialect,
    /// The forms of calls that are read.
    Calls,
    /// The connection to the model.
    Mode,
    /// The tools that are offered.
    Tools,
    /// A policy file, or the mode and the rules themselves.
    Policy,
    /// The mode of the policy.
    PolicyMode,
    /// Whether commands are confined.
    Sandbox,
    /// What a run does with questions that nobody answers.
    OnQuestion,
    /// The MCP servers.
    Mcp,
    /// Whether the files `AGENTS.md` are read.
    Instructions,
    /// Whether the system prompt says how to work on code.
    Coding,
    /// Whether facts about the person are read and noted.
    LearnProfile,
    /// The model that names conversations.
    TitleModel,
    /// The place of conversations.
    Store,
    /// The engine of `web_search`.
    Search,
    /// The proxy on the way to models.
    Proxy,
    /// Whether a proxy is also used for models over plain HTTP.
    ProxyPlainHttp,
    /// The prices of models.
    Prices,
    /// The kinds of input that models take besides text.
    Models,
    /// The sampling temperature.
    Temperature,
    /// The most tokens of an answer.
    MaxTokens,
    /// The amount of thinking of the model.
    Effort,
    /// The most tokens of the model's thoughts.
    ThinkingBudget,
    /// How the server sends the model's thoughts.
    ThinkingDisplay,
    /// The seed of the chance.
    Seed,
    /// Texts before which an answer ends.
    Stop,
    /// The colours of a terminal.
    Theme,
    /// The display of thoughts.
    Thoughts,
    /// The part of changes in files that is shown.
    Diff,
    /// How the terminal notifies a person who looks elsewhere.
    Notify,
    /// The parts of the line of status.
    Status,
    /// The keys of the line that is typed.
    Keys,
    /// The profile that counts unless another one is named.
    Profile,
    /// The most tokens that the model reads and writes at once.
    Window,
    /// The part of the window, in percent, at which old turns are summarized.
    CompactAt,
    /// The collector of traces.
    OtlpEndpoint,
    /// Whether traces have messages, arguments and results.
    OtlpContents,
    /// Whether each request in a trace has its system prompt and all messages before it.
    OtlpWholeInput,
}

/// The kind of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    /// A file or a folder, which may begin with `~/`, or is relative to the folder of its file.
    Path,
    /// One of [`SettingKey::words`].
    Word,
    /// Some of [`SettingKey::words`], in order.
    Choices,
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
    /// A table of models by name.
    Models,
    /// A path, or a table with a mode and rules.
    Policy,
    /// The words of a command: a list of them, or a text that is split as a shell does.
    Words,
    /// A table of MCP servers by name.
    Servers,
}

/// The right of the file of a project over a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a project sets, narrows, asks or may not")]
pub enum ProjectRight {
    /// It sets the key as the person's file does.
    Sets,
    /// It can only narrow the person's value.
    Narrows,
    /// It sets the key once the person trusts its contents, because the value decides where
    /// something is sent, kept or read.
    SetsIfTrusted,
    /// It cannot have the key.
    Nothing,
}

impl SettingKey {
    /// Lists every key, in the order in which they are shown.
    pub const ALL: [Self; 40] = [
        Self::Profile,
        Self::Model,
        Self::Dialect,
        Self::Calls,
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
        Self::Models,
        Self::Temperature,
        Self::MaxTokens,
        Self::Effort,
        Self::ThinkingBudget,
        Self::ThinkingDisplay,
        Self::Seed,
        Self::Stop,
        Self::Theme,
        Self::Thoughts,
        Self::Diff,
        Self::Notify,
        Self::Status,
        Self::Keys,
        Self::Window,
        Self::CompactAt,
        Self::OtlpEndpoint,
        Self::OtlpContents,
        Self::OtlpWholeInput,
    ];

    /// Returns the key as it is written in a file, with dots between its tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::KeyCommand => "key_command",
            Self::Dialect => "dialect",
            Self::Calls => "calls",
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
            Self::Notify => "notify",
            Self::Status => "status",
            Self::Keys => "keys",
            Self::Prices => "prices",
            Self::Models => "models",
            Self::Temperature => "sampling.temperature",
            Self::MaxTokens => "sampling.max_tokens",
            Self::Effort => "sampling.effort",
            Self::ThinkingBudget => "sampling.thinking_budget",
            Self::ThinkingDisplay => "sampling.thinking_display",
            Self::Seed => "sampling.seed",
            Self::Stop => "sampling.stop",
            Self::Profile => "profile",
            Self::Window => "window",
            Self::CompactAt => "compact_at",
            Self::OtlpEndpoint => "otlp_endpoint",
            Self::OtlpContents => "otlp_contents",
            Self::OtlpWholeInput => "otlp_whole_input",
        }
    }

    /// Returns the key of this name.
    ///
    /// ```
    /// use silcrow_settings::SettingKey;
    ///
    /// assert_eq!(SettingKey::named("sampling.seed"), Some(SettingKey::Seed));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == name)
    }

    /// Returns the message about a name that no key has.
    pub fn unknown(name: &str) -> String {
        let names = Self::ALL.map(Self::as_str);
        match &closest_names(name, names.into_iter().chain(["profiles"]))[..] {
            [] => match variable_of_secret(name) {
                Some(variable) => format!(
                    "a file of settings holds no keys, because it is copied and committed; put the \
                     key into the variable {variable} of the environment"
                ),
                None => format!("unknown key `{name}`; use {} or profiles", names.join(", ")),
            },
            near => {
                let near: Vec<_> = near.iter().map(|near| format!("`{near}`")).collect();
                format!("unknown key `{name}`; did you mean {}?", near.join(" or "))
            }
        }
    }

    pub(crate) const fn kind(self) -> ValueKind {
        match self {
            Self::Model | Self::TitleModel | Self::Profile | Self::Proxy | Self::OtlpEndpoint => {
                ValueKind::Text
            }
            Self::Dialect
            | Self::Calls
            | Self::Mode
            | Self::PolicyMode
            | Self::Sandbox
            | Self::OnQuestion
            | Self::Effort
            | Self::ThinkingDisplay
            | Self::Theme
            | Self::Thoughts
            | Self::Diff
            | Self::Notify
            | Self::Keys => ValueKind::Word,
            Self::Instructions
            | Self::Coding
            | Self::LearnProfile
            | Self::ProxyPlainHttp
            | Self::OtlpContents
            | Self::OtlpWholeInput => ValueKind::Switch,
            Self::Temperature => ValueKind::Number,
            Self::MaxTokens
            | Self::ThinkingBudget
            | Self::Seed
            | Self::Window
            | Self::CompactAt => ValueKind::Count,
            Self::KeyCommand => ValueKind::Words,
            Self::Status => ValueKind::Choices,
            Self::Stop => ValueKind::Texts,
            Self::Tools => ValueKind::Tools,
            Self::Store => ValueKind::Path,
            Self::Search => ValueKind::Engine,
            Self::Prices => ValueKind::Prices,
            Self::Models => ValueKind::Models,
            Self::Policy => ValueKind::Policy,
            Self::Mcp => ValueKind::Servers,
        }
    }

    /// Returns whether a count may be 0.
    pub(crate) const fn is_from_zero(self) -> bool {
        matches!(self, Self::ThinkingBudget | Self::Seed | Self::CompactAt)
    }

    /// Returns the variable of the environment that counts instead of any file.
    pub const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Model => Some("SILCROW_MODEL"),
            Self::Search => Some("SILCROW_SEARCH"),
            Self::Prices => Some("SILCROW_PRICES"),
            Self::Profile => Some("SILCROW_PROFILE"),
            Self::OtlpEndpoint => Some("OTEL_EXPORTER_OTLP_ENDPOINT"),
            _ => None,
        }
    }

    /// Returns how the file of a project may use the key.
    pub const fn right_of_project(self) -> ProjectRight {
        match self {
            Self::Dialect
            | Self::Calls
            | Self::Mode
            | Self::OnQuestion
            | Self::Coding
            | Self::Temperature
            | Self::MaxTokens
            | Self::Effort
            | Self::ThinkingBudget
            | Self::ThinkingDisplay
            | Self::Seed
            | Self::Window
            | Self::CompactAt
            | Self::Models
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
            | Self::Notify
            | Self::Status
            | Self::Keys
            | Self::Profile
            | Self::OtlpEndpoint
            | Self::OtlpContents
            | Self::OtlpWholeInput => ProjectRight::Nothing,
        }
    }
}
