//! Opens the manifest of `--manifest`, which declares agents, relics, workflows and models to call.
//!
//! `silcrow_manifest` reads and checks it. This module looks it up in the person's record of trust,
//! has the program ask about an unknown one, and determines which servers it may name.

use std::future::ready;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_manifest::{
    DeclaredManifest, KnownTools, Manifest, ManifestParts, ServerToolNames, ServerToolSource,
    TrustedManifest,
};
use silcrow_parser::Dialect;
use silcrow_provider::Provider;
use silcrow_settings::{ServerNames, TrustRecord, TrustStatus, hash};
use silcrow_store::Store;
use silcrow_tool::{Tool, ToolSource, Toolbox};

use crate::error::{Error, ErrorKind};
use crate::host::SessionHost;
use crate::model::{self, ModelSettings};
use crate::options::WebOptions;
use crate::plan_mode::ModeTools;
use crate::servers::RunServers;
use crate::services::SessionServices;
use crate::session_mode::SessionMode;

/// Reads a manifest, and asks the person about one that is not trusted. `tools` are the built-in
/// tools, and those that servers may have.
pub(crate) fn open(
    file: &Path,
    dialect: Dialect,
    (tools, servers): (&Toolbox, ServerNames<'_>),
    settings: &ModelSettings,
    web: &WebOptions,
    host: &dyn SessionHost,
) -> Result<Manifest, Error> {
    let declared = read(file, dialect, tools, servers)?;
    check_servers(&declared, &settings.chosen)?;
    let trusted = confirm(declared, host)?;
    let open = |name: &str| {
        model::choose(name, settings, None, host).map_err(|error| error.message().to_owned())
    };
    let manifest = trusted.open_by(open).map_err(|error| failure(&error))?;
    manifest.with_services(&SessionServices { web }).map_err(|error| failure(&error))
}

/// Returns the person's agent with its tools and with everything that a manifest declares.
pub(crate) fn equip(
    agent: Agent,
    (tools, servers): (Toolbox, ManifestServers),
    manifest: Manifest,
    provider: Arc<dyn Provider>,
    store: Arc<dyn Store>,
) -> Agent {
    let servers = Arc::new(servers) as _;
    manifest.equip(agent, ManifestParts::new(tools, provider, store).with_servers(Some(servers)))
}

/// Looks a manifest up in the person's record, and has the program ask about one that is not in it.
fn confirm(declared: DeclaredManifest, host: &dyn SessionHost) -> Result<TrustedManifest, Error> {
    let record = TrustRecord::find()?;
    let (path, hash) = (declared.path(), hash(declared.text().as_bytes()));
    let standing = record.standing(path, &hash)?;
    if standing == TrustStatus::Trusted {
        return Ok(declared.trust());
    }
    let name = path.display();
    match host.trusts_manifest(&declared, standing)? {
        Some(true) => {
            record.trust(path, &hash)?;
            Ok(declared.trust())
        }
        Some(false) => Err(untrusted(format!("{name} is not trusted, and nothing was run"))),
        None => {
            let (why, next) = (standing.reason(), "read it, then run silcrow manifest trust");
            Err(untrusted(format!("{name} {why}; {next} {name}")))
        }
    }
}

fn untrusted(message: String) -> Error {
    Error::new(ErrorKind::Untrusted, message)
}

/// Reads and checks a manifest, trusted or not. `tools` are the tools that it may name besides its
/// servers' tools.
///
/// # Errors
///
/// Returns an error if it cannot be read, or if something in it is wrong.
pub fn read(
    file: &Path,
    dialect: Dialect,
    tools: &Toolbox,
    servers: ServerNames<'_>,
) -> Result<DeclaredManifest, Error> {
    let names = ManifestNames(servers);
    let known = KnownTools::new(tools).with_servers(&names);
    DeclaredManifest::read(file, dialect, &known).map_err(|error| failure(&error))
}

/// Returns a failure for a server that is not on this machine, unless the person `chose` a model
/// there or has a key for it. So a manifest cannot decide where conversations are sent.
fn check_servers(declared: &DeclaredManifest, chose: &str) -> Result<(), Error> {
    for (field, server) in declared.remote_servers() {
        if !model::may_go_to(server.as_str(), chose)? {
            let why = format!(
                "a manifest may ask servers of this machine, the server that --model or SILCROW_MODEL \
                 names, and those that SILCROW_COMPATIBLE_KEY has a key for (HOST=KEY), and not {}",
                server.origin().ascii_serialization(),
            );
            return Err(failure(&declared.server_error(&field, &why)));
        }
    }
    Ok(())
}

fn failure(error: &silcrow_manifest::Error) -> Error {
    Error::given(error.to_string())
}

/// The names that tools of the person's servers may have.
struct ManifestNames<'a>(ServerNames<'a>);

impl ServerToolNames for ManifestNames<'_> {
    fn has(&self, tool: &str) -> bool {
        self.0.has(tool)
    }

    fn hint(&self, tool: &str) -> Option<String> {
        self.0.hint(tool)
    }
}

/// The servers of a run, if there are any, for the agents of a manifest. The person's agent also
/// has the tools of the mode.
pub(crate) struct ManifestServers {
    servers: Option<RunServers>,
    mode: SessionMode,
    store: Arc<dyn Store>,
}

impl ManifestServers {
    pub(crate) fn new(
        servers: Option<RunServers>,
        mode: &SessionMode,
        store: &Arc<dyn Store>,
    ) -> Self {
        Self { servers, mode: mode.clone(), store: Arc::clone(store) }
    }
}

impl ServerToolSource for ManifestServers {
    fn all(&self) -> Arc<dyn ToolSource> {
        let person = self.servers.as_ref().and_then(RunServers::elicitor);
        let servers = self.servers.as_ref().map(RunServers::tools);
        Arc::new(ModeTools::new(servers, &self.mode, &self.store, person))
    }

    fn named(&self, names: Vec<String>) -> Arc<dyn ToolSource> {
        match &self.servers {
            Some(servers) => Arc::new(servers.tools_named(names)),
            None => Arc::new(NoTools),
        }
    }
}

/// A source without tools.
pub(crate) struct NoTools;

impl ToolSource for NoTools {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        ready(Arc::default()).boxed()
    }
}
