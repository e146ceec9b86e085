//! `silcrow run`, which runs an agent from a prompt to an answer.
//!
//! This module opens a session from the arguments, and passes its events to a front: JSON lines, lines
//! of text, or a live screen.

mod answer_file;
mod conclusion;
mod findings;
mod opened;
mod record;
mod steer;

use std::io::{self, Write as _};
use std::path::Path;

use silcrow_agent::{ErrorKind, RunOutcome};
use silcrow_console::ConsoleOutput;
use silcrow_console::interrupt;
use silcrow_console::options::TextPieces;
use silcrow_console::printer::Printer;
use silcrow_console::typed::ProcessLines;
use silcrow_interactive::{AskOptions, FrontEnd, RunFront};
use silcrow_sanitize::sanitize_line;
use silcrow_session::prompt::{ExpandedPrompt, PromptDraft};
use silcrow_session::{
    AgentSession, AnswerSchema, ForkName, RunTarget, RunTask, SessionSetup, finish_telemetry,
    start_telemetry, within_caller,
};
use silcrow_tool::{CancellationToken, Scope};

use crate::after_run;
use crate::args::RunArgs;
use crate::failure::{Failure, written};
use crate::host::{host, notice};
use crate::prompt::prompt;
use crate::runtime;
use answer_file::write_answer;
use conclusion::conclude;
use opened::OpenedRun;
use record::RunRecord;

/// Runs an agent from a prompt to an answer.
pub(crate) fn run(args: &RunArgs, options: &AskOptions) -> Result<(), Failure> {
    if args.steer {
        let target = match &args.conversation {
            Some(id) => RunTarget::Existing(id.clone()),
            None => RunTarget::Latest,
        };
        return steer::steer(args.prompt.as_deref(), &target, options);
    }
    let target = match (&args.conversation, &args.new) {
        (Some(id), _) => RunTarget::Existing(id.clone()),
        (None, Some(id)) => RunTarget::New(id.clone()),
        (None, None) if args.continue_last || args.retry => RunTarget::Latest,
        (None, None) => RunTarget::Fresh,
    };
    let schema = args.output_schema.as_deref().map(AnswerSchema::read).transpose()?;
    let form = WantedAnswer::new(args.output.as_deref(), schema.as_ref());
    perform(options, target, form, |setup| {
        if args.resume || args.retry {
            return Ok(RunTask::Resume { is_retry: args.retry });
        }
        let fork = args.fork.as_deref().map(ForkName::new);
        let (session, show) = (&options.session, &options.show);
        let named = args.named.as_deref().map(|name| (setup.skills(), name));
        let mut expanded =
            prompt(args.prompt.as_deref(), &args.files, named, &session.root, &session.servers)?;
        schema.iter().for_each(|schema| schema.tell(&mut expanded.content));
        let ExpandedPrompt { notices, .. } = &expanded;
        for notice in notices.iter().filter(|_| !options.json && !show.quiet) {
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "{}", sanitize_line(notice));
        }
        Ok(RunTask::answer(expanded, fork))
    })
}

/// The uses of the answer of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WantedAnswer<'a> {
    /// The file to which it is written, too.
    output: Option<&'a Path>,
    /// The schema that it has to fit.
    schema: Option<&'a AnswerSchema>,
    /// The priority from which on a finding of a review is a failure.
    fails_on: Option<u64>,
}

impl<'a> WantedAnswer<'a> {
    /// Wants an answer that is written to a file, too, and that fits a schema.
    pub(crate) const fn new(output: Option<&'a Path>, schema: Option<&'a AnswerSchema>) -> Self {
        Self { output, schema, fails_on: None }
    }

    /// Fails if a finding of the review has this priority, or a higher one.
    pub(crate) const fn failing_on(self, fails_on: Option<u64>) -> Self {
        Self { fails_on, ..self }
    }
}

/// Performs a task in a conversation.
pub(crate) fn perform(
    options: &AskOptions,
    target: RunTarget,
    form: WantedAnswer<'_>,
    task: impl FnOnce(&SessionSetup) -> Result<RunTask, Failure>,
) -> Result<(), Failure> {
    let usual = if options.json { TextPieces::Event } else { TextPieces::Token };
    let pieces = options.stream.unwrap_or(usual);
    let printer = || {
        let printer = Printer::to_stdout(pieces == TextPieces::Token);
        printer.with_result_batches(options.batch_results)
    };
    let mut printer = options.json.then(printer);
    let mut record = RunRecord::new();
    let done = PreparedRun::new(options, target, (form.schema, pieces), task).and_then(|ready| {
        runtime::block_on(async {
            start_telemetry(&options.session.telemetry, &*host());
            let done = ready.run(options, printer.as_mut(), &mut record).await;
            let lost = finish_telemetry().await;
            lost.iter().filter(|_| options.show.verbose).for_each(|line| notice(line));
            done
        })
    });
    let answered = |()| match (form.output, record.answer()) {
        (Some(file), Some(answer)) => write_answer(file, &answer),
        _ => Ok(()),
    };
    let done = done.and_then(answered);
    let done = done.and_then(|()| match (form.schema, record.answer()) {
        (Some(_), Some(answer)) if !options.json => {
            written(writeln!(io::stdout(), "{}", answer.trim()))
        }
        _ => Ok(()),
    });
    let done = done.and_then(|()| match (form.fails_on, record.answer()) {
        (Some(priority), Some(answer)) => findings::failing(&answer, priority),
        _ => Ok(()),
    });
    let done = done.and_then(|()| match options.strict {
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

/// Runs the hooks before a prompt, and adds their texts to it.
async fn before_prompt(
    session: &AgentSession,
    conversation: &str,
    task: RunTask,
    front: &RunFront<'_>,
) -> Result<RunTask, Failure> {
    if !matches!(task, RunTask::Answer { .. }) || session.hooks().is_empty() {
        return Ok(task);
    }
    let said = session.hook_prompt(conversation, &task.prompt()).await?;
    said.messages.iter().for_each(|line| front.show_line(line));
    Ok(task.with_texts(&said.texts))
}

/// The number of times that the model is asked again for an answer that fits.
const MOST_AGAIN: u32 = 1;

/// A run that can begin, because all arguments and inputs are valid.
struct PreparedRun<'a> {
    schema: Option<&'a AnswerSchema>,
    setup: SessionSetup,
    task: RunTask,
    target: RunTarget,
    pieces: TextPieces,
}

impl<'a> PreparedRun<'a> {
    fn new(
        options: &AskOptions,
        target: RunTarget,
        (schema, pieces): (Option<&'a AnswerSchema>, TextPieces),
        task: impl FnOnce(&SessionSetup) -> Result<RunTask, Failure>,
    ) -> Result<Self, Failure> {
        if options.call_text && !(options.json && pieces == TextPieces::Token) {
            return Err(Failure::given(
                "--call-text gives pieces to programs; add --json --stream token",
            ));
        }
        let setup = SessionSetup::check(options.session.clone(), &host())?;
        let task = task(&setup)?;
        Ok(Self { schema, setup, task, target, pieces })
    }

    async fn run(
        self,
        options: &AskOptions,
        printer: Option<&mut Printer>,
        record: &mut RunRecord,
    ) -> Result<(), Failure> {
        let is_named = self.target.is_named();
        let run = OpenedRun::open(self.setup, self.task, &self.target, options).await?;
        let OpenedRun { mut session, task, conversation, retried, active, after } = run;
        record.begin(&conversation, session.price(), self.schema.is_some());
        let mut front = match self.schema {
            // Standard output gets an answer that fits, and nothing before it.
            Some(_) if printer.is_none() => {
                let output = ConsoleOutput::new(io::sink(), io::stderr());
                RunFront::in_lines(options, self.pieces, &session, output, ProcessLines)
            }
            _ => RunFront::new(options, self.pieces, printer, &session),
        };
        front.begin(retried, task.replayed());
        let approver = front.approver(&session, options, task.replayed());
        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
        let servers = session.begin_servers(front.elicitor());
        if !servers.is_empty() {
            front.show_beginning();
        }
        for line in servers.settle(&cancel).await {
            front.show_missing(&line);
        }
        let (task, notices) = session.with_resources(task).await?;
        notices.iter().for_each(|line| front.show_line(line));
        let agent = session.agent(approver);
        let agent = if front.shows_call_text(options) { agent.with_call_text() } else { agent };
        let scope = within_caller(Scope::new(&*conversation).with_cancellation(cancel.clone()));
        task.prepare(&agent, &*session.store(), &scope).await?;
        let task = before_prompt(&session, &conversation, task, &front).await?;
        let mut ended =
            front.perform(&task, &agent, scope.clone(), &mut |event| record.show(event)).await?;
        let (mut asked_again, mut sent_back) = (0, 0);
        while let Ok(RunOutcome::Answered) = &ended {
            let answer = record.text();
            let misfit = self.schema.and_then(|schema| schema.misfit(&answer));
            let next = match misfit {
                Some(why) if asked_again == MOST_AGAIN => {
                    record.end(&ended);
                    let why =
                        format!("the model did not answer in the form of --output-schema: {why}");
                    return Err(Failure::running(why).named("output_schema", false));
                }
                Some(why) => {
                    asked_again += 1;
                    AnswerSchema::again(&why)
                }
                // In a replay no hook runs.
                None if task.replayed().is_some() => break,
                None => {
                    let (again, lines) = session.hook_stop(&conversation, &answer, sent_back).await;
                    lines.iter().for_each(|line| front.show_line(line));
                    let Some(again) = again else { break };
                    sent_back += 1;
                    again
                }
            };
            let task = RunTask::answer(PromptDraft::of_words(next).build()?, None);
            ended = front
                .perform(&task, &agent, scope.clone(), &mut |event| record.show(event))
                .await?;
        }
        let begun = !matches!(&ended, Err(error) if error.kind() == ErrorKind::Refused);
        let is_kept = begun && session.place().folder().is_some();
        let next = (!is_named && is_kept).then(|| {
            format!("conversation {conversation}: continue with --conversation {conversation}")
        });
        let written =
            front.finish(FrontEnd { next, replayed: task.replayed(), conversation: &conversation });
        // The conversation may continue elsewhere.
        drop(active);
        servers.close().await;
        if let (Ok(RunOutcome::Answered), Some(after)) = (&ended, after) {
            after_run::finish(&after, &conversation, front.is_quiet(), &cancel).await;
        }
        record.end(&ended);
        let model = session.setup().model();
        conclude(ended, written, model, &conversation, session.opened(), &interruption).await
    }
}
