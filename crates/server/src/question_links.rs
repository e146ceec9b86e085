//! Links that open one question once, for persons without a token: the users of a chat in another
//! program.
//!
//! ```text
//! link ─► opened, once ─► the question, and a key ─► an answer to that question
//! ```
//!
//! A link names its question, and is signed with the token of the server, so nothing is kept for it
//! before it is opened.

use axum::http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use silcrow_agent::{ParkedQuestion, ParkedRun};
use silcrow_front::QuestionLinks;
use silcrow_store as store;

use crate::auth::is_encrypted;
use crate::error::{Error, ErrorKind};
use crate::random::{hex, unhex};
use crate::server::Server;
use crate::source::RunPlace;

/// A question that a link opens.
pub(crate) struct OpenedQuestion {
    pub(crate) question: ParkedQuestion,
    pub(crate) title: String,
    /// The proof that comes with an answer.
    pub(crate) key: String,
}

#[derive(Serialize, Deserialize)]
struct LinkedQuestion {
    #[serde(rename = "c")]
    conversation: String,
    #[serde(rename = "u")]
    user: Option<String>,
    #[serde(rename = "q")]
    question: String,
}

impl Server {
    /// Returns the links to questions of a conversation, as this client reaches the server: each opens
    /// the page at its question.
    pub(crate) fn question_links(&self, headers: &HeaderMap, place: &RunPlace) -> QuestionLinks {
        let Some(page) = self.page_address(headers) else { return QuestionLinks::default() };
        let (access, place) = (self.access.clone(), place.clone());
        QuestionLinks::new(move |question| {
            let linked = LinkedQuestion {
                conversation: place.conversation.clone(),
                user: place.user.clone(),
                question: question.to_owned(),
            };
            let linked = hex(serde_json::to_string(&linked).ok()?.as_bytes());
            match access.sign(LINK, &linked) {
                Some(signature) => Some(format!("{page}#q/{linked}{signature}")),
                None => Some(format!("{page}#c/{}", in_address(&place.conversation))),
            }
        })
    }

    /// Opens the question of a link, if it was not opened before.
    pub(crate) async fn open_link(&self, link: &str) -> Result<OpenedQuestion, Error> {
        let (linked, place) = self.linked(LINK, link)?;
        let summary = self.summary(place.user.as_deref(), &place.conversation).await?;
        let user = place.user.as_deref();
        let parked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
        let asked = parked.questions().iter().find(|asked| asked.id() == linked.question);
        let question = asked.filter(|asked| asked.answer.is_none()).cloned().ok_or_else(|| {
            Error::new(
                ErrorKind::Stale,
                "this question is answered, or the run does not wait for it",
            )
        })?;
        let (text, _) = link.split_at(link.len() - SIGNATURE);
        let key = self.access.sign(KEY, text).ok_or_else(unknown)?;
        match self.store.put(SPACE, &link[link.len() - SIGNATURE..], 0, Vec::new()).await {
            Err(error) if error.kind() == store::ErrorKind::Conflict => {
                let why = "this link was opened already, and works once; answer where you got it";
                return Err(Error::new(ErrorKind::Stale, why));
            }
            stored => stored?,
        };
        Ok(OpenedQuestion { question, title: summary.title, key: format!("{text}{key}") })
    }

    /// Returns the question that a key answers, and its conversation.
    pub(crate) fn keyed_question(&self, key: &str) -> Result<(String, RunPlace), Error> {
        let (linked, place) = self.linked(KEY, key)?;
        Ok((linked.question, place))
    }

    /// Returns the address of the page, as a client reaches the server.
    fn page_address(&self, headers: &HeaderMap) -> Option<String> {
        let host = headers.get(header::HOST)?.to_str().ok().filter(|_| self.options.page)?;
        let is_encrypted = self.options.behind_tls || is_encrypted(headers);
        let scheme = if is_encrypted { "https" } else { "http" };
        Some(format!("{scheme}://{host}/"))
    }

    /// Reads a question that was signed for a purpose.
    fn linked(&self, purpose: &str, signed: &str) -> Result<(LinkedQuestion, RunPlace), Error> {
        let at = signed.len().checked_sub(SIGNATURE).filter(|at| signed.is_char_boundary(*at));
        let (text, signature) = signed.split_at(at.ok_or_else(unknown)?);
        if !self.access.is_signed(purpose, text, signature) {
            return Err(unknown());
        }
        let linked = unhex(text).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let linked: LinkedQuestion = linked.ok_or_else(unknown)?;
        let place = RunPlace::new(&*linked.conversation).with_user(linked.user.clone());
        Ok((linked, place))
    }
}

fn unknown() -> Error {
    Error::new(ErrorKind::NotFound, "this link belongs to another server, or the token has changed")
}

/// Writes a name as a part of an address.
fn in_address(name: &str) -> String {
    let part = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(part).collect()
}

/// The purpose of the signature of a link.
const LINK: &str = "silcrow question link 1 ";

/// The purpose of the signature of a key.
const KEY: &str = "silcrow question key 1 ";

/// The number of digits of a signature.
const SIGNATURE: usize = 64;

/// The space with a value for each link that was opened.
const SPACE: &str = "opened-questions";
