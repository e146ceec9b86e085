//! One call of a tool, which a person makes instead of a model.
//!
//! The call goes through an agent whose model is a script that makes this one call. So it has the same
//! approvals, limits, log and record of changes as a model's call.

use std::sync::Arc;

use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{Call, CallResult, Event, Json, RunEventRef};
use silcrow_parser::{Dialect, write};
use silcrow_provider::ScriptedModel;
use silcrow_settings::{OfferedTools, ServerNames};
use silcrow_tool::{
    Approver, CancellationToken, Scope, Spill, Tool, Toolbox, WithPermissions, closest_names,
};

use crate::decoder::ConfinedDecoder;
use crate::error::Error;
use crate::options::SessionOptions;
use crate::servers::{RunServers, ServerSurroundings};
use crate::session::AgentSession;

/// One call that a person makes.
///
/// ```
/// # use std::sync::Arc;
/// use silcrow_session::{AgentSession, OneCall, SessionHost, SessionOptions};
/// use silcrow_tool::{DenyAll, Scope};
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-call-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # std::fs::write(folder.join("notes.md"), "Buy bread.").unwrap();
/// # let root = folder.clone();
/// # let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let call = OneCall::parse("file_read", r#"{"file":"notes.md"}"#)?;
/// let mut options = SessionOptions::new(root);
/// options.store = Some("memory".into());
/// let mut session = AgentSession::open(OneCall::options(options), &host).await?;
/// let tool = call.find(&mut session).await?;
/// let agent = call.agent(&session, tool, DenyAll)?;
/// let scope = Scope::new(session.conversation());
/// let mut result = None;
/// call.perform(&agent, scope, &mut result, &mut |_| {}).await.unwrap();
/// session.finish().await;
/// assert!(result.unwrap().content.text().contains("Buy bread."));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<_, silcrow_session::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct OneCall(Call);

impl OneCall {
    /// Reads the arguments of a call, which are a JSON object.
    ///
    /// # Errors
    ///
    /// Returns an error if they are anything else.
    pub fn parse(name: &str, args: &str) -> Result<Self, Error> {
        let body = format!("{{\"name\":{},\"args\":{}}}", Json::string(name), args.trim());
        let is_object = args.trim_start().starts_with('{');
        Call::parse("a1", body).ok().filter(|_| is_object).map(Self).ok_or_else(|| {
            let why = match serde_json::from_str::<serde::de::IgnoredAny>(args) {
                Err(why) => format!("are not JSON: {why}"),
                Ok(_) => "are not an object".to_owned(),
            };
            Error::given(format!(
                "the arguments {why}; write them as '{{\"key\":\"value\"}}', and see \
                 silcrow tools for the arguments of {name}"
            ))
        })
    }

    /// Returns options for a session in which only calls are made: it asks no model, and reads no
    /// instructions.
    #[must_use]
    pub fn options(mut options: SessionOptions) -> SessionOptions {
        options.model = Some(silcrow_models::REHEARSAL.to_owned());
        options.instructions.reads_files = false;
        options.title_model = None;
        options
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Finds the tool. If it belongs to a server, the server is started for that, and the session
    /// ends it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such tool, or if its server does not start.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn find(&self, session: &mut AgentSession) -> Result<Arc<dyn Tool>, Error> {
        let (name, options) = (self.name(), session.options());
        let Some((server, _)) = name.split_once('.') else {
            let tools = &session.setup().tools;
            return tools.get(name).cloned().ok_or_else(|| no_tool(name, tools.names(), LISTED));
        };
        let declared = options.servers.iter().find(|declared| declared.name == server);
        let Some(declared) = declared else {
            let hint = ServerNames::Declared(&options.servers).hint(name).unwrap_or_default();
            return Err(Error::given(format!("unknown tool `{name}`; {hint}")));
        };
        let spill = session.place().spills().map(|spills| Arc::new(spills) as Arc<dyn Spill>);
        let decoder = ConfinedDecoder { is_sandbox_off: session.is_sandbox_off() };
        let surroundings = ServerSurroundings { spill, decoder, elicitor: None };
        let one = std::slice::from_ref(declared);
        let none = OfferedTools::default();
        let servers = RunServers::begin(one, &none, &options.root, surroundings);
        session.use_servers(&servers);
        if let Some(line) = servers.settle(&CancellationToken::new()).await.into_iter().next() {
            return Err(Error::failed(line));
        }
        // The tool has its whole definition: nothing searches here.
        let found = servers.servers().tools_where(|one| one == name).into_iter().next();
        found.ok_or_else(|| {
            let all = servers.servers().statuses().into_iter().flat_map(|one| one.tools);
            let all: Vec<_> = all.collect();
            let lists = format!("silcrow mcp test {server} lists the server's tools");
            no_tool(name, all.iter().map(String::as_str), &lists)
        })
    }

    /// Makes the agent that makes the call with a tool that was found. It asks `approver` if the policy
    /// leaves the call open.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool has the name of another.
    pub fn agent(
        &self,
        session: &AgentSession,
        tool: Arc<dyn Tool>,
        approver: impl Approver + 'static,
    ) -> Result<Agent, Error> {
        let (setup, store) = (session.setup(), session.store());
        let mut tools: Toolbox = setup.tools.clone();
        if tools.get(tool.name()).is_none() {
            tools.add(tool).map_err(|twice| Error::failed(twice.to_string()))?;
        }
        let calls = write(&[Event::Call(self.0.clone()), Event::Execute], Dialect::Sigil);
        let ends = write(&[Event::respond("The call has ended."), Event::End], Dialect::Sigil);
        let script = ScriptedModel::parse(&format!("{calls}\n%%\n{ends}"), 0);
        let permissions = Arc::clone(setup.permissions.policy());
        let agent = Agent::new(script, store)
            .with_approver(WithPermissions::new(permissions, approver))
            .with_root(&setup.options.root, setup.root_identity.clone())
            .with_secrets(session.secrets())
            .with_tools(tools);
        let agent = setup.user.clone().into_iter().fold(agent, Agent::with_user);
        let spills = setup.place.spills();
        Ok(spills.into_iter().fold(agent, Agent::with_spill))
    }

    /// Makes the call. `result` is its result once the call has one, and `emit` gets each event
    /// except those that exist only because a script stands in for a model.
    ///
    /// # Errors
    ///
    /// Returns the error of the run, which may come after the result.
    pub async fn perform(
        &self,
        agent: &Agent,
        scope: Scope,
        result: &mut Option<CallResult>,
        emit: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, silcrow_agent::Error> {
        // The entry that stands for the call in the log.
        let prompt = format!("silcrow tool {} {}", self.name(), self.0.args());
        let mut show = |output: RunEventRef<'_>| {
            if let RunEventRef::Entry(entry) = output {
                if let Event::Result(outcome) = &entry.event {
                    result.get_or_insert_with(|| outcome.clone());
                }
                if is_of_script(&entry.event) {
                    return;
                }
            }
            emit(output);
        };
        agent.run(scope, &prompt, &mut show).await
    }
}

/// Returns whether an event exists only because a script stands in for a model.
const fn is_of_script(event: &Event) -> bool {
    matches!(event, Event::User { .. } | Event::Respond(_) | Event::Metric(_) | Event::End)
}

fn no_tool<'n>(name: &str, all: impl IntoIterator<Item = &'n str>, lists: &str) -> Error {
    let hint = match &closest_names(name, all)[..] {
        [] => lists.to_owned(),
        names => format!("did you mean {}?", names.join(" or ")),
    };
    Error::given(format!("unknown tool `{name}`; {hint}"))
}

/// The hint about the built-in tools.
const LISTED: &str = "silcrow tools lists them";
