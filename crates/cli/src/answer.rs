//! `silcrow runs answer`, which shows the questions for whose answers a run waits, and answers them.
//!
//! It stores answers. It does not continue the run, which `silcrow run --resume` does.

use std::io::{self, IsTerminal as _, Write as _};

use silcrow_agent::{Error, ErrorKind, ParkedQuestion, ParkedRun};
use silcrow_console::live::TerminalSize;
use silcrow_console::printer::write_json;
use silcrow_console::question::{QuestionStyle, parked_question};
use silcrow_event::{ApprovalState, Json, error_chain};
use silcrow_interactive::waiting_line;
use silcrow_sanitize::sanitize_line;
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use crate::args::{AnswerArgs, AnswerScope, YesOrNo};
use crate::failure::{Failure, written};
use crate::host::host;
use crate::places::StorePlace;
use crate::runtime;
use crate::stored_head::stored_head;
use silcrow_session::tools::protected_root;
use silcrow_session::user;

/// Shows or answers the questions of a conversation.
pub(crate) fn answer(args: &AnswerArgs) -> Result<(), Failure> {
    let place = StorePlace::choose(args.store.as_deref())?;
    place.kept()?;
    if let Some(folder) = place.missing() {
        let folder = folder.display();
        return Err(Failure::given(format!("there is no store in {folder} yet")));
    }
    runtime::block_on(stored(args, &place))
}

async fn stored(args: &AnswerArgs, place: &StorePlace) -> Result<(), Failure> {
    let store = place.open_stored(&host()).await?.store();
    let (conversation, _) = stored_head(&*store, &args.conversation).await?;
    let user = user(args.user.as_deref())?;
    let root = protected_root(&args.root, place)?.identity().map_err(|error| {
        Failure::given(format!("cannot look at the root {}: {error}", args.root.display()))
    })?;
    let run = ParkedRun::read(&*store, &conversation, user.as_deref()).await;
    let run = run.map_err(|error| failed(&error))?;
    let mut run = run.with_root(&root);
    let (Some(id), Some(answer)) = (&args.question, args.answer) else {
        return show(args, run.questions());
    };
    let Some(asked) = run.questions().iter().find(|asked| asked.id() == *id) else {
        let answered = run.answered(id).await.map_err(|error| failed(&error))?;
        return Err(match answered {
            Some(answer) => answered_already(id, answer),
            None => unknown(args, id, run.questions()),
        });
    };
    let words = args.words.as_deref().map(str::trim).filter(|words| !words.is_empty());
    let decision = match (answer, args.scope) {
        (YesOrNo::Yes, AnswerScope::Once) => ApprovalDecision::Allow(ApprovalScope::Once),
        (YesOrNo::Yes, AnswerScope::Conversation) => {
            ApprovalDecision::Allow(ApprovalScope::Conversation)
        }
        (YesOrNo::Yes, AnswerScope::Second) => wider(asked, 0)?,
        (YesOrNo::Yes, AnswerScope::Third) => wider(asked, 1)?,
        (YesOrNo::No, _) => {
            let tool = &asked.question.tool;
            let said = words.map_or_else(String::new, |words| format!(", and said: {words}"));
            ApprovalDecision::Deny(format!("the person did not allow `{tool}`{said}"))
        }
    };
    let given = asked.answer(decision);
    let message = words.filter(|_| answer == YesOrNo::Yes);
    run.answer_with(&[given], message).await.map_err(|error| failed(&error))?;
    let open = run.questions().iter().filter(|asked| asked.answer.is_none()).count();
    // If stderr is closed, the notice is lost.
    let _ = match open {
        0 => writeln!(
            io::stderr(),
            "silcrow: continue with silcrow run --conversation {} --resume; a server that waits for the \
             answer continues by itself",
            sanitize_line(&args.conversation)
        ),
        1 => writeln!(io::stderr(), "silcrow: 1 question is still open"),
        open => writeln!(io::stderr(), "silcrow: {open} questions are still open"),
    };
    Ok(())
}

/// Returns a yes for a wider scope of a question, if it has so many.
fn wider(asked: &ParkedQuestion, index: usize) -> Result<ApprovalDecision, Failure> {
    if asked.question.wider_scopes.len() <= index {
        let (id, row) = (sanitize_line(asked.id()), index + 2);
        return Err(Failure::given(format!("the question `{id}` has no row `always {row}`")));
    }
    Ok(ApprovalDecision::Allow(ApprovalScope::Wider(index)))
}

/// Prints the questions.
fn show(args: &AnswerArgs, questions: &[ParkedQuestion]) -> Result<(), Failure> {
    let mut out = io::stdout();
    if questions.is_empty() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "silcrow: the conversation waits for no answer");
        return Ok(());
    }
    let color = out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let style = QuestionStyle { columns: TerminalSize::now().columns, color };
    for (index, asked) in questions.iter().enumerate() {
        written(if args.json {
            write_json(&mut out, &json(asked))
        } else {
            let blank = if index > 0 { "\n" } else { "" };
            write!(out, "{blank}{}", parked_question(asked, style))
        })?;
    }
    Ok(())
}

/// Returns a question with its id and its answer.
fn json(asked: &ParkedQuestion) -> String {
    let (id, call) = (Json::string(asked.id()), asked.question.to_json());
    let answer = match asked.answer {
        Some(state) => format!("\"{}\"", state.as_str()),
        None => "null".to_owned(),
    };
    format!("{{\"question\":{id},\"answer\":{answer},\"call\":{call}}}")
}

/// Returns the failure that says how to answer the questions of a run.
pub(crate) fn waiting(conversation: &str, questions: &[ParkedQuestion]) -> Failure {
    Failure::waiting(waiting_line(conversation, questions))
}

/// Returns the failure of an answer to a question that somebody has answered, and whose run has
/// continued.
fn answered_already(id: &str, answer: ApprovalState) -> Failure {
    let (id, answer) = (sanitize_line(id), answer.as_str());
    Failure::given(format!("the question `{id}` is answered already: {answer}"))
}

fn unknown(args: &AnswerArgs, id: &str, questions: &[ParkedQuestion]) -> Failure {
    let conversation = sanitize_line(&args.conversation);
    let open: Vec<_> = questions.iter().map(ParkedQuestion::id).collect();
    let id = sanitize_line(id);
    let why = format!(
        "the conversation `{conversation}` asks no question `{id}`, or it continued without an answer"
    );
    Failure::given(match &open[..] {
        [] => format!("{why}; nothing is open"),
        open => format!("{why}; open: {}", open.join(", ")),
    })
}

fn failed(error: &Error) -> Failure {
    let message = error_chain(error);
    match error.kind() {
        ErrorKind::Refused => Failure::given(message),
        _ => Failure::running(message),
    }
}
