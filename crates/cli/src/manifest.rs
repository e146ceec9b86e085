//! The manifest of `--manifest`, which declares agents, relics, workflows and models to call.
//!
//! A manifest is read and checked first ([`DeclaredManifest`]), then trusted ([`Trusted`]), and
//! only then are its models opened ([`Manifest`]). `agent_factory` makes tools of what it declares.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_event::CallKind;
use silcrow_exec::{Toolbox, closest_names};
use silcrow_parser::Dialect;
use silcrow_provider::Provider;

use crate::failure::Failure;
use crate::input::{Input, unreadable};
use crate::mcp::ServerNames;
use crate::model::{self, Settings};
use crate::toml_source::TomlSource;
use crate::trust_record;

mod agent_factory;
mod command;
mod flow;
mod models;
mod summary;
mod trust;
mod written;

pub(crate) use agent_factory::equip;
pub(crate) use command::manifest;

use flow::ReadyWorkflow;
use models::NamedModel;
use trust::Trusted;
use written::WrittenManifest;

/// A manifest that the person trusts, in which every name is known and every plan can run.
pub(crate) struct Manifest {
    written: WrittenManifest,
    flows: BTreeMap<String, ReadyWorkflow>,
    /// The models of agents and `llm`s that name one.
    models: BTreeMap<(&'static str, String), Arc<dyn Provider>>,
}

impl Manifest {
    /// Reads a file, and asks the person about one that is not trusted. `tools` are the built-in
    /// tools, and those that servers may have.
    pub(crate) fn open(
        file: &Path,
        dialect: Dialect,
        tools: (&Toolbox, ServerNames<'_>),
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let declared = DeclaredManifest::read(file, dialect, tools)?;
        let source = declared.file.source()?;
        for named in &declared.models {
            named.check_server(&source, &settings.chosen)?;
        }
        Self::new(Trusted::confirm(declared)?, settings)
    }

    /// Opens the models that a trusted manifest names.
    fn new(Trusted(declared): Trusted, settings: &Settings) -> Result<Self, Failure> {
        let source = declared.file.source()?;
        let mut models = BTreeMap::new();
        for named in &declared.models {
            let wrong = |why: Failure| source.wrong(&named.field(), why.message());
            let chosen = model::choose(&named.model, settings, None).map_err(wrong)?;
            models.insert((named.table, named.owner.clone()), chosen);
        }
        Ok(Self { written: declared.written, flows: declared.flows, models })
    }

    /// Returns the kind and the name of everything that it declares.
    pub(crate) fn declared(&self) -> impl Iterator<Item = (CallKind, &str)> {
        let WrittenManifest { agents, relics, workflows, llm } = &self.written;
        let agents = agents.keys().map(|name| (CallKind::Agent, name));
        let relics = relics.keys().map(|name| (CallKind::Relic, name));
        let workflows = workflows.keys().map(|name| (CallKind::Workflow, name));
        let models = llm.keys().map(|name| (CallKind::Llm, name));
        let all = agents.chain(relics).chain(workflows).chain(models);
        all.map(|(kind, name)| (kind, &**name))
    }
}

/// A manifest in which every name is known and every plan can run, trusted or not.
struct DeclaredManifest {
    file: ManifestText,
    /// The SHA-256 of its bytes.
    hash: String,
    written: WrittenManifest,
    flows: BTreeMap<String, ReadyWorkflow>,
    models: Vec<NamedModel>,
}

/// The text of a manifest, and where it is.
struct ManifestText {
    /// The path as the person typed it.
    name: String,
    /// The absolute path without links.
    path: PathBuf,
    text: String,
}

impl ManifestText {
    fn read(file: &Path) -> Result<Self, Failure> {
        let name = file.display().to_string();
        let path = file.canonicalize().map_err(|error| unreadable(&name, &error))?;
        // Only a regular file has contents that the person can check before trusting it.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(Failure::given(format!("cannot read {name}: it is not a file")));
        }
        let text = Input::open(&path)?.text()?;
        Ok(Self { name, path, text })
    }

    fn source(&self) -> Result<TomlSource<'_>, Failure> {
        TomlSource::parse(&self.name, &self.text)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }
}

impl DeclaredManifest {
    fn read(
        file: &Path,
        dialect: Dialect,
        (tools, servers): (&Toolbox, ServerNames<'_>),
    ) -> Result<Self, Failure> {
        let file = ManifestText::read(file)?;
        let source = file.source()?;
        let written: WrittenManifest = source.read()?;
        let names = CallableNames::new(&source, &written, tools, servers)?;
        if dialect != Dialect::Action {
            names.check_apart(&source)?;
        }
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
                    names.check(&source, &field, kind, called)?;
                }
            }
        }
        for (relic, declared) in &written.relics {
            if declared.kind != "kv" {
                let why = format!("there is no kind of relic `{}`; use `kv`", declared.kind);
                return Err(source.wrong(&format!("relics.{relic}.kind"), why));
            }
        }
        let mut flows = BTreeMap::new();
        for (flow, declared) in &written.workflows {
            flows.insert(flow.clone(), ReadyWorkflow::read(&source, flow, declared, &names)?);
        }
        let models = NamedModel::all(&source, &written, file.folder())?;
        let hash = trust_record::hash(file.text.as_bytes());
        Ok(Self { hash, written, flows, models, file })
    }
}

/// Everything that can be called: its kind, its name, and the field that declares it, or `None` for
/// a tool that is built in; and the names that tools of servers may have.
struct CallableNames<'a> {
    names: Vec<(CallKind, String, Option<String>)>,
    servers: ServerNames<'a>,
}

impl<'a> CallableNames<'a> {
    fn new(
        source: &TomlSource<'_>,
        written: &WrittenManifest,
        tools: &Toolbox,
        servers: ServerNames<'a>,
    ) -> Result<Self, Failure> {
        let mut names: Vec<_> =
            tools.names().map(|name| (CallKind::Tool, name.to_owned(), None)).collect();
        let declared = [
            (CallKind::Agent, "agents", written.agents.keys().collect::<Vec<_>>()),
            (CallKind::Relic, "relics", written.relics.keys().collect()),
            (CallKind::Workflow, "workflows", written.workflows.keys().collect()),
            (CallKind::Llm, "llm", written.llm.keys().collect()),
        ];
        for (kind, table, keys) in declared {
            for name in keys {
                let field = format!("{table}.{name}");
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
                if !(1..=MAX_NAME).contains(&name.len()) || !name.bytes().all(plain) {
                    let why = format!(
                        "a name has 1 to {MAX_NAME} letters, digits, `_` and `-`; rename it"
                    );
                    return Err(source.wrong(&field, why));
                }
                names.push((kind, name.clone(), Some(field)));
            }
        }
        Ok(Self { names, servers })
    }

    /// Returns a failure unless something of this kind and name can be called.
    fn check(
        &self,
        source: &TomlSource<'_>,
        field: &str,
        kind: CallKind,
        name: &str,
    ) -> Result<(), Failure> {
        let known: Vec<_> = self.names.iter().filter(|known| known.0 == kind).collect();
        let names = || known.iter().map(|(_, name, _)| &**name);
        let is_of_server = kind == CallKind::Tool && self.servers.has(name);
        if is_of_server || names().any(|known| known == name) {
            return Ok(());
        }
        if let Some(hint) = self.servers.hint(name).filter(|_| kind == CallKind::Tool) {
            return Err(source.wrong(field, format!("there is no tool `{name}`: {hint}")));
        }
        let word = kind.as_str();
        let listed = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let next = match (closest_names(name, names()).first(), &*listed) {
            (_, "") => "there is none; declare it".to_owned(),
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, _) => format!("use {listed}, or declare it"),
        };
        Err(source.wrong(field, format!("there is no {word} `{name}`: {next}")))
    }

    /// Returns a failure if two names are equal, for dialects in which everything is called as a
    /// tool.
    fn check_apart(&self, source: &TomlSource<'_>) -> Result<(), Failure> {
        for (at, (kind, name, field)) in self.names.iter().enumerate() {
            let twin = self.names[..at].iter().find(|(_, other, _)| other == name);
            if let (Some((first, _, place)), Some(field)) = (twin, field) {
                let first = place.as_ref().map_or_else(
                    || format!("the built-in {} `{name}`", first.as_str()),
                    |place| format!("`{place}`"),
                );
                let why = format!(
                    "the {} `{name}` has the name of {first}, and only in the dialect action is \
                     that told apart; rename it, or use --dialect action",
                    kind.as_str(),
                );
                return Err(source.wrong(field, why));
            }
        }
        Ok(())
    }
}

/// The longest name in bytes.
const MAX_NAME: usize = 64;
