use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;

use silcrow_event::{Entry, Event, Json};
use silcrow_store::{Store, Summary};
use tokio::runtime::Builder;

use crate::args::Log;
use crate::failure::{Failure, written};
use crate::places::{self, Place};
use crate::visible::visible;

/// `silcrow log`: the stored conversations, or the events of one.
pub(crate) fn log(args: &Log) -> Result<(), Failure> {
    let Place::Folder(folder) = Place::choose(args.store.as_deref())? else {
        return Err(Failure::given("a store in memory ends with its process; give a folder"));
    };
    if !folder.exists() {
        let folder = folder.display();
        let nothing = format!("there is no store in {folder} yet; `silcrow run` makes one");
        return Err(Failure::given(nothing));
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let store = Place::Folder(folder).open().await?;
        match &args.conversation {
            None => list(args, store).await,
            Some(conversation) => show(args, store, conversation).await,
        }
    })
}

async fn list(args: &Log, store: Arc<dyn Store>) -> Result<(), Failure> {
    let conversations = store.list().await.map_err(|error| places::failure(&error))?;
    let mut out = io::stdout().lock();
    written(if is_for_programs(args) {
        conversations.iter().try_for_each(|one| writeln!(out, "{}", summary_json(one)))
    } else {
        table(&mut out, &conversations)
    })
}

async fn show(args: &Log, store: Arc<dyn Store>, conversation: &str) -> Result<(), Failure> {
    let failed = |error| places::failure(&error);
    let head = store.head(conversation).await.map_err(failed)?;
    if head == 0 {
        return Err(Failure::given(format!(
            "there is no conversation `{conversation}`; `silcrow log` lists them"
        )));
    }
    let entries = store.read(conversation, 1..=head).await.map_err(failed)?;
    let mut out = io::stdout().lock();
    written(if is_for_programs(args) {
        entries.iter().try_for_each(|entry| writeln!(out, "{}", entry.to_json()))
    } else {
        entries.iter().try_for_each(|entry| writeln!(out, "{}", line(entry)))
    })
}

fn is_for_programs(args: &Log) -> bool {
    args.json || !io::stdout().is_terminal()
}

fn summary_json(summary: &Summary) -> String {
    format!(
        "{{\"conversation\":{},\"title\":{},\"events\":{},\"first\":{},\"last\":{}}}",
        Json::string(&summary.conversation),
        Json::string(&summary.title),
        summary.events,
        summary.first,
        summary.last,
    )
}

fn table(out: &mut impl Write, conversations: &[Summary]) -> io::Result<()> {
    let width = |one: &Summary| visible(&one.conversation).chars().count();
    let width = conversations.iter().map(width).max().unwrap_or_default();
    for one in conversations {
        let id = visible(&one.conversation);
        writeln!(out, "{id:width$}  {:>5} events  {}", one.events, visible(&one.title))?;
    }
    Ok(())
}

/// An event on a person's screen: its position, its type, its text.
fn line(entry: &Entry) -> String {
    let text = match &entry.event {
        Event::User { content } | Event::Cancelled { content } => content.clone(),
        Event::Think(think) => think.content.clone(),
        Event::Respond(respond) => respond.content.clone(),
        Event::Call(call) => format!("{} {}", call.name(), call.args()),
        Event::Result(outcome) => outcome.content.clone(),
        Event::Batch(batch) => batch.content.clone(),
        other => other.to_json(),
    };
    let seq = entry.seq.unwrap_or_default();
    let indented = visible(&text).replace('\n', "\n              ");
    format!("{seq:>4} {:<8} {indented}", entry.event.type_name())
}
