//! `silcrow run`, which runs an agent from a prompt to an answer.
//!
//! This module puts an agent together from the arguments, and passes its events to a screen or a
//! printer.

mod conclusion;
mod opened;
mod record;
mod steer;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex};

use silcrow_agent::{ErrorKind, RunOutcome};
use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::attend::{self, AttendedEnd, AttendedRuns};
use silcrow_console::interrupt;
use silcrow_console::live::{self, LiveScreen, LiveTerminal};
use silcrow_console::printer::Printer;
use silcrow_console::screen::{Screen, lock};
use silcrow_event::RunEventRef;
use silcrow_exec::{CancellationToken, Scope};
use silcrow_sanitize::sanitize_line;
use tokio::runtime::Builder;
use tokio::sync::mpsc;

use crate::approver::PersonRules;
use crate::args::{RunArgs, Stream};
use crate::console_options;
use crate::failure::Failure;
use crate::fork::ForkName;
use crate::mcp::PersonElicitor;
use crate::model;
use crate::options::AskOptions;
use crate::prompt::{ExpandedPrompt, prompt};
use crate::run_target::RunTarget;
use crate::setup::AgentSetup;
use crate::task::RunTask;
use crate::telemetry;
use conclusion::conclude;
use opened::OpenedRun;
use record::RunRecord;

/// Runs an agent from a prompt to an answer.
pub(crate) fn run(args: &RunArgs, options: &AskOptions) -> Result<(), Failure> {
    if args.steer {
        return steer::steer(args, options);
    }
    let target = match (&args.conversation, &args.new) {
        (Some(id), _) => RunTarget::Existing(id.clone()),
        (None, Some(id)) => RunTarget::New(id.clone()),
        (None, None) if args.continue_last || args.retry => RunTarget::Latest,
        (None, None) => RunTarget::Fresh,
    };
    perform(options, target, || {
        if args.resume || args.retry {
            return Ok(RunTask::Resume { is_retry: args.retry });
        }
        let fork = args.fork.as_deref().map(ForkName::new);
        let (files, agent) = (&args.files, options);
        let expanded = prompt(args.prompt.as_deref(), files, &agent.root, &agent.servers)?;
        for notice in expanded.notices.iter().filter(|_| !agent.json && !agent.show.quiet) {
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "{}", sanitize_line(notice));
        }
        let ExpandedPrompt { content: prompt, resources, .. } = expanded;
        Ok(RunTask::Answer { prompt, fork, resources })
    })
}

/// Performs a task in a conversation.
pub(crate) fn perform(
    args: &AskOptions,
    target: RunTarget,
    task: impl FnOnce() -> Result<RunTask, Failure>,
) -> Result<(), Failure> {
    let stream = args.stream.unwrap_or(if args.json { Stream::Event } else { Stream::Token });
    let tokens = stream == Stream::Token;
    let mut printer = args.json.then(|| Printer::to_stdout(tokens));
    let mut record = RunRecord::new();
    let done = PreparedRun::new(args, target, task, stream).and_then(|ready| {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::running(format!("cannot start: {error}")))?;
        let done = runtime.block_on(async {
            telemetry::start(&args.telemetry);
            let done = ready.run(args, stream, &mut printer, &mut record).await;
            telemetry::finish(args.show.verbose).await;
            done
        });
        // The process does not wait for blocking work that a call has left behind.
        runtime.shutdown_background();
        done
    });
    let done = done.and_then(|()| match args.strict {
        true => record.strict(),
        false => Ok(()),
    });
    let Some(printer) = &mut printer else { return done };
    if let Err(failure) = &done
        && let (Some(event), false) = (failure.to_event(), printer.has_failed())
    {
        // The run did not begin, so the error was not printed yet.
        printer.entry(&event.into());
    }
    printer.line(&record.to_json(&done));
    // A reader that is gone reads no summary, either.
    drop(printer.finish());
    done
}

/// A run that can begin, because all arguments and inputs are valid.
struct PreparedRun {
    setup: AgentSetup,
    task: RunTask,
    target: RunTarget,
}

impl PreparedRun {
    fn new(
        args: &AskOptions,
        target: RunTarget,
        task: impl FnOnce() -> Result<RunTask, Failure>,
        stream: Stream,
    ) -> Result<Self, Failure> {
        if args.call_text && !(args.json && stream == Stream::Token) {
            return Err(Failure::given(
                "--call-text gives pieces to programs; add --json --stream token",
            ));
        }
        let setup = AgentSetup::new(args)?;
        let task = task()?;
        Ok(Self { setup, task, target })
    }

    async fn run(
        mut self,
        args: &AskOptions,
        stream: Stream,
        printer: &mut Option<Printer>,
        record: &mut RunRecord,
    ) -> Result<(), Failure> {
        if printer.is_none() && live::is_possible() {
            return self.run_live(args, stream, record).await;
        }
        let tokens = stream == Stream::Token;
        // A pipe or a file gets the answer once it is certain, unless the person asked for tokens.
        let streams_answer = tokens && (args.stream.is_some() || io::stdout().is_terminal());
        let (model, place) = (self.setup.model.clone(), self.setup.place.clone());
        let notices = self.setup.notices();
        let options = console_options::lines(&args.show, tokens, streams_answer);
        let screen = Screen::new(notices, ConsoleOutput::of_process(), &options);
        let screen = Arc::new(Mutex::new(screen));
        let OpenedRun { opened, store, task, conversation, retried, active, after } =
            OpenedRun::open(&mut self.setup, self.task, &self.target, args).await?;
        record.begin(&conversation);
        if let (Some(line), None) = (retried, &printer) {
            lock(&screen).show_line(&line);
        }
        let replayed = task.replayed().map(str::to_owned);
        if replayed.is_some() {
            lock(&screen).begin_replay();
        }
        // In a replay everything is asked about, whatever the policy says.
        let allowed = match replayed.is_some() {
            true => self.setup.allowed.clone(),
            false => BTreeSet::new(),
        };
        let person = TerminalApprover::new(QuestionDesk::Lines(LineDesk::new(&screen)))
            .allowing(allowed)
            .in_mode(Arc::new(self.setup.session_mode().clone()))
            .with_unasked(args.on_question.map(Into::into))
            .replaying(replayed);
        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
        let quiet = printer.is_some() || args.show.quiet;
        let elicitor = PersonElicitor::lines(&screen);
        let servers = self.setup.begin_servers(&args.root, elicitor);
        if !quiet && !servers.is_empty() {
            lock(&screen).show_notices();
        }
        for line in servers.settle(&cancel).await {
            match quiet {
                // If stderr is closed, the line is lost.
                true => drop(writeln!(io::stderr(), "{}", sanitize_line(&line))),
                false => lock(&screen).show_line(&line),
            }
        }
        let (task, notices) = task.with_resources(servers.servers()).await?;
        for notice in notices.iter().filter(|_| !quiet) {
            lock(&screen).show_line(notice);
        }
        let agent = self.setup.agent(args, Arc::clone(&store), person);
        let agent = if args.call_text { agent.with_call_text() } else { agent };
        let scope = Scope::new(&*conversation).with_cancellation(cancel.clone());
        let scope = telemetry::within_caller(scope);
        let mut show = |output: RunEventRef<'_>| {
            record.show(output);
            match printer {
                Some(printer) => printer.show(output),
                None => lock(&screen).show(output),
            }
        };
        task.prepare(&agent, &*store, &scope).await?;
        let ended = task.perform(&agent, scope, &mut show).await;
        let written = match printer {
            Some(printer) => printer.finish(),
            None => lock(&screen).finish(),
        };
        let begun = !matches!(&ended, Err(error) if error.kind() == ErrorKind::Refused);
        let kept = begun && place.folder().is_some();
        if !quiet && !self.target.is_named() && kept {
            let id = &conversation;
            lock(&screen)
                .show_line(&format!("conversation {id}: continue with --conversation {id}"));
        }
        if let (false, Some(replayed)) = (quiet, task.replayed()) {
            lock(&screen).end_replay(&format!("{replayed} {conversation}"));
        }
        // The conversation may continue elsewhere.
        drop(active);
        servers.close().await;
        if let (Ok(RunOutcome::Answered), Some(after)) = (&ended, after) {
            after.finish(&conversation, quiet, &cancel).await;
        }
        record.end(&ended);
        conclude(ended, written, &model, &conversation, &opened, &interruption).await
    }

    /// Runs on a terminal that the person watches.
    async fn run_live(
        mut self,
        args: &AskOptions,
        stream: Stream,
        record: &mut RunRecord,
    ) -> Result<(), Failure> {
        let quiet = args.show.quiet;
        let (model, place) = (self.setup.model.clone(), self.setup.place.clone());
        let OpenedRun { opened, store, task, conversation, retried, active, after } =
            OpenedRun::open(&mut self.setup, self.task, &self.target, args).await?;
        let options = console_options::live(&args.show, stream, self.setup.price());
        let terminal = LiveTerminal::of_process();
        let mut screen = LiveScreen::new(model::label(&model), terminal, &options);
        screen.set_walls(self.setup.walls());
        let mode = self.setup.session_mode().clone();
        let first = self.setup.notices().into_iter().chain(retried);
        first.filter(|_| !quiet).for_each(|line| screen.show_line(&line));
        let screen = Arc::new(Mutex::new(screen));
        let (desk, questions) = mpsc::channel(MOST_QUESTIONS);
        let elicitor = PersonElicitor::live(&desk);
        let replayed = task.replayed().map(str::to_owned);
        let allowed = replayed.as_ref().map(|_| self.setup.allowed.clone()).unwrap_or_default();
        let person = TerminalApprover::new(QuestionDesk::Live(desk))
            .allowing(allowed)
            .with_unasked(args.on_question.map(Into::into))
            .keeping(self.setup.kept_rules().map(|rules| Arc::new(PersonRules(rules)) as _))
            .in_mode(Arc::new(mode.clone()))
            .replaying(replayed);
        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
        let servers = self.setup.begin_servers(&args.root, elicitor);
        if !servers.is_empty() {
            attend::lock(&screen).draw();
        }
        for line in servers.settle(&cancel).await {
            attend::lock(&screen).show_line(&line);
        }
        let (task, notices) = task.with_resources(servers.servers()).await?;
        for notice in notices.iter().filter(|_| !quiet) {
            attend::lock(&screen).show_line(notice);
        }
        let agent = self.setup.agent(args, Arc::clone(&store), person).with_call_text();
        let scope = Scope::new(&*conversation).with_cancellation(cancel.clone());
        let scope = telemetry::within_caller(scope);
        task.prepare(&agent, &*store, &scope).await?;
        let mut runs = AttendedRuns::new(Arc::clone(&screen), questions).with_mode_key(mode.key());
        attend::lock(&screen).begin(model::label(&model));
        let mut observe = |event: RunEventRef<'_>| record.show(event);
        let AttendedEnd { ended, unsent, is_hung_up, .. } =
            task.attend(&mut runs, &agent, scope, &mut observe).await?;
        if is_hung_up {
            return Err(Failure::hung_up());
        }
        let begun = !matches!(&ended, Err(error) if error.kind() == ErrorKind::Refused);
        let written = {
            let mut screen = attend::lock(&screen);
            let written = screen.finish().map(drop);
            for text in unsent {
                screen.show_line(&format!("not sent, because the run was over: {text}"));
            }
            if !quiet && !self.target.is_named() && begun && place.folder().is_some() {
                let id = &conversation;
                screen.show_line(&format!("conversation {id}: continue with --conversation {id}"));
            }
            screen.draw();
            written
        };
        // The conversation may continue elsewhere.
        drop(active);
        servers.close().await;
        if let (Ok(RunOutcome::Answered), Some(after)) = (&ended, after) {
            after.finish(&conversation, quiet, &cancel).await;
        }
        record.end(&ended);
        conclude(ended, written, &model, &conversation, &opened, &interruption).await
    }
}

/// The number of questions that may wait for the screen.
const MOST_QUESTIONS: usize = 16;
