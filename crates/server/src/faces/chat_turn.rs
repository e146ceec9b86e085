//! The meaning of a chat's last messages: a prompt, the results of calls, or the answer to a
//! question.
//!
//! A client sends the whole history each time. The log is the truth about it; the words that answered
//! questions are kept beside it, because they are not prompts.

use serde::{Deserialize, Serialize};
use silcrow_agent::ParkedQuestion;
use silcrow_event::{Content, Entry};
use silcrow_front::{
    ClientMessage, ClientRole, CompletionRequest, HistoryMatch, match_history, open_client_calls,
};

use super::chat_answer::chat_answers;
use super::openai::{OpenAiRefusal, no_open_call};
use super::results_in;
use super::unnamed_chat::unnamed;
use crate::attached_files::{refuse_files, with_files};
use crate::branches::{chat_of, prompts};
use crate::error::{Error, ErrorKind};
use crate::random::random_name;
use crate::run_caller::RunCaller;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;

/// The turn that a request of a chat begins or continues.
pub(super) enum CompletionTurn {
    /// A prompt is answered.
    Prompt(RunPlace, Content),
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
    pub(super) async fn read(
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
        if !request.results.is_empty() && request.new_messages().next().is_none() {
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
                let place = RunPlace::new(format!("chat-{}", random_name()?)).with_user(user);
                Ok(Self::Prompt(place, whole_history(server, &request.messages).await?))
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
}

/// Returns the conversation that the ids of the request's calls name, if the user has it.
async fn called_in(
    server: &Server,
    request: &CompletionRequest,
    user: Option<&str>,
) -> Result<Option<RunPlace>, Error> {
    let Some(conversation) = &request.called_in else { return Ok(None) };
    match server.summary(user, conversation).await {
        Ok(_) => Ok(Some(RunPlace::new(conversation).with_user(user.map(str::to_owned)))),
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
    if !results.is_empty() && !server.open_questions(&place).await?.is_empty() {
        refuse_files(request.new_messages().flat_map(|message| &message.files))?;
    }
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
        return Ok(CompletionTurn::Prompt(place, whole_history(server, &request.messages).await?));
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
            let said = said_from(server, request, from).await?;
            return answer(server, caller, place, &log, said).await;
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
        Some(from) => said_from(server, request, from).await?,
        None => whole_history(server, &request.messages).await?,
    };
    Ok(CompletionTurn::Prompt(place, prompt))
}

/// Takes words as the answer to a question, if the conversation asks one, and otherwise as a prompt.
async fn answer(
    server: &Server,
    caller: &RunCaller,
    place: RunPlace,
    log: &[Entry],
    said: Content,
) -> Result<CompletionTurn, Error> {
    let open = server.open_questions(&place).await?;
    let tools = server.client_tool_names(&place.conversation).await?;
    let calls = open_client_calls(&place.conversation, &tools, log);
    // The calls of the client's own tools wait for results.
    let is_asked = |asked: &&ParkedQuestion| calls.iter().all(|call| call.question != asked.id());
    let asked: Vec<_> = open.iter().filter(is_asked).collect();
    if asked.is_empty() || said.text().trim().is_empty() {
        return Ok(CompletionTurn::Prompt(place, said));
    }
    if said.media().next().is_some() {
        let why = "a question is open; answer it with words, and send the file after that";
        return Err(Error::new(ErrorKind::Malformed, why));
    }
    let said = said.into_text();
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

/// Returns the person's text from one of the messages on, with the files.
async fn said_from(
    server: &Server,
    request: &CompletionRequest,
    from: usize,
) -> Result<Content, Error> {
    let said: Vec<_> = request.user_messages().skip(from).collect();
    let texts: Vec<_> = said.iter().map(|message| &*message.text).collect();
    let files = said.iter().flat_map(|message| &message.files);
    with_files(server, texts.join("\n\n"), files).await
}

/// Returns a history as one prompt: its last message, below those before it, and all files.
pub(super) async fn whole_history(
    server: &Server,
    messages: &[ClientMessage],
) -> Result<Content, Error> {
    let said =
        |message: &&ClientMessage| matches!(message.role, ClientRole::User | ClientRole::Assistant);
    let said: Vec<_> = messages.iter().filter(said).collect();
    let Some((last, earlier)) = said.split_last() else { return Ok(Content::default()) };
    let files = || said.iter().flat_map(|message| &message.files);
    if earlier.is_empty() {
        return with_files(server, &*last.text, files()).await;
    }
    let lines = earlier.iter().map(|message| {
        let who = if message.role == ClientRole::User { "Person" } else { "You" };
        format!("{who}: {}\n\n", message.text)
    });
    let text = format!(
        "What was said before:\n\n{}The message now:\n\n{}",
        lines.collect::<String>(),
        last.text
    );
    with_files(server, text, files()).await
}

/// The key of the words that answered questions.
const ANSWERS: &str = "answers";
