//! `silcrow tool`, which calls one tool by hand, as a model would.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use silcrow_agent::RunOutcome;
use silcrow_console::interrupt;
use silcrow_event::{CallResult, ResultStatus, error_chain};
use silcrow_interactive::{CallFront, CallFrontEnd};
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_session::{AgentSession, OneCall, RunTarget, SessionOptions, SessionSetup};
use silcrow_shell::has_failed_command;
use silcrow_tool::{CancellationToken, Scope};

use crate::args::CallToolArgs;
use crate::config::CallOptions;
use crate::failure::{Failure, written};
use crate::host::host;
use crate::input::Input;
use crate::runtime;

/// Calls a tool, and prints the content of its result.
pub(crate) fn call(args: &CallToolArgs, options: CallOptions) -> Result<(), Failure> {
    let typed = match &*args.args {
        "-" => Input::open(Path::new("-"))?.text()?,
        typed => typed.to_owned(),
    };
    let call = OneCall::parse(&args.name, &typed)?;
    print(&runtime::block_on(run(args, options, &call))?, args)
}

/// Makes the call in a conversation and returns its result.
async fn run(
    args: &CallToolArgs,
    options: CallOptions,
    call: &OneCall,
) -> Result<CallResult, Failure> {
    let mut session = SessionOptions::new(&args.root);
    session.store = options.store;
    session.user.clone_from(&args.user);
    session.allow.clone_from(&args.allow);
    session.servers = options.servers;
    session.policy = options.policy;
    session.web = options.web;
    let setup = SessionSetup::check(OneCall::options(session), &host())?;
    let mut session = setup.open().await?;
    let done = run_in(&mut session, args, CallFront::new(args.json, options.theme), call).await;
    session.close_servers().await;
    done
}

/// Makes the call in a session.
async fn run_in(
    session: &mut AgentSession,
    args: &CallToolArgs,
    front: CallFront,
    call: &OneCall,
) -> Result<CallResult, Failure> {
    let tool = call.find(session).await?;
    let conversation = session.resolve(&target(args)).await?;
    let agent = call.agent(session, tool, front.approver(session))?;
    let cancel = CancellationToken::new();
    let interruption = interrupt::watch(cancel.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    let scope = Scope::new(&*conversation).with_cancellation(cancel);
    let CallFrontEnd { ended, result, .. } = front.perform(call, &agent, scope).await?;
    match (ended, result) {
        (Ok(RunOutcome::Interrupted), _) => Err(Failure::interrupted(interruption.signal())),
        (_, Some(result)) => Ok(result),
        (Err(error), None) => Err(Failure::running(error_chain(&error))),
        (Ok(_), None) => Err(Failure::running("the call has no result")),
    }
}

fn target(args: &CallToolArgs) -> RunTarget {
    match (&args.conversation, &args.new) {
        (Some(id), _) => RunTarget::Existing(id.clone()),
        (None, Some(id)) => RunTarget::New(id.clone()),
        (None, None) => RunTarget::Fresh,
    }
}

/// Prints the content and the notices, or returns the failure of a call that failed. A command that failed has both.
fn print(result: &CallResult, args: &CallToolArgs) -> Result<(), Failure> {
    let content = result.content.text();
    let has_output = has_failed_command(result);
    if result.status() == ResultStatus::Failure && !has_output {
        return Err(Failure::running(content));
    }
    if !args.json {
        let mut out = io::stdout().lock();
        let text = match out.is_terminal() {
            true => sanitize(&content),
            false => content,
        };
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        written(write!(out, "{text}{end}").and_then(|()| out.flush()))?;
    }
    let mut err = io::stderr();
    for notice in result.notices().iter().filter(|_| !args.json) {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(err, "notice: {}", sanitize_line(notice));
    }
    match (has_output, &result.payload) {
        (true, Some(payload)) => Err(Failure::running(&*payload.summary)),
        _ => Ok(()),
    }
}
