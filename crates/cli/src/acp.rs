//! `silcrow acp`, which lets an editor run the agent over standard input and output.
//!
//! Each prompt has an agent of its own, made as `silcrow run` makes one in the folder of the session.

mod elicitor;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_acp::{AcpChoice, AcpHost, AcpOption, AcpPerson, AcpSession, serve};
use silcrow_agent::Agent;
use silcrow_exec::CancellationToken;
use silcrow_mcp::Elicitor;
use silcrow_policy::PermissionMode;
use silcrow_provider::Effort;
use silcrow_store::Store;
use tokio::io::{stdin, stdout};
use tokio::runtime::Builder;

use crate::active::{ActiveRun, ClaimAttempt};
use crate::args::Command;
use crate::config::SettingsReader;
use crate::damage::ToldDamage;
use crate::failure::Failure;
use crate::help;
use crate::log;
use crate::mcp::{SessionServers, add_servers_of_editor};
use crate::options::AskOptions;
use crate::places::{self, OpenStore, StorePlace, new_conversation};
use crate::setup::AgentSetup;
use crate::telemetry;
use elicitor::EditorElicitor;

/// Serves an editor until it closes standard input.
pub(crate) fn acp(options: AskOptions) -> Result<(), Failure> {
    let setup = AgentSetup::new(&options)?;
    for notice in setup.notices() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "{notice}");
    }
    let failed = |error: io::Error| Failure::running(format!("cannot serve the editor: {error}"));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let served = runtime.block_on(async {
        let opened = setup.open().await?;
        if let Some(line) = ToldDamage::default().news(&*opened.store()).await {
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "silcrow: {line}");
        }
        telemetry::start(&options.telemetry);
        let host = Arc::new(EditorHost::new(&options, setup, opened));
        let served = serve(Arc::clone(&host), stdin(), stdout()).await.map_err(failed);
        host.servers.close().await;
        // What the agents have to send is complete without them.
        drop(host);
        telemetry::finish(options.show.verbose).await;
        served
    });
    // The process does not wait for a read of standard input that nobody needs.
    runtime.shutdown_background();
    served
}

/// The agents of this command.
struct EditorHost {
    opened: OpenStore,
    place: StorePlace,
    user: Option<String>,
    modes: Vec<AcpChoice>,
    options: Vec<AcpOption>,
    servers: SessionServers,
    elicitor: Arc<EditorElicitor>,
}

impl EditorHost {
    fn new(args: &AskOptions, setup: AgentSetup, opened: OpenStore) -> Self {
        let begins_with = setup.permission_mode();
        let modes = PermissionMode::ALL.map(|mode| AcpChoice {
            id: mode.as_str().to_owned(),
            name: mode.as_str().to_owned(),
            description: described(mode).to_owned(),
        });
        let mut modes = modes.to_vec();
        modes.sort_by_key(|mode| mode.id != begins_with.as_str());
        let effort = args.sampling.effort.map(Effort::as_str);
        let options = vec![
            option("effort", "Effort", &EFFORTS, effort),
            option("dialect", "Dialect", &DIALECTS, Some(args.dialect.as_str())),
        ];
        Self {
            opened,
            place: setup.place,
            user: setup.user,
            modes,
            options,
            servers: SessionServers::default(),
            elicitor: Arc::default(),
        }
    }

    /// Reads the arguments of this process again for a session, with the settings of its folder.
    fn args(session: &AcpSession) -> Result<AskOptions, Failure> {
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
        let read = help::parse(&typed);
        let args = read.map_err(|error| Failure::given(error.to_string()))?;
        let profile = args.profile.as_deref();
        let reader = SettingsReader { profile, asks: false, is_quiet: false };
        match &args.command {
            Command::Acp(args) => reader.options(&args.agent),
            _ => Err(Failure::running("this process is not silcrow acp")),
        }
    }

    async fn make(&self, session: &AcpSession, person: &Arc<AcpPerson>) -> Result<Agent, Failure> {
        let mut args = Self::args(session)?;
        let unusable = add_servers_of_editor(&mut args.servers, &session.servers);
        let mut setup = AgentSetup::new(&args)?;
        let store = self.opened.store();
        setup.use_store(Arc::clone(&store));
        setup.read_profile(&*store).await;
        self.elicitor.meet(&session.id, person);
        // Without forms, servers read at their start that nobody can be asked.
        let elicitor =
            person.fills_forms().then(|| Arc::clone(&self.elicitor) as Arc<dyn Elicitor>);
        let servers = self.servers.of(&mut setup, &args, elicitor);
        let missing = servers.settle(&CancellationToken::new()).await;
        for line in unusable.into_iter().chain(missing) {
            person.tell_once(&line).await;
        }
        Ok(setup.agent(&args, store, person.approver()))
    }

    async fn remove(&self, conversation: &str) -> Result<(), Failure> {
        let store = self.opened.store();
        let list = store.list(None).await.map_err(|error| places::failure(&error))?;
        let inside = log::inside(&*store, conversation, &list).await?;
        let all: Vec<_> = inside.iter().map(|id| &**id).chain([conversation]).collect();
        log::remove(&*store, &self.place, &all).await.map(drop)
    }
}

impl AcpHost for EditorHost {
    fn store(&self) -> Arc<dyn Store> {
        self.opened.store()
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
        let claimed = ActiveRun::attempt(&self.place, &session.id, &session.folder, prompt);
        match claimed.map_err(|failure| failure.message().to_owned())? {
            ClaimAttempt::Claimed(run) => Ok(Box::new(run)),
            ClaimAttempt::Taken(other) => Err(other.failure(&session.id).message().to_owned()),
        }
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let removed = self.remove(conversation).await;
            removed.map_err(|failure| failure.message().to_owned())
        }
        .boxed()
    }

    fn user(&self) -> Option<&str> {
        self.user.as_deref()
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

/// Returns an option whose first value is the one that counts without a choice.
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
        PermissionMode::ReadOnly => "nothing changes, and nothing is sent out",
        PermissionMode::Ask => "asks before anything changes or is sent out",
        PermissionMode::Workspace => {
            "changes files of the folder and runs confined commands unasked"
        }
        PermissionMode::Full => "runs everything that no rule denies or asks about",
    }
}

/// The value of an option that leaves it to the settings.
const DEFAULT: &str = "default";

const EFFORTS: [(&str, &str); 6] = [
    ("none", "no thoughts beside the answer"),
    ("minimal", "as few thoughts as possible"),
    ("low", "few thoughts"),
    ("medium", "some thoughts"),
    ("high", "many thoughts"),
    ("max", "as many thoughts as the model can have"),
];

const DIALECTS: [(&str, &str); 3] = [
    ("sigil", "a word after a section sign begins each part"),
    ("phase", "tags around thoughts, lists of calls and answers"),
    ("action", "a tag for each call, with what it depends on"),
];
