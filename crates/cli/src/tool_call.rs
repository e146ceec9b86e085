//! `silcrow tool`, which calls one tool by hand.
//!
//! The call goes through an agent whose model is a script that makes this one call. So it has the
//! same approvals, limits, log and record of changes as a model's call.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex};

use silcrow_agent::{Agent, Error, RunOutcome};
use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::attend::{self, AttendedEnd, AttendedRuns};
use silcrow_console::interrupt;
use silcrow_console::live::{self, LiveQuestion, LiveScreen, LiveTerminal};
use silcrow_console::options::{Detail, DiffShown, ThemeName, Thoughts};
use silcrow_console::printer::Printer;
use silcrow_console::screen::{Screen, lock};
use silcrow_console::styles;
use silcrow_event::{Call, CallResult, Entry, Event, Json, ResultStatus, RunEventRef, error_chain};
use silcrow_parser::{Dialect, write};
use silcrow_provider::ScriptedModel;
use silcrow_sandbox::SandboxLevel;
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_session::tools::{self, BuiltInTools, ToolSettings};
use silcrow_session::{LateStore, RunTarget, policy, user};
use silcrow_settings::KeptRules;
use silcrow_settings::OfferedTools;
use silcrow_settings::ToolPolicies;
use silcrow_settings::known_secrets;
use silcrow_shell::has_failed_command;
use silcrow_tool::{CancellationToken, Scope, Spill, Toolbox, WithPermissions, closest_names};
use tokio::sync::mpsc::{self, Receiver};

use crate::approver::PersonRules;
use crate::args::CallToolArgs;
use crate::attended::keyless;
use crate::config::CallOptions;
use crate::console_options;
use crate::failure::{Failure, written};
use crate::host::host;
use crate::input::Input;
use crate::places::StorePlace;
use crate::runtime;
use silcrow_session::servers::{RunServers, ServerSurroundings};
use silcrow_settings::ServerNames;

/// Calls a tool, and prints the content of its result.
pub(crate) fn call(args: &CallToolArgs, options: &CallOptions) -> Result<(), Failure> {
    let call = written_call(args)?;
    print(&runtime::block_on(run(args, options, &call))?, args)
}

/// Returns the call with the arguments as they were typed.
fn written_call(args: &CallToolArgs) -> Result<Call, Failure> {
    let typed = match &*args.args {
        "-" => Input::open(Path::new("-"))?.text()?,
        typed => typed.to_owned(),
    };
    let body = format!("{{\"name\":{},\"args\":{}}}", Json::string(&args.name), typed.trim());
    let is_object = typed.trim_start().starts_with('{');
    Call::parse("a1", body).ok().filter(|_| is_object).ok_or_else(|| {
        let why = match serde_json::from_str::<serde::de::IgnoredAny>(&typed) {
            Err(why) => format!("are not JSON: {why}"),
            Ok(_) => "are no object".to_owned(),
        };
        let name = &args.name;
        Failure::given(format!("the arguments {why}; write them as '{{\"key\":\"value\"}}', and see silcrow tools for those of {name}"))
    })
}

/// Runs the call in a conversation and returns its result.
async fn run(
    args: &CallToolArgs,
    options: &CallOptions,
    call: &Call,
) -> Result<CallResult, Failure> {
    let place = StorePlace::choose(options.store.as_deref())?;
    let mut root = tools::protected_root(&args.root, &place)?;
    if let Some(policy) = &options.policy.file {
        root = root.with_protected(policy, "the policy of this call");
    }
    let (root, server_files) = tools::with_server_files(root, &options.servers, &args.root);
    let identity = root.identity().map_err(|error| {
        Failure::given(format!("cannot look at the root {}: {error}", args.root.display()))
    })?;
    let store = LateStore::default();
    let settings = ToolSettings {
        root: &root,
        folder: &args.root,
        place: &place,
        protected: server_files,
        journal: place.changes(),
        web: &options.web,
        store: store.clone(),
        is_sandbox_off: options.policy.is_sandbox_off,
    };
    let BuiltInTools { mut toolbox, level, .. } = BuiltInTools::new(settings)?;
    let servers = server_tools(args, options, &place, &mut toolbox).await?;
    let called = async {
        // What follows is one call, after which the servers end.
        call_in((args, options), call, &place, (toolbox, level, identity, store), servers.as_ref())
            .await
    };
    let done = called.await;
    if let Some(servers) = &servers {
        servers.close().await;
    }
    done
}

/// Starts the server of the called tool, if it is one of a server, and adds its tools.
async fn server_tools(
    args: &CallToolArgs,
    options: &CallOptions,
    place: &StorePlace,
    toolbox: &mut Toolbox,
) -> Result<Option<RunServers>, Failure> {
    let Some((server, _)) = args.name.split_once('.') else { return Ok(None) };
    let declared = options.servers.iter().find(|declared| declared.name == server);
    let Some(declared) = declared else {
        let hint = ServerNames::Declared(&options.servers).hint(&args.name).unwrap_or_default();
        return Err(Failure::given(format!("there is no tool `{}`: {hint}", args.name)));
    };
    let spill = place.spills().map(|spills| Arc::new(spills) as Arc<dyn Spill>);
    let surroundings = ServerSurroundings { spill, elicitor: None };
    let one = std::slice::from_ref(declared);
    let servers = RunServers::begin(one, &OfferedTools::default(), &args.root, surroundings);
    if let Some(line) = servers.settle(&CancellationToken::new()).await.into_iter().next() {
        servers.close().await;
        return Err(Failure::running(line));
    }
    // Each tool has its whole definition: nothing searches here.
    for tool in servers.servers().tools_where(|name| name == args.name) {
        toolbox.add(tool).map_err(|twice| Failure::running(twice.to_string()))?;
    }
    if toolbox.get(&args.name).is_none() {
        let all: Vec<_> =
            servers.servers().statuses().into_iter().flat_map(|one| one.tools).collect();
        let hint = match &closest_names(&args.name, all.iter().map(String::as_str))[..] {
            [] => format!("silcrow mcp test {server} lists those of the server"),
            names => format!("did you mean {}?", names.join(" or ")),
        };
        servers.close().await;
        return Err(Failure::given(format!("there is no tool `{}`; {hint}", args.name)));
    }
    Ok(Some(servers))
}

/// Makes the call in its conversation.
async fn call_in(
    (args, options): (&CallToolArgs, &CallOptions),
    call: &Call,
    place: &StorePlace,
    (toolbox, level, identity, store): (Toolbox, SandboxLevel, String, LateStore),
    servers: Option<&RunServers>,
) -> Result<CallResult, Failure> {
    if toolbox.get(&args.name).is_none() {
        let close = closest_names(&args.name, toolbox.names());
        let hint = match &close[..] {
            [] => "silcrow tools lists them".to_owned(),
            names => format!("did you mean {}?", names.join(" or ")),
        };
        return Err(Failure::given(format!("there is no tool `{}`; {hint}", args.name)));
    }
    let user = user(args.user.as_deref())?;
    let target = match (&args.conversation, &args.new) {
        (Some(id), _) => RunTarget::Existing(id.clone()),
        (None, Some(id)) => RunTarget::New(id.clone()),
        (None, None) => RunTarget::Fresh,
    };
    let policy = policy::policy(&options.policy, &args.allow, &args.root, &toolbox)?;
    let policy = Arc::new(policy.with_level(level).shared());
    let kept = policy::kept_file(&options.policy);
    let rules = kept.map(|file| KeptRules::new(&policy, &ToolPolicies::of(&toolbox), file));
    let opened = place.open(&host()).await?;
    store.set(opened.store());
    let conversation = target.resolve(&*opened.store(), user.as_deref(), &args.root).await?;
    let is_live = !args.json && live::is_possible();
    let lines = Arc::new(Mutex::new(Screen::new(
        Vec::new(),
        ConsoleOutput::of_process(),
        &console_options::plain(),
    )));
    let (live_desk, questions) = mpsc::channel(1);
    let desk = match is_live {
        true => QuestionDesk::Live(live_desk),
        false => QuestionDesk::Lines(LineDesk::new(&lines)),
    };
    let rules = rules.map(|rules| Arc::new(PersonRules(rules)) as _);
    let person = TerminalApprover::new(desk).keeping(rules);
    let calls = write(&[Event::Call(call.clone()), Event::Execute], Dialect::Sigil);
    let ends = write(&[Event::respond("The call has ended."), Event::End], Dialect::Sigil);
    let script = format!("{calls}\n%%\n{ends}");
    let agent = Agent::new(ScriptedModel::parse(&script, 0), opened.store())
        .with_approver(WithPermissions::new(policy, person))
        .with_root(&args.root, identity)
        .with_secrets(servers.map_or_else(known_secrets, RunServers::secrets))
        .with_tools(toolbox);
    let agent = match user {
        Some(user) => agent.with_user(user),
        None => agent,
    };
    let agent = match place.spills() {
        Some(spills) => agent.with_spill(spills),
        None => agent,
    };
    let cancel = CancellationToken::new();
    let interruption = interrupt::watch(cancel.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    let scope = Scope::new(&*conversation).with_cancellation(cancel);
    let handed = HandedCall { args, theme: options.theme, call, agent, scope };
    let (ended, result) = match is_live {
        true => handed.run_live(questions).await?,
        false => handed.run_in_lines(&lines).await?,
    };
    match (ended, result) {
        (Ok(RunOutcome::Interrupted), _) => Err(Failure::interrupted(interruption.signal())),
        (_, Some(result)) => Ok(result),
        (Err(error), None) => Err(Failure::running(error_chain(&error))),
        (Ok(_), None) => Err(Failure::running("the call has no result")),
    }
}

/// A call that can be made.
struct HandedCall<'a> {
    args: &'a CallToolArgs,
    theme: Option<ThemeName>,
    call: &'a Call,
    agent: Agent,
    scope: Scope,
}

/// The end of the run that made a call, and the result of the call.
type HandedEnd = (Result<RunOutcome, Error>, Option<CallResult>);

impl HandedCall<'_> {
    /// Makes the call on a terminal that the person watches.
    async fn run_live(self, questions: Receiver<LiveQuestion>) -> Result<HandedEnd, Failure> {
        let mut options = console_options::plain();
        options.theme = styles::theme(self.theme);
        options.thoughts = Thoughts::Off;
        // The content of the result follows on standard output.
        options.detail = Detail::Brief;
        // The content of the result has the difference.
        options.diff = DiffShown::Off;
        let terminal = LiveTerminal::of_process();
        let screen = LiveScreen::new(&self.args.name, terminal, &options);
        let screen = Arc::new(Mutex::new(screen));
        attend::lock(&screen).begin(&self.args.name);
        let mut result = None;
        let mut show = |output: RunEventRef<'_>| match output {
            RunEventRef::Entry(entry) if !takes(entry, &mut result) => {}
            output => attend::lock(&screen).show(output),
        };
        let (prompt, cancel) = (self.prompt(), self.scope.cancellation.clone());
        let mut runs = AttendedRuns::new(Arc::clone(&screen), questions);
        let run = self.agent.run(self.scope, &prompt, &mut show);
        let attended = runs.attend(run, &cancel, None).await;
        let AttendedEnd { ended, unsent, is_hung_up, .. } =
            attended.map_err(|error| keyless(&error))?;
        if is_hung_up {
            return Err(Failure::hung_up());
        }
        let mut screen = attend::lock(&screen);
        let finished = screen.finish().map(drop);
        for text in unsent {
            screen.show_line(&format!("not sent, because no model reads it: {text}"));
        }
        screen.draw();
        written(finished)?;
        Ok((ended, result))
    }

    /// Makes the call and prints lines, or JSON.
    async fn run_in_lines(self, screen: &Mutex<Screen>) -> Result<HandedEnd, Failure> {
        let mut printer = self.args.json.then(|| Printer::to_stdout(false));
        let mut result = None;
        let mut show = |output: RunEventRef<'_>| match (output, &mut printer) {
            (RunEventRef::Entry(entry), _) if !takes(entry, &mut result) => {}
            (RunEventRef::Entry(_), Some(printer)) => printer.show(output),
            (RunEventRef::Entry(_), None) => lock(screen).show(output),
            _ => {}
        };
        let prompt = self.prompt();
        let ended = self.agent.run(self.scope, &prompt, &mut show).await;
        match printer {
            Some(mut printer) => written(printer.finish())?,
            None => written(lock(screen).finish())?,
        }
        Ok((ended, result))
    }

    /// Returns the prompt that stands for the call in the log.
    fn prompt(&self) -> String {
        format!("silcrow tool {} {}", self.call.name(), self.call.args())
    }
}

/// Keeps the first result, and returns whether an entry is shown.
fn takes(entry: &Entry, result: &mut Option<CallResult>) -> bool {
    if let Event::Result(outcome) = &entry.event {
        result.get_or_insert_with(|| outcome.clone());
    }
    !is_of_script(&entry.event)
}

/// Returns whether an event is only there because a script stands in for a model.
const fn is_of_script(event: &Event) -> bool {
    matches!(event, Event::User { .. } | Event::Respond(_) | Event::Metric(_) | Event::End)
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
