//! The names of models, and the provider of each.
//!
//! This module knows prefixes, keys and servers. It does not know how a request is made.

use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use silcrow_agent::ConnectionMode;
use silcrow_event::error_chain;
use silcrow_exec::{AccountKind, BudgetResource};
use silcrow_parser::{Dialect, Options};
use silcrow_provider::record::{Record, Replay};
use silcrow_provider::{Error, ErrorKind, MaskedErrors, Provider, ScriptedModel};
use silcrow_rehearsal::Rehearsal;
use silcrow_sanitize::sanitize_line;
use silcrow_vendors::{
    Chat, Gemini, InlineReasoning, Interactions, Live, Messages, OutputGrammar, Realtime,
    Responses, authority,
};

use crate::args::ProxyArgs;
use crate::environment::set;
use crate::failure::Failure;
use crate::input::Input;
use crate::known_secrets::{COMPATIBLE_KEY, known_secrets};
use crate::limits::Limits;
use crate::owned::{self, AppendFile};

mod by_key;
mod closest;
mod found_key;
mod key_place;
mod key_renewal;
mod keys;
mod listing;
mod proxy;
mod remote;
mod sampling;

pub(crate) use by_key::{VendorAccess, access, version};
pub(crate) use found_key::FoundKey;
pub(crate) use key_place::{key_command_files, set_key_command};
pub(crate) use keys::ServerKeys;
pub(crate) use listing::ModelListing;
pub(crate) use remote::ServerSettings;
pub(crate) use sampling::has_field;

use by_key::{azure, by_keys, limited, placed};
use key_place::KeyPlace;
use keys::KeyText;

/// The seed with which scripts and the rehearsal model's text are cut into tokens.
const SEED: u64 = 7;

/// Returns the name of the model: the typed one, that of SILCROW_MODEL, or the rehearsal model's.
pub(crate) fn name(typed: Option<&str>) -> String {
    typed.map(str::to_owned).or_else(|| set("SILCROW_MODEL")).unwrap_or_else(|| REHEARSAL.into())
}

/// Returns whether the environment names a model.
pub(crate) fn is_named() -> bool {
    set("SILCROW_MODEL").is_some()
}

/// Returns the name to show, without a server's address, which may contain a password.
pub(crate) fn label(name: &str) -> &str {
    match name.split_once('#') {
        // What follows an `@` may be a part of an address that is not written right.
        Some((_, model)) if !model.contains('@') => model,
        _ => name.rsplit_once('#').map_or(name, |(_, model)| model),
    }
}

/// The settings with which all models are asked.
pub(crate) struct Settings {
    pub(crate) options: Options,
    /// The number of tokens that the rehearsal model writes each second.
    pub(crate) rate: NonZeroU32,
    pub(crate) limits: Limits,
    pub(crate) proxy: ProxyArgs,
    /// The model that the person chose, as opposed to the models of a manifest.
    pub(crate) chosen: String,
}

/// Returns the URL of a compatible model's server.
pub(crate) fn server(name: &str) -> Option<&str> {
    let (url, model) = name.strip_prefix("compatible:")?.split_once('#')?;
    (!url.is_empty() && !model.is_empty()).then_some(url)
}

/// Returns whether the person has chosen the server of this URL or has a key for it. Then others,
/// such as a manifest, may name it, too.
pub(crate) fn may_go_to(url: &str, chosen: &str) -> Result<bool, Failure> {
    Ok(same_server(url, chosen) || !ServerKeys::read(chosen)?.of(url).is_empty())
}

/// Returns the model with this name, restricted to `grammar` unless that is `None`. It repeats failed
/// requests, and is recorded if SILCROW_RECORD names a file.
pub(crate) fn choose(
    name: &str,
    settings: &Settings,
    grammar: Option<OutputGrammar>,
) -> Result<Arc<dyn Provider>, Failure> {
    if grammar.is_some() && !name.starts_with("compatible:") {
        return Err(Failure::given(format!(
            "--grammar: `{name}` takes no grammar; only compatible:URL#MODEL does"
        )));
    }
    let model = plain(name, settings, grammar)?;
    let model: Arc<dyn Provider> = Arc::new(MaskedErrors::new(model, known_secrets()));
    let Some(file) = set(RECORD) else { return Ok(model) };
    // Only the person may read the recording of a conversation.
    let AppendFile { file: opened, was_open } = owned::append(Path::new(&file))
        .map_err(|error| Failure::given(format!("cannot record to {file} ({RECORD}): {error}")))?;
    if was_open {
        let file = sanitize_line(&file);
        // If stderr is closed, the notice is lost.
        let _ = writeln!(
            io::stderr(),
            "silcrow: others could read {file} ({RECORD}); now only you can"
        );
    }
    Ok(Arc::new(Record::new(model, opened, keys::secrets()?)))
}

fn plain(
    name: &str,
    settings: &Settings,
    grammar: Option<OutputGrammar>,
) -> Result<Arc<dyn Provider>, Failure> {
    let Settings { options, rate, limits, chosen, proxy } = settings;
    if is_rehearsal(name) {
        return Ok(Arc::new(Rehearsal::new(*options, Some(*rate), SEED)));
    }
    let unusable = |error: Error| Failure::given(error.to_string());
    match name.split_once(':').unwrap_or((name, "")) {
        ("script", file) if !file.is_empty() => {
            let text = Input::open(Path::new(file))?.text()?;
            Ok(Arc::new(ScriptedModel::parse(&text, SEED)))
        }
        ("replay", file) if !file.is_empty() => {
            let text = Input::open(Path::new(file))?.text()?;
            let replay = Replay::parse(&text, keys::secrets()?);
            Ok(Arc::new(
                replay
                    .map_err(|error| Failure::given(format!("{file}: {}", error_chain(&error))))?,
            ))
        }
        ("anthropic", model) if !model.is_empty() => {
            let (name, version) = (model.to_owned(), version()?);
            let new = move |key| Ok(Messages::new(&*name, key)?.with_version(version));
            by_keys("ANTHROPIC", model, settings, new)
        }
        ("azure", deployment) if !deployment.is_empty() => azure(deployment, settings),
        ("gemini", model) if !model.is_empty() => {
            let name = model.to_owned();
            by_keys("GEMINI", model, settings, move |key| Gemini::new(&*name, key))
        }
        ("gemini-interactions", model) if !model.is_empty() => {
            let name = model.to_owned();
            by_keys("GEMINI", model, settings, move |key| Interactions::new(&*name, key))
        }
        ("gemini-live", model) if !model.is_empty() => {
            let name = model.to_owned();
            by_keys("GEMINI", model, settings, move |key| Live::new(&*name, key))
        }
        ("openai", model) if !model.is_empty() => {
            let (name, reasoning) = (model.to_owned(), inline_reasoning(*options));
            let new = move |key| Ok(Chat::new(&*name, key)?.with_inline_reasoning(reasoning));
            by_keys("OPENAI", model, settings, new)
        }
        ("openai-realtime", model) if !model.is_empty() => {
            let name = model.to_owned();
            by_keys("OPENAI", model, settings, move |key| Realtime::new(&*name, key))
        }
        ("openai-responses", model) if !model.is_empty() => {
            let name = model.to_owned();
            by_keys("OPENAI", model, settings, move |key| Responses::new(&*name, key))
        }
        ("compatible", rest) => match rest.split_once('#') {
            Some((url, model)) if !url.is_empty() && !model.is_empty() => {
                let way = ServerSettings::read(COMPATIBLE, limits.timeouts(model), proxy)?;
                // Headers and fields are for the chosen server and may contain secrets for it.
                let way = if same_server(url, chosen) { way } else { way.bare() };
                let reasoning = inline_reasoning(*options);
                let (to, id, chosen) = (url.to_owned(), model.to_owned(), chosen.clone());
                let chat = move |key| {
                    let chat = Chat::compatible(&to, &*id, key).map_err(unusable)?;
                    let chat = chat.with_inline_reasoning(reasoning);
                    way.to(grammar.iter().cloned().fold(chat, Chat::with_grammar), None)
                };
                let limiter = limits.rate_limiter(url);
                let place = match ServerKeys::read(&chosen)?.of(url).is_empty() {
                    true => None,
                    false => KeyPlace::of(COMPATIBLE_KEY)?,
                };
                let Some(place) = place else { return Ok(limited(chat(None)?, limiter)) };
                let url = url.to_owned();
                let make = move |text: &KeyText| {
                    let keys = ServerKeys::of_text(text, &chosen)?.of(&url).into_iter();
                    keys.map(|key| chat(Some(key))).collect::<Result<Vec<_>, _>>()
                };
                placed(place, Box::new(make), limiter)
            }
            _ => Err(Failure::given(format!(
                "`{name}` names no server and model; write compatible:URL#MODEL, \
                 such as compatible:http://127.0.0.1:8080/v1#name"
            ))),
        },
        _ => Err(Failure::given(format!(
            "there is no model `{name}`{}; --model, SILCROW_MODEL or silcrow config names one, such as \
             rehearsal or openai:MODEL, and silcrow help models lists them",
            closest::closest(name)
                .map(|meant| format!(" (did you mean `{meant}`?)"))
                .unwrap_or_default(),
        ))),
    }
}

/// Returns where to look for thoughts in the text of Chat Completions: at its beginning, unless the
/// dialect uses the same tags.
const fn inline_reasoning(options: Options) -> InlineReasoning {
    match options.dialect {
        Dialect::Phase => InlineReasoning::None,
        Dialect::Sigil | Dialect::Action => InlineReasoning::Tagged,
    }
}

pub(crate) fn is_rehearsal(name: &str) -> bool {
    name == REHEARSAL
}

/// Returns a hint for the failure of a model: where to put a key, or where to set a limit.
pub(crate) fn hint(name: &str, error: &silcrow_agent::Error) -> &'static str {
    let auth = silcrow_agent::ErrorKind::Provider(ErrorKind::Auth);
    if error.kind() == auth && name.starts_with("compatible:") {
        return "; a key for it goes into SILCROW_COMPATIBLE_KEY, as HOST=KEY or HOST:PORT=KEY";
    }
    match error.kind() {
        silcrow_agent::ErrorKind::StepLimit => " with --max-steps",
        silcrow_agent::ErrorKind::Budget(resource) => match resource {
            BudgetResource::Requests => " with --max-requests",
            BudgetResource::Agents => " with --max-agents",
            BudgetResource::Events => " with --max-events",
            BudgetResource::Bytes => " with --max-wire",
            BudgetResource::Time => " with --max-time",
            BudgetResource::Tokens(AccountKind::Run) => " with --budget-tokens",
            BudgetResource::Tokens(AccountKind::Conversation) => {
                " with --budget-conversation-tokens"
            }
            BudgetResource::Tokens(AccountKind::User) => " with --budget-user-tokens",
            BudgetResource::Cost(AccountKind::Run) => " with --budget-cost",
            BudgetResource::Cost(AccountKind::Conversation) => " with --budget-conversation-cost",
            BudgetResource::Cost(AccountKind::User) => " with --budget-user-cost",
            _ => "",
        },
        silcrow_agent::ErrorKind::Provider(ErrorKind::Timeout) => {
            "; SILCROW_TIMEOUT_FIRST, SILCROW_TIMEOUT_ALIVE (`first_total`), SILCROW_TIMEOUT_IDLE \
             and SILCROW_TIMEOUT_WHOLE are the limits"
        }
        _ => "",
    }
}

/// Returns a failure for a mode that needs a connection if the model has none.
pub(crate) fn check_mode(name: &str, mode: ConnectionMode) -> Result<(), Failure> {
    let (kind, model) = name.split_once(':').unwrap_or((name, ""));
    let instead = match kind {
        _ if mode != ConnectionMode::Resume => return Ok(()),
        "openai" | "azure" => Some("openai-responses"),
        "gemini" => Some("gemini-interactions"),
        "anthropic" | "compatible" | REHEARSAL => None,
        _ => return Ok(()),
    };
    let instead = match instead {
        Some("openai-responses") if kind == "azure" => {
            "openai-responses:MODEL keeps one, or use --mode auto".to_owned()
        }
        Some(other) => format!("use --model {other}:{model}, or --mode auto"),
        None => "use --mode auto".to_owned(),
    };
    let name = if kind == "compatible" { label(name) } else { name };
    Err(Failure::given(format!("--mode resume: `{name}` keeps no connection; {instead}")))
}

/// Returns whether a run with this model is recorded or played from a recording. The requests of such
/// a run must be the same on another day and on another machine.
pub(crate) fn is_recorded(name: &str) -> bool {
    set(RECORD).is_some() || name.starts_with("replay:")
}

const REHEARSAL: &str = "rehearsal";

const COMPATIBLE: &str = "SILCROW_COMPATIBLE";

/// The variable that names the file of a recording.
const RECORD: &str = "SILCROW_RECORD";

/// Returns whether the chosen model is at the server of this URL.
fn same_server(url: &str, chosen: &str) -> bool {
    let at = |url| authority(url).ok();
    server(chosen).is_some_and(|own| at(own).is_some() && at(own) == at(url))
}
