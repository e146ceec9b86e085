//! What `--manifest` declares: agents, relics, workflows and models to call.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use silcrow_event::Kind;
use silcrow_exec::{Toolbox, near};
use silcrow_parser::Dialect;
use silcrow_provider::Provider;

use crate::failure::Failure;
use crate::input::Input;

mod flow;
mod house;
mod source;
mod written;

pub(crate) use house::equip;

use flow::Flow;
use source::Source;
use written::Written;

/// A manifest in which every name is known and every plan can run.
pub(crate) struct Manifest {
    written: Written,
    flows: BTreeMap<String, Flow>,
    /// The models of agents and `llm`s that name one.
    models: BTreeMap<(&'static str, String), Arc<dyn Provider>>,
}

impl Manifest {
    /// Reads a file. `tools` are the built-in ones, and `model` chooses a model by its name.
    pub(crate) fn read(
        file: &Path,
        dialect: Dialect,
        tools: &Toolbox,
        model: impl Fn(&str) -> Result<Arc<dyn Provider>, Failure>,
    ) -> Result<Self, Failure> {
        let input = Input::open(file)?;
        let name = input.name().to_owned();
        let text = input.text()?;
        let source = Source::parse(&name, &text)?;
        let written: Written = source.read()?;
        let names = Names::new(&source, &written, tools)?;
        if dialect != Dialect::Action {
            names.check_apart(&source)?;
        }
        for (agent, declared) in &written.agents {
            let lists = [
                (Kind::Tool, "tools", &declared.tools),
                (Kind::Agent, "agents", &declared.agents),
                (Kind::Relic, "relics", &declared.relics),
                (Kind::Workflow, "workflows", &declared.workflows),
                (Kind::Llm, "llm", &declared.llm),
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
            flows.insert(flow.clone(), Flow::read(&source, flow, declared, &names)?);
        }
        let agents = written.agents.iter().map(|(name, agent)| ("agents", name, &agent.model));
        let llm = written.llm.iter().map(|(name, llm)| ("llm", name, &llm.model));
        let mut models = BTreeMap::new();
        for (table, name, chosen) in agents.chain(llm) {
            if let Some(chosen) = chosen {
                let field = format!("{table}.{name}.model");
                let chosen = model(chosen).map_err(|why| source.wrong(&field, why.message()))?;
                models.insert((table, name.clone()), chosen);
            }
        }
        Ok(Self { written, flows, models })
    }
}

/// All that can be called, by kind: its name, and where it is declared.
struct Names(Vec<(Kind, String, Option<String>)>);

impl Names {
    fn new(source: &Source<'_>, written: &Written, tools: &Toolbox) -> Result<Self, Failure> {
        let mut names: Vec<_> =
            tools.names().map(|name| (Kind::Tool, name.to_owned(), None)).collect();
        let declared = [
            (Kind::Agent, "agents", written.agents.keys().collect::<Vec<_>>()),
            (Kind::Relic, "relics", written.relics.keys().collect()),
            (Kind::Workflow, "workflows", written.workflows.keys().collect()),
            (Kind::Llm, "llm", written.llm.keys().collect()),
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
        Ok(Self(names))
    }

    /// There is such a thing to call.
    fn check(
        &self,
        source: &Source<'_>,
        field: &str,
        kind: Kind,
        name: &str,
    ) -> Result<(), Failure> {
        let known: Vec<_> = self.0.iter().filter(|known| known.0 == kind).collect();
        let names = || known.iter().map(|(_, name, _)| &**name);
        if names().any(|known| known == name) {
            return Ok(());
        }
        let word = kind.as_str();
        let listed = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let next = match (near(name, names()).first(), &*listed) {
            (_, "") => "there is none; declare it".to_owned(),
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, _) => format!("use {listed}, or declare it"),
        };
        Err(source.wrong(field, format!("there is no {word} `{name}`: {next}")))
    }

    /// Where everything is called as a tool, no two have one name.
    fn check_apart(&self, source: &Source<'_>) -> Result<(), Failure> {
        for (at, (kind, name, field)) in self.0.iter().enumerate() {
            let twin = self.0[..at].iter().find(|(_, other, _)| other == name);
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

/// In bytes.
const MAX_NAME: usize = 64;
