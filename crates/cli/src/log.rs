//! `silcrow log`, which shows stored conversations and maintains a store.
//!
//! This module dispatches to the subcommands. It checks whether the store exists.

mod backup;
mod delete;
mod diff;
mod export;
mod export_media;
mod follow;
mod list;
mod maintain;
mod rename;
mod report;
mod show;

use export::{ExportForm, TraceRequest};
use silcrow_console::live::TerminalSize;
use silcrow_console::pager::PagedOutput;

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Write as _};
use std::path::Path;

use silcrow_history::ListQuery;
use silcrow_sanitize::escape_json;
use silcrow_store::Store;
use silcrow_store::search::{Query, SearchedUser};

use crate::args::{ExportFormat, LogArgs, LogCommand, LogListArgs};
use crate::conversation::{absolute, resolved_or_typed};
use crate::failure::{Failure, written};
use crate::fork::fork;
use crate::host::host;
use crate::places::StorePlace;
use crate::runtime;
use crate::stored_head::stored_head;
use silcrow_session::TelemetrySettings;

/// The settings that `silcrow log` needs besides the place of the store.
pub(crate) struct LogSettings {
    /// The settings in force for a report, one a line.
    pub(crate) in_force: Vec<String>,
    /// The destination of traces.
    pub(crate) telemetry: TelemetrySettings,
}

/// Runs a subcommand of `silcrow log`.
pub(crate) fn log(args: &LogArgs, settings: &LogSettings) -> Result<(), Failure> {
    let command = match (&args.command, &args.conversation) {
        (Some(_), Some(conversation)) => {
            return Err(Failure::given(format!(
                "`{conversation}` comes before the subcommand; put it after the subcommand"
            )));
        }
        (Some(command), None) => command.clone(),
        (None, Some(conversation)) => {
            LogCommand::Show { conversation: conversation.clone(), follow: args.follow }
        }
        (None, None) => LogCommand::List(args.list.clone()),
    };
    let place = StorePlace::choose(args.store.as_deref())?;
    place.kept()?;
    if let Some(folder) = place.missing()
        && !matches!(command, LogCommand::Import { .. })
    {
        let folder = folder.display();
        let nothing = format!("no store found in {folder}; `silcrow run` makes one");
        return Err(Failure::given(nothing));
    }
    runtime::block_on(run(&command, &place, args, settings))
}

/// Runs the command on the store at a place. The output is text, or JSON if the person asked for
/// it.
async fn run(
    command: &LogCommand,
    place: &StorePlace,
    args: &LogArgs,
    settings: &LogSettings,
) -> Result<(), Failure> {
    let json = args.json;
    if let LogCommand::Show { conversation, follow: true } = command {
        return follow::follow(place, conversation, json).await;
    }
    // The file is opened first, so that a wrong name does not leave a new store behind.
    let mut lines = match command {
        LogCommand::Import { file, .. } => Some(open(file)?),
        _ => None,
    };
    let opened = match command {
        LogCommand::Import { .. }
        | LogCommand::Fork { .. }
        | LogCommand::Rename { .. }
        | LogCommand::Delete { .. }
        | LogCommand::Compact
        | LogCommand::Mend => place.open_to_change(&host()).await?,
        _ => place.open_stored(&host()).await?,
    };
    let store = opened.store();
    match command {
        LogCommand::Export { conversation, format, otlp, contents, send, output } => {
            let (conversation, output) = (conversation.as_deref(), output.as_deref());
            let format = format.or(otlp.then_some(ExportFormat::Otlp)).map(form);
            let (settings, has_contents) = (&settings.telemetry, *contents);
            let trace = TraceRequest { settings, has_contents, sends: *send };
            export::export(&*store, conversation, format, output, &trace).await
        }
        LogCommand::Report { conversation, contents, output } => {
            report::report(&*store, conversation, &settings.in_force, *contents, output.as_deref())
                .await
        }
        LogCommand::Rename { conversation, title } => {
            rename::rename(&*store, conversation, title, json).await
        }
        LogCommand::Import { own, .. } => match &mut lines {
            Some(lines) => maintain::import(&*store, lines, *own, json).await,
            None => Ok(()),
        },
        LogCommand::Fork { conversation, at, named } => {
            let from = (&**conversation, *at);
            fork(&*store, place, from, named.as_deref(), json).await
        }
        LogCommand::Verify => maintain::verify(&*store, json).await,
        LogCommand::Delete { conversation, yes } => {
            delete::delete(&opened, conversation, place, (*yes, json)).await
        }
        LogCommand::Compact => maintain::compact(opened.files()?, json).await,
        LogCommand::Backup { folder } => backup::backup(opened.files()?, folder, json).await,
        LogCommand::Mend => maintain::mend(opened.files()?, json).await,
        LogCommand::List(_)
        | LogCommand::Show { .. }
        | LogCommand::Search { .. }
        | LogCommand::Diff { .. } => shown(command, &*store, args).await,
    }
}

/// Shows a text that may be long, in a pager on a terminal.
async fn shown(command: &LogCommand, store: &dyn Store, args: &LogArgs) -> Result<(), Failure> {
    let json = args.json;
    let pages = !json && !args.no_pager;
    let output = match command {
        LogCommand::List(list) => {
            let columns = io::stdout().is_terminal().then(|| TerminalSize::now().columns);
            list::list(store, query(list), json, columns).await?
        }
        LogCommand::Search { words, except, user, limit } => {
            let except = match except {
                Some(typed) => Some(resolved_or_typed(store, typed).await?),
                None => None,
            };
            let user = user.clone().map_or(SearchedUser::Any, SearchedUser::One);
            let query = Query { words: words.join(" "), except, user, limit: limit.get() };
            show::search(store, &query, json).await?
        }
        LogCommand::Diff { a, b } => diff::diff(store, [a, b], json).await?,
        LogCommand::Show { conversation, .. } => {
            let conversation = &stored_head(store, conversation).await?.0;
            let mut out = PagedOutput::start(pages);
            let shown = show::events(store, conversation, json, &mut out).await;
            written(out.finish())?;
            return shown;
        }
        _ => return Ok(()),
    };
    let output = if json { escape_json(&output) } else { output.into() };
    let mut out = PagedOutput::start(pages);
    let printed = out.write_all(output.as_bytes());
    let finished = out.finish();
    written(printed.and(finished))
}

/// Returns which conversations are listed.
fn query(args: &LogListArgs) -> ListQuery {
    let folder = args.folder.as_ref().map(|folder| match folder {
        Some(folder) => absolute(folder),
        None => absolute(Path::new(".")),
    });
    ListQuery::new()
        .with_user(args.user.clone())
        .with_folder(folder.flatten())
        .with_inner(args.all)
        .with_page(args.limit, args.after.clone())
}

const fn form(format: ExportFormat) -> ExportForm {
    match format {
        ExportFormat::Md => ExportForm::Markdown,
        ExportFormat::Html => ExportForm::Html,
        ExportFormat::Jsonl => ExportForm::JsonLines,
        ExportFormat::Otlp => ExportForm::TraceProtobuf,
        ExportFormat::OtlpJson => ExportForm::TraceJson,
    }
}

fn open(file: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let failed = |error| Failure::given(format!("cannot read {}: {error}", file.display()));
    Ok(Box::new(BufReader::new(File::open(file).map_err(failed)?)))
}
