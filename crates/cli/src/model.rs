use std::env;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use silcrow_parser::Options;
use silcrow_provider::{Provider, Script};
use silcrow_rehearsal::Rehearsal;
use silcrow_vendors::{Chat, Key};

use crate::failure::Failure;
use crate::input::Input;

/// Cuts scripts and the rehearsal model's text into the same tokens at every run.
const SEED: u64 = 7;

/// The model's name: as it was typed, as SILCROW_MODEL says, or the rehearsal model.
pub(crate) fn name(typed: Option<&str>) -> String {
    let set = || env::var("SILCROW_MODEL").ok().filter(|name| !name.is_empty());
    typed.map(str::to_owned).or_else(set).unwrap_or_else(|| REHEARSAL.to_owned())
}

/// What a person knows it by: without a server's address, which may hold a password.
pub(crate) fn label(name: &str) -> &str {
    name.rsplit_once('#').map_or(name, |(_, model)| model)
}

/// The model of that name.
pub(crate) fn choose(
    name: &str,
    options: Options,
    rate: NonZeroU32,
) -> Result<Arc<dyn Provider>, Failure> {
    let unusable = |error: silcrow_provider::Error| Failure::given(error.to_string());
    if is_rehearsal(name) {
        return Ok(Arc::new(Rehearsal::new(options, Some(rate), SEED)));
    }
    let (kind, rest) = name.split_once(':').unwrap_or((name, ""));
    match kind {
        "script" if !rest.is_empty() => {
            let text = Input::open(Path::new(rest))?.text()?;
            Ok(Arc::new(Script::parse(&text, SEED)))
        }
        "openai" if !rest.is_empty() => {
            let key = key("OPENAI_API_KEY").ok_or_else(|| {
                Failure::given(
                    "OPENAI_API_KEY is not set; put your key there, or use --model rehearsal",
                )
            })?;
            let chat = Chat::openai(rest, key).map_err(unusable)?;
            match env::var("OPENAI_BASE_URL") {
                Ok(base) if !base.is_empty() => {
                    Ok(Arc::new(chat.with_base(&base).map_err(unusable)?))
                }
                _ => Ok(Arc::new(chat)),
            }
        }
        "compatible" => match rest.rsplit_once('#') {
            Some((url, model)) if !url.is_empty() && !model.is_empty() => {
                let key = key("SILCROW_COMPATIBLE_KEY");
                Ok(Arc::new(Chat::compatible(url, model, key).map_err(unusable)?))
            }
            _ => Err(Failure::given(format!(
                "`{name}` names no server and model; write compatible:URL#MODEL, \
                 such as compatible:http://127.0.0.1:8080/v1#name"
            ))),
        },
        _ => Err(Failure::given(format!(
            "there is no model `{name}` (--model, or SILCROW_MODEL); use rehearsal, openai:MODEL, \
             compatible:URL#MODEL or script:FILE"
        ))),
    }
}

pub(crate) fn is_rehearsal(name: &str) -> bool {
    name == REHEARSAL
}

/// What a failure of this model leaves unsaid: where a key goes.
pub(crate) fn hint(name: &str, error: &silcrow_agent::Error) -> &'static str {
    let auth = silcrow_agent::ErrorKind::Provider(silcrow_provider::ErrorKind::Auth);
    if error.kind() == auth && name.starts_with("compatible:") {
        return "; a key for it goes into SILCROW_COMPATIBLE_KEY";
    }
    match error.kind() {
        silcrow_agent::ErrorKind::StepLimit => " with --max-steps",
        _ => "",
    }
}

const REHEARSAL: &str = "rehearsal";

fn key(variable: &str) -> Option<Key> {
    let secret = env::var(variable).ok().filter(|secret| !secret.trim().is_empty())?;
    Some(Key::new(secret.trim(), variable))
}
