//! What the last messages of a chat are: a prompt, the results of calls, or the answer to a question.
//!
//! A client sends the whole history each time. The log is the truth about it; the words that answered
//! questions are kept beside it, because they are no prompts.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use silcrow_agent::ParkedQuestion;
use silcrow_event::{Entry, Event};
use silcrow_front::{
    ClientMessage, ClientRole, CompletionRequest, HistoryMatch, match_history, open_client_calls,
};

use super::chat_answer::chat_answers;
use super::openai::{OpenAiRefusal, no_open_call};
use super::results_in;
use crate::branches::{chat_of, prompts};
use crate::error::{Error, ErrorKind};
use crate::random::random_name;
use crate::run_caller::RunCaller;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;

/// What a request of a chat begins or continues.
pub(super) enum CompletionTurn {
    /// A prompt is answered.
    Prompt(RunPlace, String),
    /// A run continues with answers or results.
    Run(ServedRun),
    /// Another question has to be answered first.
    Asks(RunPlace, Box<ParkedQuestion>),
}

/// Words of a person that answered a question.
#[derive(Clone, Deserialize, Serialize)]
struct AnsweringWords {
    /// The position of the prompt whose run asked.
    prompt: u64,
    text: String,
}

impl CompletionTurn {
    /// Reads a request. `chat` is the chat that its headers name.
    pub(super) async fn of(
        server: &Server,
        caller: &RunCaller,
        request: &CompletionRequest,
        chat: Option<RunPlace>,
        user: Option<String>,
    ) -> Result<Self, OpenAiRefusal> {
        let called = called_in(server, request, user.as_deref()).await?;
        if let Some(place) = &called
            && let Some(run) = with_results(server, caller.at(place.clone()), request).await?
        {
            return Ok(Self::Run(run));
        }
        if !request.results.is_empty() && request.new_texts().is_empty() {
            return Err(no_open_call());
        }
        let called = called.map(|place| RunPlace {
            conversation: chat_of(&place.conversation).to_owned(),
            ..place
        });
        let chat = match chat.or(called) {
            Some(chat) => Some(chat),
            None => unnamed(server, request, user.as_deref()).await?,
        };
        match chat {
            Some(chat) => Ok(continued(server, caller, chat, request).await?),
            None => {
                let place = RunPlace::new(format!("chat-{}", random_name()?)).of(user);
                Ok(Self::Prompt(place, whole_history(&request.messages)))
            }
        }
    }

    /// Returns the conversation of the turn.
    pub(super) fn conversation(&self) -> &str {
        match self {
            Self::Prompt(place, _) | Self::Asks(place, _) => &place.conversation,
            Self::Run(run) => run.conversation(),
        }
    }

    /// Keeps the messages after which a chat without a name was continued, so that its next request
    /// finds it.
    pub(super) async fn keep(
        server: &Server,
        run: &ServedRun,
        request: &CompletionRequest,
    ) -> Result<(), Error> {
        let chat = chat_of(run.conversation());
        if !is_one_off(chat) {
            return Ok(());
        }
        let space = space_of_unnamed(run.run.place.user.as_deref());
        let key = key_of(request.user_texts());
        let kept = server.store.get(&space, &key).await?;
        let version = kept.as_ref().map_or(0, |kept| kept.version);
        let mut chats: Vec<String> =
            kept.and_then(|kept| serde_json::from_slice(&kept.value).ok()).unwrap_or_default();
        chats.retain(|known| known != chat);
        chats.insert(0, chat.to_owned());
        chats.truncate(MOST_ALIKE);
        let value = serde_json::to_vec(&chats).unwrap_or_default();
        match server.store.put(&space, &key, version, value).await {
            Ok(_) => Ok(()),
            // Two chats with the same words have begun at once: one of them begins anew next time.
            Err(error) if error.kind() == silcrow_store::ErrorKind::Conflict => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns whether a conversation was begun by a request without a name for it.
pub(crate) fn is_one_off(conversation: &str) -> bool {
    let chat = chat_of(conversation);
    let random = chat.strip_prefix("chat-").or_else(|| chat.strip_prefix("response-"));
    random.is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the chat without a name that a history continues: one with the same messages of the person,
/// whose last answer is the one that the client has.
async fn unnamed(
    server: &Server,
    request: &CompletionRequest,
    user: Option<&str>,
) -> Result<Option<RunPlace>, Error> {
    let is_of = |role| move |message: &&ClientMessage| message.role == role;
    let Some(answer) = request.messages.iter().rev().find(is_of(ClientRole::Assistant)) else {
        return Ok(None);
    };
    let said: Vec<_> = request.user_texts().collect();
    let new = request.new_texts().len();
    let earlier = &said[..said.len() - new];
    let (space, key) = (space_of_unnamed(user), key_of(earlier.iter().copied()));
    let Some(kept) = server.store.get(&space, &key).await? else { return Ok(None) };
    let chats: Vec<String> = serde_json::from_slice(&kept.value).unwrap_or_default();
    for chat in chats {
        let chat = RunPlace::new(chat).of(user.map(str::to_owned));
        let current = server.current_branch(chat.clone()).await?;
        let Ok(log) = server.entries(&current, 0).await else { continue };
        if is_last_answer(&log, &answer.text) {
            return Ok(Some(chat));
        }
    }
    Ok(None)
}

/// Returns whether a client that shows this text has the end of a log: the last answer, or a question.
fn is_last_answer(log: &[Entry], shown: &str) -> bool {
    let said = log.iter().rev().find_map(|entry| match &entry.event {
        Event::Respond(respond) => Some(respond.content.trim()),
        Event::Parked(_) => Some(""),
        _ => None,
    });
    said.is_some_and(|said| shown.trim().ends_with(said))
}

/// Returns the conversation that the ids of the request's calls name, if the user has it.
async fn called_in(
    server: &Server,
    request: &CompletionRequest,
    user: Option<&str>,
) -> Result<Option<RunPlace>, Error> {
    let Some(conversation) = &request.called_in else { return Ok(None) };
    match server.summary(user, conversation).await {
        Ok(_) => Ok(Some(RunPlace::new(conversation).of(user.map(str::to_owned)))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Malformed) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Continues the run of a conversation with the results of a request; `None` if it waits for none of
/// them.
async fn with_results(
    server: &Server,
    place: RunPlace,
    request: &CompletionRequest,
) -> Result<Option<ServedRun>, Error> {
    let results = results_in(&place.conversation, &request.results);
    let said = request.new_texts().join("\n\n");
    let said = Some(&*said).filter(|said| !said.trim().is_empty());
    let Some(taken) = server.take_results(place, &results, &[], said).await? else {
        return Ok(None);
    };
    let why = "the results are stored, and the run waits for answers to other questions or for \
               other results; send these, too";
    taken.run.map(Some).ok_or_else(|| Error::new(ErrorKind::Stale, why))
}

/// Continues a chat.
async fn continued(
    server: &Server,
    caller: &RunCaller,
    chat: RunPlace,
    request: &CompletionRequest,
) -> Result<CompletionTurn, Error> {
    let place = server.current_branch(chat.clone()).await?;
    server.check_new(&place).await?;
    if let Some(run) = server.runs.busy_with(&place.conversation) {
        let why = "a run is at work in this chat; wait for it, or stop it";
        return Err(Error::new(ErrorKind::Busy, why).with_run(run));
    }
    let head = server.store.head(&place.conversation).await?;
    if head == 0 {
        return Ok(CompletionTurn::Prompt(place, whole_history(&request.messages)));
    }
    let log = server.store.read(&place.conversation, 1..=head).await?;
    let answered = answering_words(server, &place.conversation).await?;
    // The messages of the person: the prompts, each with the words that answered questions below it.
    let mut known: Vec<(u64, &str, bool)> = Vec::new();
    let prompts = prompts(&log);
    for (seq, text) in &prompts {
        known.push((*seq, text, false));
        let below = answered.iter().filter(|words| words.prompt == *seq);
        known.extend(below.map(|words| (*seq, &*words.text, true)));
    }
    let list: Vec<_> = known.iter().map(|(seq, text, _)| (*seq, *text)).collect();
    let sent: Vec<_> = request.user_texts().collect();
    let from = match match_history(&list, &sent) {
        HistoryMatch::Continue { from } => {
            let prompt = sent[from..].join("\n\n");
            return answer(server, caller, place, &log, prompt).await;
        }
        // An answer is given to its prompt, which is repeated.
        HistoryMatch::Fork { from, .. } => {
            (0..=from).rev().find(|at| known.get(*at).is_some_and(|(.., is_answer)| !is_answer))
        }
        HistoryMatch::New => None,
    };
    let before = from.map_or(1, |from| known[from].0);
    let place = server.branch(&chat, before).await?;
    let kept = answered.into_iter().filter(|words| words.prompt < before).collect();
    keep_answering_words(server, &place.conversation, kept).await?;
    let prompt = match from {
        Some(from) => sent[from..].join("\n\n"),
        None => whole_history(&request.messages),
    };
    Ok(CompletionTurn::Prompt(place, prompt))
}

/// Takes words as the answer to a question, if the conversation asks one, and otherwise as a prompt.
async fn answer(
    server: &Server,
    caller: &RunCaller,
    place: RunPlace,
    log: &[Entry],
    said: String,
) -> Result<CompletionTurn, Error> {
    let open = server.open_questions(&place).await?;
    let tools = server.client_tool_names(&place.conversation).await?;
    let calls = open_client_calls(&place.conversation, &tools, log);
    // The calls of the client's own tools wait for results.
    let is_asked = |asked: &&ParkedQuestion| calls.iter().all(|call| call.question != asked.id());
    let asked: Vec<_> = open.iter().filter(is_asked).collect();
    if asked.is_empty() || said.trim().is_empty() {
        return Ok(CompletionTurn::Prompt(place, said));
    }
    let answers = chat_answers(&asked, &said);
    let taken = server.answer(caller.at(place.clone()), &answers, None).await?;
    let mut words = answering_words(server, &place.conversation).await?;
    let prompt = prompts(log).last().map_or(0, |(seq, _)| *seq);
    words.push(AnsweringWords { prompt, text: said });
    keep_answering_words(server, &place.conversation, words).await?;
    if let Some(run) = taken.run {
        return Ok(CompletionTurn::Run(run));
    }
    let is_left = |asked: &&&ParkedQuestion| answers.iter().all(|(id, _)| id != asked.id());
    match asked.iter().find(is_left) {
        Some(next) => Ok(CompletionTurn::Asks(place, Box::new((*next).clone()))),
        None => {
            let why = "the answers are stored, and the run waits for results of your own tools";
            Err(Error::new(ErrorKind::Stale, why))
        }
    }
}

async fn answering_words(
    server: &Server,
    conversation: &str,
) -> Result<Vec<AnsweringWords>, Error> {
    let kept = server.store.get(&format!("chat/{conversation}"), ANSWERS).await?;
    Ok(kept.and_then(|kept| serde_json::from_slice(&kept.value).ok()).unwrap_or_default())
}

async fn keep_answering_words(
    server: &Server,
    conversation: &str,
    words: Vec<AnsweringWords>,
) -> Result<(), Error> {
    let space = format!("chat/{conversation}");
    let kept = server.store.get(&space, ANSWERS).await?;
    if kept.is_none() && words.is_empty() {
        return Ok(());
    }
    let value = serde_json::to_vec(&words).unwrap_or_default();
    server.store.put(&space, ANSWERS, kept.map_or(0, |kept| kept.version), value).await?;
    Ok(())
}

/// Returns where the chats without a name of a user are kept.
fn space_of_unnamed(user: Option<&str>) -> String {
    format!("unnamed-chats/{}", user.unwrap_or_default())
}

/// Returns the key of messages of a person.
fn key_of<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.trim().len().to_le_bytes());
        hash.update(text.trim());
    }
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Returns a history as one prompt: its last message, below those before it.
pub(super) fn whole_history(messages: &[ClientMessage]) -> String {
    let said =
        |message: &&ClientMessage| matches!(message.role, ClientRole::User | ClientRole::Assistant);
    let said: Vec<_> = messages.iter().filter(said).collect();
    let Some((last, earlier)) = said.split_last() else { return String::new() };
    if earlier.is_empty() {
        return last.text.clone();
    }
    let lines = earlier.iter().map(|message| {
        let who = if message.role == ClientRole::User { "Person" } else { "You" };
        format!("{who}: {}\n\n", message.text)
    });
    format!(
        "What was said before:\n\n{}The message now:\n\n{}",
        lines.collect::<String>(),
        last.text
    )
}

/// The key of the words that answered questions.
const ANSWERS: &str = "answers";

/// The most chats with the same words among which one is looked for.
const MOST_ALIKE: usize = 8;
