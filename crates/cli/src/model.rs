use std::env;
use std::fs::File;
use std::num::NonZeroU32;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use silcrow_parser::{Dialect, Options};
use silcrow_provider::record::{Record, Replay, Secrets};
use silcrow_provider::{Error, ErrorKind, Pace, Paced, Provider, Retry, Rotate, Script};
use silcrow_rehearsal::Rehearsal;
use silcrow_vendors::{
    Chat, Gemini, Grammar, InlineReasoning, Interactions, Key, Live, Messages, Realtime, Responses,
    Version,
};

use crate::failure::Failure;
use crate::input::Input;
use crate::limits::Limits;

/// Which models there are, as `run --help` says.
pub(crate) const HELP: &str = "\
Models:
  rehearsal               plain rules in place of a model; needs neither key nor network
  anthropic:MODEL         with the key in ANTHROPIC_API_KEY; ANTHROPIC_VERSION: 2023-06-01 (default)
                          or 2026-10-21
  gemini:MODEL            with the key in GEMINI_API_KEY
  gemini-interactions:MODEL
                          by Interactions, with the same; a connection sends only what is new
  gemini-live:MODEL       by Live, with the same; today's models there speak and write no text
  openai:MODEL            by Chat Completions, with the key in OPENAI_API_KEY
  openai-realtime:MODEL   by Realtime, in text, with the same
  openai-responses:MODEL  by Responses, with the same; a connection sends only what is new
  compatible:URL#MODEL    a server that speaks Chat Completions, such as llama.cpp, Ollama or vLLM
                          (http://127.0.0.1:8080/v1#name); a key goes into SILCROW_COMPATIBLE_KEY
  script:FILE             what FILE says at each request, separated by lines `%%`
  replay:FILE             what a model said when SILCROW_RECORD was FILE, to the same requests

A variable may hold several keys, separated by commas: where one is used up, the next is asked.
With _FILE behind its name it names a file of keys, one a line. ANTHROPIC_BASE_URL, GEMINI_BASE_URL
and OPENAI_BASE_URL name another server, which is sent the key too.

Seconds that a server may take: SILCROW_TIMEOUT_CONNECT (5) until it is reached,
SILCROW_TIMEOUT_FIRST (60) until the first piece of an answer, SILCROW_TIMEOUT_IDLE (60) between
pieces, SILCROW_TIMEOUT_WHOLE (600) for an answer in one piece.
SILCROW_REQUESTS_PER_MINUTE and SILCROW_TOKENS_PER_MINUTE hold back what would be more, for each
vendor and each compatible server; without them nothing does.

The answer goes to standard output; thoughts, calls and results go to standard error.";

/// Cuts scripts and the rehearsal model's text into the same tokens at every run.
const SEED: u64 = 7;

/// The model's name: as it was typed, as SILCROW_MODEL says, or the rehearsal model.
pub(crate) fn name(typed: Option<&str>) -> String {
    typed.map(str::to_owned).or_else(|| set("SILCROW_MODEL")).unwrap_or_else(|| REHEARSAL.into())
}

/// What a person knows it by: without a server's address, which may hold a password.
pub(crate) fn label(name: &str) -> &str {
    name.rsplit_once('#').map_or(name, |(_, model)| model)
}

/// How models are asked, whichever they are.
pub(crate) struct Settings {
    pub(crate) options: Options,
    /// How many tokens a second the rehearsal model writes.
    pub(crate) rate: NonZeroU32,
    pub(crate) limits: Limits,
}

/// The model of that name, held to a grammar if there is one, and written down where
/// SILCROW_RECORD says so. What fails before its first word is asked for again.
pub(crate) fn choose(
    name: &str,
    settings: &Settings,
    grammar: Option<Grammar>,
) -> Result<Arc<dyn Provider>, Failure> {
    if grammar.is_some() && !name.starts_with("compatible:") {
        return Err(Failure::given(format!(
            "--grammar: `{name}` takes no grammar; only compatible:URL#MODEL does"
        )));
    }
    let model = plain(name, settings, grammar)?;
    let Some(file) = set(RECORD) else { return Ok(model) };
    // What people ask and get is nobody else's business.
    let opened = File::options().append(true).create(true).mode(0o600).open(&file);
    let opened = opened
        .map_err(|error| Failure::given(format!("cannot record to {file} ({RECORD}): {error}")))?;
    Ok(Arc::new(Record::new(model, opened, secrets()?)))
}

fn plain(
    name: &str,
    settings: &Settings,
    grammar: Option<Grammar>,
) -> Result<Arc<dyn Provider>, Failure> {
    let Settings { options, rate, limits } = settings;
    let timeouts = limits.timeouts;
    if is_rehearsal(name) {
        return Ok(Arc::new(Rehearsal::new(*options, Some(*rate), SEED)));
    }
    match name.split_once(':').unwrap_or((name, "")) {
        ("script", file) if !file.is_empty() => {
            let text = Input::open(Path::new(file))?.text()?;
            Ok(Arc::new(Script::parse(&text, SEED)))
        }
        ("replay", file) if !file.is_empty() => {
            let text = Input::open(Path::new(file))?.text()?;
            let replay = Replay::parse(&text, secrets()?);
            Ok(Arc::new(replay.map_err(|error| Failure::given(format!("{file}: {error}")))?))
        }
        ("anthropic", model) if !model.is_empty() => {
            let version = version()?;
            by_keys("ANTHROPIC", limits, |key, base| {
                let messages = Messages::new(model, key)?.with_version(version)?;
                let messages = messages.with_timeouts(timeouts)?;
                base.map_or(Ok(messages.clone()), |base| messages.with_base(base))
            })
        }
        ("gemini", model) if !model.is_empty() => by_keys("GEMINI", limits, |key, base| {
            let gemini = Gemini::new(model, key)?.with_timeouts(timeouts)?;
            base.map_or(Ok(gemini.clone()), |base| gemini.with_base(base))
        }),
        ("gemini-interactions", model) if !model.is_empty() => {
            by_keys("GEMINI", limits, |key, base| {
                let model = Interactions::new(model, key)?.with_timeouts(timeouts)?;
                base.map_or(Ok(model.clone()), |base| model.with_base(base))
            })
        }
        ("gemini-live", model) if !model.is_empty() => by_keys("GEMINI", limits, |key, base| {
            let live = Live::new(model, key)?.with_timeouts(timeouts)?;
            base.map_or(Ok(live.clone()), |base| live.with_base(base))
        }),
        ("openai", model) if !model.is_empty() => by_keys("OPENAI", limits, |key, base| {
            let chat = Chat::openai(model, key)?.with_timeouts(timeouts)?;
            let chat = chat.with_inline_reasoning(inline_reasoning(*options));
            base.map_or(Ok(chat.clone()), |base| chat.with_base(base))
        }),
        ("openai-realtime", model) if !model.is_empty() => {
            by_keys("OPENAI", limits, |key, base| {
                let realtime = Realtime::new(model, key)?.with_timeouts(timeouts)?;
                base.map_or(Ok(realtime.clone()), |base| realtime.with_base(base))
            })
        }
        ("openai-responses", model) if !model.is_empty() => {
            by_keys("OPENAI", limits, |key, base| {
                let responses = Responses::new(model, key)?.with_timeouts(timeouts)?;
                base.map_or(Ok(responses.clone()), |base| responses.with_base(base))
            })
        }
        ("compatible", rest) => match rest.rsplit_once('#') {
            Some((url, model)) if !url.is_empty() && !model.is_empty() => {
                let keys = compatible_keys()?;
                let first = keys.is_empty().then_some(None);
                let keys = first.into_iter().chain(keys.into_iter().map(Some));
                let ways = keys.map(|key| {
                    let chat = Chat::compatible(url, model, key)
                        .and_then(|chat| chat.with_timeouts(timeouts))
                        .map_err(|error| Failure::given(error.to_string()))?;
                    let chat = chat.with_inline_reasoning(inline_reasoning(*options));
                    Ok(grammar.iter().cloned().fold(chat, Chat::with_grammar))
                });
                rotating(ways, limits.pace(url))
            }
            _ => Err(Failure::given(format!(
                "`{name}` names no server and model; write compatible:URL#MODEL, \
                 such as compatible:http://127.0.0.1:8080/v1#name"
            ))),
        },
        _ => Err(Failure::given(format!(
            "there is no model `{name}` (--model, or SILCROW_MODEL); use rehearsal, \
             anthropic:MODEL, gemini:MODEL, gemini-interactions:MODEL, gemini-live:MODEL, \
             openai:MODEL, openai-realtime:MODEL, openai-responses:MODEL, compatible:URL#MODEL, \
             script:FILE or replay:FILE"
        ))),
    }
}

/// Returns where a server of Chat Completions may leave the model's thoughts: at the beginning of
/// the text, unless the dialect has the same tags for thoughts of its own.
const fn inline_reasoning(options: Options) -> InlineReasoning {
    match options.dialect {
        Dialect::Phase => InlineReasoning::None,
        Dialect::Sigil | Dialect::Action => InlineReasoning::Tagged,
    }
}

pub(crate) fn is_rehearsal(name: &str) -> bool {
    name == REHEARSAL
}

/// What a failure of this model leaves unsaid: where a key goes, and where limits are set.
pub(crate) fn hint(name: &str, error: &silcrow_agent::Error) -> &'static str {
    let auth = silcrow_agent::ErrorKind::Provider(ErrorKind::Auth);
    if error.kind() == auth && name.starts_with("compatible:") {
        return "; a key for it goes into SILCROW_COMPATIBLE_KEY";
    }
    match error.kind() {
        silcrow_agent::ErrorKind::StepLimit => " with --max-steps",
        silcrow_agent::ErrorKind::Provider(ErrorKind::Timeout) => {
            "; SILCROW_TIMEOUT_FIRST, SILCROW_TIMEOUT_IDLE and SILCROW_TIMEOUT_WHOLE are the limits"
        }
        _ => "",
    }
}

const REHEARSAL: &str = "rehearsal";

/// Where a recording goes.
const RECORD: &str = "SILCROW_RECORD";

/// A vendor's model by each key of the person's, at the vendor's own server or another.
fn by_keys<P: Provider + 'static>(
    vendor: &str,
    limits: &Limits,
    model: impl Fn(Key, Option<&str>) -> Result<P, Error>,
) -> Result<Arc<dyn Provider>, Failure> {
    let Access { variable, keys, base } = access(vendor)?;
    if keys.is_empty() {
        return Err(Failure::given(format!(
            "{variable} is not set; put your key there, or use --model rehearsal"
        )));
    }
    let unusable = |error: Error| match (&base, error.kind()) {
        (Some(_), ErrorKind::Refused) => Failure::given(format!("{vendor}_BASE_URL: {error}")),
        _ => Failure::given(error.to_string()),
    };
    let ways = keys.into_iter().map(|key| model(key, base.as_deref()).map_err(unusable));
    rotating(ways, limits.pace(vendor))
}

fn rotating<P: Provider + 'static>(
    ways: impl Iterator<Item = Result<P, Failure>>,
    pace: Pace,
) -> Result<Arc<dyn Provider>, Failure> {
    let mut ways = ways.collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = ways.next().expect("there is at least one");
    Ok(Arc::new(Retry::new(Paced::new(Rotate::new(first, ways), pace))))
}

/// What the environment says of a vendor.
pub(crate) struct Access {
    /// Where its keys are looked for.
    pub(crate) variable: String,
    pub(crate) keys: Vec<Key>,
    /// Another server than its own.
    pub(crate) base: Option<String>,
}

pub(crate) fn access(vendor: &str) -> Result<Access, Failure> {
    let variable = format!("{vendor}_API_KEY");
    let keys = keys(&variable)?;
    Ok(Access { variable, keys, base: set(&format!("{vendor}_BASE_URL")) })
}

/// The keys for compatible servers.
pub(crate) fn compatible_keys() -> Result<Vec<Key>, Failure> {
    keys("SILCROW_COMPATIBLE_KEY")
}

/// The keys in a variable, or in the file that its neighbour names.
fn keys(variable: &str) -> Result<Vec<Key>, Failure> {
    let (text, source) = written(variable)?;
    Ok(separate(&text).map(|key| Key::new(key, &*source)).collect())
}

/// Every key there is, so that no recording holds one.
fn secrets() -> Result<Secrets, Failure> {
    let texts = KEYS.into_iter().map(written).collect::<Result<Vec<_>, _>>()?;
    Ok(Secrets::new(texts.iter().flat_map(|(text, _)| separate(text))))
}

/// What a variable says of keys, and where it is written.
fn written(variable: &str) -> Result<(String, String), Failure> {
    let beside = format!("{variable}_FILE");
    match (set(variable), set(&beside)) {
        (Some(text), _) => Ok((text, variable.to_owned())),
        (None, Some(file)) => {
            let text = Input::open(Path::new(&file))
                .and_then(Input::text)
                .map_err(|failure| Failure::given(format!("{} ({beside})", failure.message())))?;
            if text.trim().is_empty() {
                return Err(Failure::given(format!("there is no key in {file} ({beside})")));
            }
            Ok((text, format!("{file} ({beside})")))
        }
        (None, None) => Ok(Default::default()),
    }
}

fn separate(keys: &str) -> impl Iterator<Item = &str> {
    keys.split([',', '\n']).map(str::trim).filter(|key| !key.is_empty())
}

/// The variables that hold keys.
const KEYS: [&str; 4] =
    ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "SILCROW_COMPATIBLE_KEY"];

pub(crate) fn version() -> Result<Version, Failure> {
    let Some(text) = set("ANTHROPIC_VERSION") else { return Ok(Version::default()) };
    Version::parse(&text).ok_or_else(|| {
        Failure::given(format!(
            "ANTHROPIC_VERSION is `{text}`; use {} or {}",
            Version::V20230601.as_str(),
            Version::V20261021.as_str()
        ))
    })
}

/// What an environment variable says, if it says anything.
pub(crate) fn set(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|text| !text.trim().is_empty())
}
