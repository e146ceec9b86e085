//! `silcrow runs answer`, which shows the questions for whose answers a run waits, and answers them.
//!
//! It stores answers. It does not continue the run, which `silcrow run --resume` does.

use std::io::{self, IsTerminal as _, Write as _};

use silcrow_agent::{Error, ErrorKind, ParkedQuestion, ParkedRun, QuestionGroup};
use silcrow_console::live::TerminalSize;
use silcrow_console::printer::write_json;
use silcrow_console::question::{QuestionStyle, parked_question, picked};
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
        return Err(Failure::given(format!("no store found in {folder}")));
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
    let open = run.questions().iter().filter(|asked| asked.answer.is_none());
    let groups = QuestionGroup::all(open);
    // The id of one item of a loop is about this item alone.
    let group = groups.into_iter().find(|group| group.id() == **id).or_else(|| {
        let asked = run.questions().iter().find(|asked| asked.id() == *id)?;
        QuestionGroup::all([asked]).pop()
    });
    let Some(group) = group else {
        let answered = run.answered(id).await.map_err(|error| failed(&error))?;
        return Err(match answered {
            Some(answer) => answered_already(id, answer),
            None => unknown(args, id, run.questions()),
        });
    };
    let words = args.words.as_deref().map(str::trim).filter(|words| !words.is_empty());
    let decisions = group.decisions(&decision(args, answer, words, &group)?);
    let given = group.questions().iter().zip(decisions);
    let given: Vec<_> = given.map(|(asked, (_, decision))| asked.answer(decision)).collect();
    let message = words.filter(|_| answer == YesOrNo::Yes);
    run.answer_with(&given, message).await.map_err(|error| failed(&error))?;
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

/// Returns the decision of the arguments about a question.
fn decision(
    args: &AnswerArgs,
    answer: YesOrNo,
    words: Option<&str>,
    group: &QuestionGroup<'_>,
) -> Result<ApprovalDecision, Failure> {
    let denied = || {
        let said = words.filter(|_| answer == YesOrNo::No);
        let said = said.map_or_else(String::new, |words| format!(", and said: {words}"));
        format!("the person did not allow `{}`{said}", group.first().question.tool)
    };
    if let Some(items) = &args.items {
        let count = group.questions().len();
        let allowed = picked(items, count).filter(|_| group.is_loop() && answer == YesOrNo::Yes);
        let allowed = allowed.ok_or_else(|| wrong_items(items, answer, group))?;
        return Ok(ApprovalDecision::Items { allowed, denied: denied() });
    }
    Ok(match (answer, args.scope) {
        (YesOrNo::Yes, AnswerScope::Once) => ApprovalDecision::Allow(ApprovalScope::Once),
        (YesOrNo::Yes, AnswerScope::Conversation) => {
            ApprovalDecision::Allow(ApprovalScope::Conversation)
        }
        (YesOrNo::Yes, AnswerScope::Second) => wider(group.first(), 0)?,
        (YesOrNo::Yes, AnswerScope::Third) => wider(group.first(), 1)?,
        (YesOrNo::No, _) => ApprovalDecision::Deny(denied()),
    })
}

fn wrong_items(items: &str, answer: YesOrNo, group: &QuestionGroup<'_>) -> Failure {
    let id = group.id();
    let (id, items) = (sanitize_line(&id), sanitize_line(items));
    Failure::given(match (group.is_loop(), answer) {
        (false, _) => format!("the question `{id}` is about one call; leave out --items"),
        (_, YesOrNo::No) => "a no is about all items; leave out --items".to_owned(),
        _ => {
            let count = group.questions().len();
            format!("`{items}` names no items from 1 to {count}, such as 1,{count}")
        }
    })
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
    for (index, group) in QuestionGroup::all(questions).iter().enumerate() {
        if args.json {
            for asked in group.questions() {
                written(write_json(&mut out, &json(group, asked)))?;
            }
            continue;
        }
        let blank = if index > 0 { "\n" } else { "" };
        written(write!(out, "{blank}{}", parked_question(group, style)))?;
    }
    Ok(())
}

/// Returns a question with its id and its answer, and the id of the question about all items of its loop.
fn json(group: &QuestionGroup<'_>, asked: &ParkedQuestion) -> String {
    let loop_id = match group.is_loop() {
        true => format!("\"group\":{},", Json::string(&group.id())),
        false => String::new(),
    };
    let (id, call) = (Json::string(asked.id()), asked.question.to_json());
    let answer = match asked.answer {
        Some(state) => format!("\"{}\"", state.as_str()),
        None => "null".to_owned(),
    };
    format!("{{\"question\":{id},{loop_id}\"answer\":{answer},\"call\":{call}}}")
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
    let open = QuestionGroup::all(questions);
    let open: Vec<_> = open.iter().map(QuestionGroup::id).collect();
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
