//! A manifest that was read and checked, but is not trusted yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use silcrow_event::{Call, CallKind};
use silcrow_parser::Dialect;
use silcrow_plan::ControlStep;
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::flow::ReadyWorkflow;
use crate::named_model::{ModelLocation, NamedModel};
use crate::names::{CallableNames, KnownTools};
use crate::relic::ReadyRelic;
use crate::thinking::missing;
use crate::toml_text::TomlText;
use crate::written::WrittenManifest;

/// A manifest in which every name is known and every plan can run, trusted or not.
///
/// Reading a manifest runs nothing, asks no questions and opens no model. Its declarations act in
/// the name of the person, who should read [`facts`](Self::facts) before trusting it
/// ([`trust`](Self::trust)).
///
/// ```
/// use silcrow_manifest::{DeclaredManifest, KnownTools};
/// use silcrow_parser::Dialect;
/// use silcrow_tool::Toolbox;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-declared-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let file = folder.join("silcrow.toml");
/// std::fs::write(&file, "[agents.reader]\ndescription = \"Reads.\"\ntools = [\"file_raed\"]")?;
/// let error = DeclaredManifest::read(&file, Dialect::Action, &KnownTools::new(&Toolbox::new()));
/// let message = error.unwrap_err().to_string();
/// assert!(message.contains("line 3, `agents.reader.tools[0]`: unknown tool `file_raed`"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<_, std::io::Error>(())
/// ```
pub struct DeclaredManifest {
    /// The path as the caller wrote it, for messages.
    name: String,
    /// The absolute path without links.
    path: PathBuf,
    text: String,
    pub(crate) written: WrittenManifest,
    pub(crate) flows: BTreeMap<String, ReadyWorkflow>,
    pub(crate) relics: BTreeMap<String, ReadyRelic>,
    pub(crate) models: Vec<NamedModel>,
}

/// The names that a person reads before they trust a manifest, each once and in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManifestFacts {
    /// The agents that are declared.
    pub agents: BTreeSet<String>,
    /// The workflows that are declared.
    pub workflows: BTreeSet<String>,
    /// The models without tools that are declared.
    pub llm: BTreeSet<String>,
    /// The relics that are declared.
    pub relics: BTreeSet<String>,
    /// The models that are named, without the addresses of servers.
    pub models: BTreeSet<String>,
    /// The files with answers of models, as absolute paths.
    pub files: BTreeSet<String>,
    /// The origins of the servers of models.
    pub servers: BTreeSet<String>,
    /// The tools that agents and workflows call, and other names of tools.
    pub tools: BTreeSet<String>,
    /// The variables of the environment with keys and addresses of services.
    pub variables: BTreeSet<String>,
}

impl ManifestFacts {
    /// Adds the things beyond the conversation that a relic reaches.
    fn add_service(&mut self, relic: &ReadyRelic) {
        match relic {
            ReadyRelic::Http(declared) => {
                let origin = declared.base.origin().ascii_serialization();
                if let Some(key) = &declared.key {
                    self.variables.insert(format!("{} (sent to {origin})", key.variable));
                }
                self.servers.insert(origin);
            }
            ReadyRelic::Sql(declared) => drop(self.variables.insert(declared.variable.clone())),
            ReadyRelic::Server(server) => drop(self.tools.insert(format!("{server}.*"))),
            ReadyRelic::KeyValue => {}
        }
    }
}

impl DeclaredManifest {
    /// Reads and checks a file. In dialects other than [`Dialect::Action`] everything is called as
    /// a tool, so all names must differ. For a check without a run, use [`Dialect::Action`], which
    /// accepts the most.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::File`] for a file that cannot be read, and one of
    /// [`ErrorKind::Invalid`] with the line and the field for everything that is wrong in it.
    pub fn read(file: &Path, dialect: Dialect, known: &KnownTools<'_>) -> Result<Self, Error> {
        let name = file.display().to_string();
        let path = file.canonicalize().map_err(|error| unreadable(&name, &error))?;
        let text = text_of(&path, &name)?;
        let source = TomlText::parse(&name, &text)?;
        let written: WrittenManifest = source.read()?;
        let names = CallableNames::new(&source, &written, known)?;
        if dialect != Dialect::Action {
            names.check_apart(&source)?;
        }
        check_agents(&source, &written, &names)?;
        check_thinking(&source, &written)?;
        let mut relics = BTreeMap::new();
        for (relic, declared) in &written.relics {
            relics.insert(relic.clone(), ReadyRelic::read(&source, relic, declared)?);
        }
        for (alias, tool) in &written.aliases {
            names.check_target(&source, &format!("aliases.{alias}"), tool)?;
        }
        let mut flows = BTreeMap::new();
        for (flow, declared) in &written.workflows {
            flows.insert(flow.clone(), ReadyWorkflow::read(&source, flow, declared, &names)?);
        }
        let models = NamedModel::all(&source, &written, path.parent().unwrap_or(&path))?;
        Ok(Self { name, path, text, written, flows, relics, models })
    }

    /// Returns the absolute path of the file, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of the file, which trust is about.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the servers of models that are not on this machine, each with the field that names it.
    /// A file should not decide alone where conversations are sent.
    pub fn remote_servers(&self) -> impl Iterator<Item = (String, &Url)> {
        self.models.iter().filter_map(|named| Some((named.field(), named.remote_server()?)))
    }

    /// Returns the error about a server that the caller does not allow, with its line and its field.
    pub fn server_error(&self, field: &str, why: &str) -> Error {
        self.wrong(field, why).with_kind(ErrorKind::Server)
    }

    /// Returns the declarations of the manifest, and the things that it reaches.
    pub fn facts(&self) -> ManifestFacts {
        fn keys<T>(table: &BTreeMap<String, T>) -> BTreeSet<String> {
            table.keys().cloned().collect()
        }
        let WrittenManifest { agents, relics, workflows, llm, aliases } = &self.written;
        let mut facts = ManifestFacts {
            agents: keys(agents),
            workflows: keys(workflows),
            llm: keys(llm),
            relics: keys(relics),
            ..ManifestFacts::default()
        };
        facts.tools.extend(agents.values().flat_map(|agent| agent.tools.iter().cloned()));
        let steps = self.flows.values().flat_map(|flow| &flow.steps);
        let calls = steps.flat_map(ControlStep::calls);
        let is_tool =
            |call: &&Call| call.action().is_some_and(|action| action.kind == CallKind::Tool);
        facts.tools.extend(aliases.iter().map(|(alias, tool)| format!("{alias} = {tool}")));
        for relic in self.relics.values() {
            facts.add_service(relic);
        }
        facts.tools.extend(calls.filter(is_tool).map(|call| call.name().to_owned()));
        for NamedModel { model, place, .. } in &self.models {
            match place {
                ModelLocation::Known => drop(facts.models.insert(model.clone())),
                ModelLocation::File(path) => {
                    facts.models.insert(model.clone());
                    facts.files.extend(path.to_str().map(str::to_owned));
                }
                ModelLocation::Server(url) => {
                    facts.models.insert(model.rsplit('#').next().unwrap_or_default().to_owned());
                    facts.servers.insert(url.origin().ascii_serialization());
                }
            }
        }
        facts
    }

    /// Returns the error about a field of the file.
    pub(crate) fn wrong(&self, field: &str, why: impl fmt::Display) -> Error {
        match TomlText::parse(&self.name, &self.text) {
            Ok(source) => source.wrong(field, why),
            Err(error) => error,
        }
    }
}

impl fmt::Debug for DeclaredManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeclaredManifest").field("path", &self.path).finish_non_exhaustive()
    }
}

fn check_agents(
    source: &TomlText<'_>,
    written: &WrittenManifest,
    names: &CallableNames<'_>,
) -> Result<(), Error> {
    for (agent, declared) in &written.agents {
        let lists = [
            (CallKind::Tool, "tools", &declared.tools),
            (CallKind::Agent, "agents", &declared.agents),
            (CallKind::Relic, "relics", &declared.relics),
            (CallKind::Workflow, "workflows", &declared.workflows),
            (CallKind::Llm, "llm", &declared.llm),
        ];
        for (kind, list, called) in lists {
            for (index, called) in called.iter().enumerate() {
                let field = format!("agents.{agent}.{list}[{index}]");
                names.check(source, &field, kind, called)?;
            }
        }
    }
    Ok(())
}

/// Checks that the model of each entry supports the sampling parameters beside it.
fn check_thinking(source: &TomlText<'_>, written: &WrittenManifest) -> Result<(), Error> {
    let agents = written.agents.iter();
    let agents = agents.map(|(name, agent)| ("agents", name, &agent.model, agent.thinking()));
    let llm = written.llm.iter().map(|(name, llm)| ("llm", name, &llm.model, llm.thinking()));
    for (table, name, model, thinking) in agents.chain(llm) {
        let Some(model) = model else { continue };
        if let Some(field) = missing(model, &thinking) {
            let why = format!("`{model}` does not have it; leave it out");
            return Err(source.wrong(&format!("{table}.{name}.{field}"), why));
        }
    }
    Ok(())
}

/// Reads a regular file. Only such a one has contents that a person can check before trusting it.
fn text_of(path: &Path, name: &str) -> Result<String, Error> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(Error::new(ErrorKind::File, format!("cannot read {name}: it is not a file")));
    }
    let shown = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| unreadable(&shown, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let why = format!("{shown} is not UTF-8 text: byte {at} is invalid");
        Error::new(ErrorKind::File, why)
    })
}

fn unreadable(name: &str, error: &io::Error) -> Error {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "the file does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    Error::new(ErrorKind::File, format!("cannot read {name}: {why}"))
}
