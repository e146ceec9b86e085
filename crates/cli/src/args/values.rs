//! The values of arguments that are not plain text, and their parsers.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use silcrow_agent::{CallForms, ConnectionMode, EagerStart};
use silcrow_console::options::{DiffShown, TextPieces, ThemeName, Thoughts};
use silcrow_context::GuideLength;
use silcrow_event::{Json, Money, ParseMoneyError};
use silcrow_grammar::GrammarFormat;
use silcrow_parser::Dialect;
use silcrow_policy::PermissionMode;
use silcrow_provider::{Effort, ThinkingDisplay};
use silcrow_vendors::GrammarServer;

/// The server that restricts a model to a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrammarBackend {
    #[value(name = "llama.cpp")]
    LlamaCpp,
    Vllm,
}

/// The output of `parse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParseOutput {
    Event,
    Token,
}

/// The pieces in which `run` shows text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stream {
    Token,
    Event,
    None,
}

impl From<Stream> for TextPieces {
    fn from(stream: Stream) -> Self {
        match stream {
            Stream::Token => Self::Token,
            Stream::Event => Self::Event,
            Stream::None => Self::None,
        }
    }
}

impl From<GrammarBackend> for GrammarServer {
    fn from(backend: GrammarBackend) -> Self {
        match backend {
            GrammarBackend::LlamaCpp => Self::LlamaCpp,
            GrammarBackend::Vllm => Self::Vllm,
        }
    }
}

/// The way in which input is cut into pieces, which may end within a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunks {
    Whole,
    Bytes(NonZeroUsize),
    Random(u64),
}

/// Reads the name of a grammar's format.
pub(super) fn format() -> impl TypedValueParser<Value = GrammarFormat> {
    PossibleValuesParser::new(GrammarFormat::ALL.map(GrammarFormat::as_str))
        .try_map(|name| name.parse::<GrammarFormat>())
}

/// Reads the name of a connection mode, and explains each in the help.
pub(super) fn mode() -> impl TypedValueParser<Value = ConnectionMode> {
    let values = ConnectionMode::ALL.map(|mode| {
        PossibleValue::new(mode.as_str()).help(match mode {
            ConnectionMode::Replay => "One request for each step, with the whole conversation",
            ConnectionMode::Resume => {
                "One connection, which is opened once more if it ends between two answers; the run \
                 fails if it ends elsewhere"
            }
            ConnectionMode::Auto => {
                "One connection if the model can keep one, otherwise one request for each step"
            }
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<ConnectionMode>())
}

/// Reads how much runs without a question, and explains each mode in the help.
pub(super) fn permissions() -> impl TypedValueParser<Value = PermissionMode> {
    let values = PermissionMode::ALL.map(|mode| {
        PossibleValue::new(mode.as_str()).help(match mode {
            PermissionMode::Plan => "Nothing, until you accept a plan that the agent proposes",
            PermissionMode::ReadOnly => "Nothing that changes something or sends something out",
            PermissionMode::Ask => "What reads; you are asked about the rest",
            PermissionMode::Workspace => {
                "What reads, changes of files in the root, and commands in the sandbox"
            }
            PermissionMode::Full => {
                "Everything that no rule denies or asks about, whatever its risk"
            }
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<PermissionMode>())
}

/// Reads how thoughts are shown, and explains each choice in the help.
pub(super) fn thoughts() -> impl TypedValueParser<Value = Thoughts> {
    let values = Thoughts::ALL.map(|thoughts| {
        PossibleValue::new(thoughts.as_str()).help(match thoughts {
            Thoughts::Brief => "One line each",
            Thoughts::Full => "Whole",
            Thoughts::Off => "Not at all",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Thoughts>())
}

/// Reads what is shown of changes in files, and explains each choice in the help.
pub(super) fn diff() -> impl TypedValueParser<Value = DiffShown> {
    let values = DiffShown::ALL.map(|diff| {
        PossibleValue::new(diff.as_str()).help(match diff {
            DiffShown::Full => "The lines that changed",
            DiffShown::Short => "A line for each file",
            DiffShown::Off => "Nothing",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<DiffShown>())
}

/// Reads the name of a theme.
pub(super) fn theme() -> impl TypedValueParser<Value = ThemeName> {
    PossibleValuesParser::new(ThemeName::ALL.map(ThemeName::as_str))
        .try_map(|name| name.parse::<ThemeName>())
}

/// Reads which calls start early, and explains each choice in the help.
pub(super) fn eager() -> impl TypedValueParser<Value = EagerStart> {
    let values = EagerStart::ALL.map(|eager| {
        PossibleValue::new(eager.as_str()).help(match eager {
            EagerStart::Off => "None",
            EagerStart::ReadOnly => "Only calls to tools that change nothing",
            EagerStart::All => "All",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<EagerStart>())
}

/// Reads the forms of calls, and explains each choice in the help.
pub(super) fn calls() -> impl TypedValueParser<Value = CallForms> {
    let values = CallForms::ALL.map(|forms| {
        PossibleValue::new(forms.as_str()).help(match forms {
            CallForms::Own => "Only the form of the dialect",
            CallForms::Known => {
                "Also the form that the model was trained to write, if its name says which; for any other \
                 model the most frequent forms, after its first call in vain"
            }
            CallForms::Native => {
                "The vendor's own tool calling, of Chat Completions, Messages, Responses and Gemini; without \
                 control blocks and grammars"
            }
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<CallForms>())
}

/// Reads how much of the dialect the system prompt teaches, and explains each choice in the help.
pub(super) fn guide() -> impl TypedValueParser<Value = GuideLength> {
    let values = GuideLength::ALL.map(|length| {
        PossibleValue::new(length.as_str()).help(match length {
            GuideLength::Full => "The whole guide, with examples",
            GuideLength::Calls => "The same without control blocks, in the dialect action",
            GuideLength::Brief => "The delimiters and the most important rules",
            GuideLength::Off => "Nothing, for a model that was trained on the dialect",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<GuideLength>())
}

pub(super) fn dialect(name: &str) -> Result<Dialect, String> {
    name.parse().map_err(|_| "use sigil, phase or action".to_owned())
}

/// Reads a name and its value, such as `limit=5` or `who="Ann"`.
pub(super) fn variable(text: &str) -> Result<(String, Json), String> {
    let why = || "use NAME=JSON, such as limit=5 or who='\"Ann\"'".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(why)?;
    let begins = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let is_name = begins && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    let value = Json::parse(value).filter(|_| is_name).ok_or_else(why)?;
    Ok((name.to_owned(), value))
}

pub(super) fn count(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "use a whole number from 1".to_owned())
}

/// Reads a number of tokens.
pub(super) fn tokens(text: &str) -> Result<u64, String> {
    let tokens = text.parse().ok().filter(|tokens| *tokens > 0);
    tokens.ok_or_else(|| "use a whole number from 1".to_owned())
}

/// Reads a limit of the tokens of an answer.
pub(super) fn max_tokens(text: &str) -> Result<u32, String> {
    let tokens = text.parse().ok().filter(|tokens| *tokens > 0);
    tokens.ok_or_else(|| "use a whole number from 1".to_owned())
}

/// Reads the size of a window.
pub(super) fn window(text: &str) -> Result<u64, String> {
    let tokens = text.replace(['_', ','], "").parse().ok().filter(|tokens| *tokens >= 256);
    tokens.ok_or_else(|| "use a whole number from 256, such as 8000".to_owned())
}

/// Reads a part in percent.
pub(super) fn percent(text: &str) -> Result<u8, String> {
    let percent = text.trim_end_matches('%').parse().ok().filter(|percent| *percent <= 95);
    percent.ok_or_else(|| "use a whole number from 0 to 95".to_owned())
}

/// Reads a temperature.
pub(super) fn temperature(text: &str) -> Result<f64, String> {
    let temperature = text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
    temperature.ok_or_else(|| "use a number from 0 to 2, such as 0.7".to_owned())
}

/// Reads the name of an effort.
pub(super) fn effort() -> impl TypedValueParser<Value = Effort> {
    PossibleValuesParser::new(Effort::ALL.map(Effort::as_str))
        .try_map(|name| name.parse::<Effort>())
}

/// Reads the name of a display of thoughts.
pub(super) fn thinking_display() -> impl TypedValueParser<Value = ThinkingDisplay> {
    PossibleValuesParser::new(ThinkingDisplay::ALL.map(ThinkingDisplay::as_str))
        .try_map(|name| name.parse::<ThinkingDisplay>())
}

/// Reads an amount of money.
pub(super) fn money(text: &str) -> Result<Money, String> {
    text.parse().map_err(|error: ParseMoneyError| error.to_string())
}

pub(super) fn minutes(text: &str) -> Result<Duration, String> {
    let minutes = text.parse().ok().filter(|minutes| *minutes > 0.0);
    minutes
        .and_then(|minutes: f64| Duration::try_from_secs_f64(minutes * 60.0).ok())
        .ok_or_else(|| "use a number of minutes above 0, such as 30 or 0.5".to_owned())
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    // At a lower rate, times would be too long for the clock.
    const LOWEST: f64 = 0.001;
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite());
    rate.filter(|rate| *rate == 0.0 || *rate >= LOWEST)
        .ok_or_else(|| format!("use a number of tokens a second from {LOWEST}, or 0"))
}

pub(super) fn chunks(text: &str) -> Result<Chunks, String> {
    let chunks = match text.split_once(':') {
        None if text == "whole" => Some(Chunks::Whole),
        None => text.parse().ok().map(Chunks::Bytes),
        Some(("random", seed)) => seed.parse().ok().map(Chunks::Random),
        Some(_) => None,
    };
    chunks.ok_or_else(|| "use `whole`, a number of bytes from 1, or `random:SEED`".to_owned())
}
