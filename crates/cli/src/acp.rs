//! `silcrow acp`, which lets an editor run the agent over standard input and output.
//!
//! Each prompt has its own agent, made as `silcrow run` makes one in the folder of the session.

mod elicitor;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_acp::{AcpChoice, AcpCommand, AcpHost, AcpOption, AcpPerson, AcpSession, serve};
use silcrow_agent::Agent;
use silcrow_event::Content;
use silcrow_interactive::AskOptions;
use silcrow_mcp::Elicitor;
use silcrow_media::MediaDecoder;
use silcrow_policy::PermissionMode;
use silcrow_provider::Effort;
use silcrow_session::SharedServers;
use silcrow_session::claim::ActiveRun;
use silcrow_session::prompt::PromptDraft;
use silcrow_session::{
    AgentSession, ConfinedDecoder, Deletion, SessionSetup, finish_telemetry, start_telemetry,
};
use silcrow_store::Store;
use silcrow_tool::CancellationToken;
use tokio::io::{stdin, stdout};

use crate::damage::ToldDamage;
use crate::failure::Failure;
use crate::host::{host, notice};
use crate::mcp::add_servers_of_editor;
use crate::places::new_conversation;
use crate::runtime;
use elicitor::EditorElicitor;

/// Reads the words that start this command.
type OptionsReader = fn(&[OsString]) -> Result<AskOptions, Failure>;

/// Serves an editor until it closes standard input. `reader` reads the options of a session.
pub(crate) fn acp(options: AskOptions, reader: OptionsReader) -> Result<(), Failure> {
    let setup = SessionSetup::check(options.session.clone(), &host())?;
    for notice in setup.notices() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "{notice}");
    }
    let failed = |error: io::Error| Failure::running(format!("cannot serve the editor: {error}"));
    runtime::block_on(async {
        let session = setup.open().await?;
        if let Some(line) = ToldDamage::default().news(&*session.store()).await {
            notice(&line);
        }
        start_telemetry(&options.session.telemetry, &*host());
        let editor = Arc::new(EditorHost::new(&options, session, reader));
        let served = match serve(Arc::clone(&editor), stdin(), stdout()).await {
            // An editor that has left reads nothing more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            served => served.map_err(failed),
        };
        editor.servers.close().await;
        // Without the agents, their telemetry is complete.
        drop(editor);
        let lost = finish_telemetry().await;
        lost.iter().filter(|_| options.show.verbose).for_each(|line| notice(line));
        served
    })
}

/// The agents of this command.
struct EditorHost {
    /// The session of the folder in which the editor started this process.
    session: AgentSession,
    reader: OptionsReader,
    modes: Vec<AcpChoice>,
    options: Vec<AcpOption>,
    servers: SharedServers,
    elicitor: Arc<EditorElicitor>,
}

impl EditorHost {
    fn new(args: &AskOptions, session: AgentSession, reader: OptionsReader) -> Self {
        let begins_with = session.mode().mode();
        let modes = PermissionMode::ALL.map(|mode| AcpChoice {
            id: mode.as_str().to_owned(),
            name: mode.as_str().to_owned(),
            description: described(mode).to_owned(),
        });
        let mut modes = modes.to_vec();
        modes.sort_by_key(|mode| mode.id != begins_with.as_str());
        let effort = args.session.sampling.effort.map(Effort::as_str);
        let options = vec![
            option("effort", "Effort", &EFFORTS, effort),
            option("dialect", "Dialect", &DIALECTS, Some(args.session.dialect.as_str())),
        ];
        Self {
            session,
            reader,
            modes,
            options,
            servers: SharedServers::default(),
            elicitor: Arc::default(),
        }
    }

    /// Reads the arguments of this process again for a session, with the settings of its folder.
    fn args(&self, session: &AcpSession) -> Result<AskOptions, Failure> {
        let mut typed: Vec<OsString> = env::args_os().collect();
        typed.extend(["--root".into(), session.folder.clone().into_os_string()]);
        let mut add = |flag: &str, value: Option<&String>| {
            if let Some(value) = value.filter(|value| *value != DEFAULT) {
                typed.push(format!("--{flag}={value}").into());
            }
        };
        add("permissions", session.mode.as_ref());
        add("effort", session.options.get("effort"));
        add("dialect", session.options.get("dialect"));
        (self.reader)(&typed)
    }

    async fn make(&self, session: &AcpSession, person: &Arc<AcpPerson>) -> Result<Agent, Failure> {
        let mut options = self.args(session)?.session;
        let unusable = add_servers_of_editor(&mut options.servers, &session.servers);
        let setup = SessionSetup::check(options, &host())?;
        let mut made = setup.with_store(self.session.opened().clone());
        made.read_profile().await;
        self.elicitor.meet(&session.id, person);
        // Without forms, servers read at their start that nobody can be asked.
        let elicitor =
            person.fills_forms().then(|| Arc::clone(&self.elicitor) as Arc<dyn Elicitor>);
        let servers = self.servers.for_session(&mut made, elicitor);
        let missing = servers.settle(&CancellationToken::new()).await;
        for line in unusable.into_iter().chain(missing) {
            person.tell_once(&line).await;
        }
        Ok(made.agent(person.approver()))
    }

    /// Reads the options of a session's folder, which say which skills and commands it has.
    fn setup(&self, session: &AcpSession) -> Result<SessionSetup, Failure> {
        Ok(SessionSetup::check(self.args(session)?.session, &host())?)
    }

    async fn remove(&self, conversation: &str) -> Result<(), Failure> {
        let store = self.session.store();
        let deletion = Deletion::plan(&*store, conversation).await?;
        deletion.perform(&*store, self.session.place()).await?;
        Ok(())
    }
}

impl AcpHost for EditorHost {
    fn store(&self) -> Arc<dyn Store> {
        self.session.store()
    }

    fn new_id(&self) -> String {
        new_conversation()
    }

    fn agent<'a>(
        &'a self,
        session: &'a AcpSession,
        person: &'a Arc<AcpPerson>,
    ) -> BoxFuture<'a, Result<Agent, String>> {
        let made = self.make(session, person);
        async move { made.await.map_err(|failure| failure.message().to_owned()) }.boxed()
    }

    fn claim(&self, session: &AcpSession, prompt: &str) -> Result<Box<dyn Send>, String> {
        let place = self.session.place();
        let claimed = ActiveRun::claim(place, &session.id, &session.folder, prompt);
        match claimed {
            Ok(run) => Ok(Box::new(run)),
            Err(error) => Err(error.message().to_owned()),
        }
    }

    fn check_folder(&self, folder: &Path) -> Result<(), String> {
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(format!("`{}` is not a folder; open one", folder.display())),
            Err(why) => Err(format!("cannot open the folder {}: {why}", folder.display())),
        }
    }

    fn commands(&self, session: &AcpSession) -> Vec<AcpCommand> {
        // Settings that cannot be used are an error of the first prompt.
        let Ok(setup) = self.setup(session) else { return Vec::new() };
        let prompts = setup.skills().prompts().into_iter();
        let commands = prompts.map(|prompt| AcpCommand {
            name: prompt.name.to_owned(),
            description: prompt.about.to_owned(),
            hint: Some(prompt.hint.unwrap_or(ANY_WORDS).to_owned()),
        });
        commands.collect()
    }

    fn expand(
        &self,
        session: &AcpSession,
        name: &str,
        words: &str,
    ) -> Option<Result<Content, String>> {
        let setup = self.setup(session).ok()?;
        let skills = setup.skills();
        if !skills.has(name) {
            return None;
        }
        let (root, servers) = (&setup.options().root, &setup.options().servers);
        let draft = skills.draft(name, words, root, servers);
        let expanded = draft.and_then(PromptDraft::build);
        Some(expanded.map(|built| built.content).map_err(|error| error.message().to_owned()))
    }

    fn decoder(&self) -> Arc<dyn MediaDecoder> {
        let is_sandbox_off = self.session.is_sandbox_off();
        Arc::new(ConfinedDecoder { is_sandbox_off })
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let removed = self.remove(conversation).await;
            removed.map_err(|failure| failure.message().to_owned())
        }
        .boxed()
    }

    fn user(&self) -> Option<&str> {
        self.session.user()
    }

    fn starts_servers(&self) -> bool {
        true
    }

    fn modes(&self) -> &[AcpChoice] {
        &self.modes
    }

    fn options(&self) -> &[AcpOption] {
        &self.options
    }
}

/// Returns an option whose first value is the default.
fn option(id: &str, name: &str, values: &[(&str, &str)], first: Option<&str>) -> AcpOption {
    let mut choices: Vec<_> = values
        .iter()
        .map(|(id, description)| AcpChoice {
            id: (*id).to_owned(),
            name: (*id).to_owned(),
            description: (*description).to_owned(),
        })
        .collect();
    if first.is_none() {
        let description = "as the settings say, or as the model does by itself".to_owned();
        let (id, name) = (DEFAULT.to_owned(), DEFAULT.to_owned());
        choices.insert(0, AcpChoice { id, name, description });
    }
    choices.sort_by_key(|choice| first.is_some_and(|first| choice.id != first));
    AcpOption { id: id.to_owned(), name: name.to_owned(), choices }
}

const fn described(mode: PermissionMode) -> &'static str {
    match mode {
        PermissionMode::Plan => "nothing changes until a plan is accepted",
        PermissionMode::ReadOnly => "nothing changes, and nothing is sent out",
        PermissionMode::Ask => "asks before anything changes or is sent out",
        PermissionMode::Workspace => {
            "changes files of the folder and runs confined commands unasked"
        }
        PermissionMode::Full => "runs everything that no rule denies or asks about",
    }
}

/// The hint of a command that says nothing about its words.
const ANY_WORDS: &str = "anything else to say";

/// The value of an option that leaves it to the settings.
const DEFAULT: &str = "default";

const EFFORTS: [(&str, &str); 7] = [
    ("none", "no thoughts beside the answer"),
    ("minimal", "as few thoughts as possible"),
    ("low", "few thoughts"),
    ("medium", "some thoughts"),
    ("high", "many thoughts"),
    ("xhigh", "very many thoughts"),
    ("max", "as many thoughts as the model can have"),
];

const DIALECTS: [(&str, &str); 3] = [
    ("sigil", "a word after a section sign begins each part"),
    ("phase", "tags around thoughts, lists of calls and answers"),
    ("action", "a tag for each call, with what it depends on"),
];
