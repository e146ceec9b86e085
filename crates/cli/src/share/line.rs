//! The lines of the protocol by which a process shares its store.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use silcrow_event::{Json, error_chain};
use silcrow_store::{Error, ErrorKind};

/// What may be asked.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum StoreRequest {
    List { user: Option<String> },
    Read { conversation: String, first: u64, last: u64 },
    Head { conversation: String },
    Follow { conversation: String, after: u64 },
    Get { space: String, key: String },
    Keys {},
    Verify {},
    Search { words: String, except: Option<String>, user: Option<String>, limit: usize },
}

/// One line of an answer.
#[derive(Debug)]
pub(crate) enum StoreResponse {
    /// A part of it: JSON.
    Item(String),
    /// It was all.
    Done,
    /// Nothing: the process that answered has ended in order.
    Closed,
}

/// The first line that a client receives.
pub(super) const HELLO: &str = "{\"silcrow\":\"share 1\"}";

pub(super) fn item(json: &str) -> String {
    format!("{{\"item\":{json}}}")
}

pub(super) const DONE: &str = "{\"end\":\"done\"}";

pub(super) fn failed(error: &Error) -> String {
    let content = Json::string(&error_chain(error));
    format!("{{\"error\":\"{}\",\"content\":{content}}}", error.kind().as_str())
}

/// What a line of an answer says, or what it says went wrong.
pub(super) fn read(line: &str) -> Result<StoreResponse, Error> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        item: Option<&'a RawValue>,
        end: Option<String>,
        error: Option<String>,
        content: Option<String>,
    }
    let read: Line<'_> = serde_json::from_str(line).map_err(|_| garbled())?;
    match (read.item, read.end.as_deref(), read.error) {
        (Some(item), ..) => Ok(StoreResponse::Item(item.get().to_owned())),
        (None, Some("done"), _) => Ok(StoreResponse::Done),
        (None, None, Some(code)) => {
            let kind = KINDS.into_iter().find(|kind| kind.as_str() == code);
            Err(Error::new(kind.unwrap_or(ErrorKind::Io), read.content.unwrap_or_default()))
        }
        _ => Err(garbled()),
    }
}

/// The process that answers is not of this version.
pub(super) fn garbled() -> Error {
    let why = "the process that has the store open answers in another way than this one asks; is \
               it of another version?";
    Error::new(ErrorKind::Format, why)
}

const KINDS: [ErrorKind; 8] = [
    ErrorKind::Conflict,
    ErrorKind::Refused,
    ErrorKind::Locked,
    ErrorKind::Format,
    ErrorKind::Untrusted,
    ErrorKind::Damaged,
    ErrorKind::Unavailable,
    ErrorKind::Io,
];
