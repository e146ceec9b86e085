//! Relics that are services, and other names of tools.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_event::{CallKind, Event, RunEventRef};
use silcrow_manifest::{
    DeclaredManifest, HttpDeclaration, KnownTools, Manifest, ManifestParts, ServerToolNames,
    ServerToolSource, ServiceOpener, SqlDeclaration,
};
use silcrow_models::{Environment, ModelOptions, Models};
use silcrow_parser::Dialect;
use silcrow_provider::{Provider, ScriptedModel};
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CallContext, Permission,
    PermissionRequest, Permissions, Tool, ToolArgs, ToolError, ToolOutput, ToolSource, Toolbox,
    WithPermissions,
};

use crate::written;

const MANIFEST: &str = r#"
[relics.weather]
kind = "http"
description = "The weather."
base = "https://api.example.com/v1"
key = { header = "authorization", prefix = "Bearer ", variable = "WEATHER_KEY" }

[relics.weather.operations.forecast]
description = "The next days."
parameters = ["city", "days:integer?"]
path = "cities/{city}"

[relics.shop]
kind = "sql"
database = "SHOP_URL"

[relics.shop.operations.close]
statement = "update orders set open = false where id = $1"
parameters = ["id:integer"]
writes = true

[relics.files]
kind = "mcp"
server = "disk"

[aliases]
say = "echo"
peek = "disk.read"
"#;

/// A tool that returns its name and its arguments.
struct Named(String);

impl Tool for Named {
    fn name(&self) -> &str {
        &self.0
    }

    fn description(&self) -> &str {
        "Returns its arguments."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { Ok(ToolOutput::new("", format!("{} {}", self.0, args.as_str()))) }.boxed()
    }
}

/// A server with two tools.
struct Disk;

impl ToolSource for Disk {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        let tools = ["disk.read", "disk.write"].map(|name| Arc::new(Named(name.to_owned())) as _);
        async { Arc::from(tools) }.boxed()
    }
}

impl ServerToolSource for Disk {
    fn all(&self) -> Arc<dyn ToolSource> {
        Arc::new(Self)
    }

    fn named(&self, names: Vec<String>) -> Arc<dyn ToolSource> {
        assert_eq!(names, ["disk.*"]);
        Arc::new(Self)
    }
}

impl ServerToolNames for Disk {
    fn has(&self, tool: &str) -> bool {
        tool.starts_with("disk.")
    }

    fn hint(&self, _: &str) -> Option<String> {
        None
    }
}

/// Opens a declaration as a tool that says so.
#[derive(Default)]
struct Opener {
    opened: Mutex<Vec<String>>,
    fails: bool,
}

impl ServiceOpener for Opener {
    fn http(
        &self,
        name: &str,
        description: &str,
        declared: &HttpDeclaration,
    ) -> Result<Arc<dyn Tool>, String> {
        if self.fails {
            return Err("the variable WEATHER_KEY is not set".to_owned());
        }
        let key = declared.key.as_ref().unwrap();
        let [forecast] = &declared.operations[..] else { panic!("one") };
        let opened = format!(
            "{name} {description} {} {} {}{} {} {}",
            declared.base, key.header, key.prefix, key.variable, forecast.method, forecast.path
        );
        self.opened.lock().unwrap().push(opened);
        Ok(Arc::new(Named(name.to_owned())))
    }

    fn sql(&self, name: &str, _: &str, declared: &SqlDeclaration) -> Result<Arc<dyn Tool>, String> {
        let [close] = &declared.operations[..] else { panic!("one") };
        let opened = format!("{name} {} {} {}", declared.variable, close.statement, close.writes);
        self.opened.lock().unwrap().push(opened);
        Ok(Arc::new(Named(name.to_owned())))
    }
}

fn toolbox() -> Toolbox {
    let mut tools = Toolbox::new();
    tools.add(Named("echo".to_owned())).unwrap();
    tools
}

fn opened(opener: &dyn ServiceOpener) -> Result<Manifest, silcrow_manifest::Error> {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), MANIFEST);
    let tools = toolbox();
    let known = KnownTools::new(&tools).with_servers(&Disk);
    let declared = DeclaredManifest::read(&file, Dialect::Action, &known).unwrap();
    let facts = declared.facts();
    let variables = ["SHOP_URL", "WEATHER_KEY (sent to https://api.example.com)"];
    assert!(facts.variables.iter().eq(&variables.map(str::to_owned)), "{:?}", facts.variables);
    assert!(facts.servers.contains("https://api.example.com"));
    assert!(facts.tools.contains("disk.*") && facts.tools.contains("say = echo"));
    let models = Models::new(ModelOptions::new(Environment::from_vars::<&str, &str>([])));
    declared.trust().open(&models).unwrap().with_services(opener)
}

/// Makes these calls, and returns their results.
async fn results(manifest: Manifest, calls: &str, rules: Option<Rules>) -> Vec<String> {
    let script = format!("{calls}\n%%\n<response>Done.</response>");
    let model: Arc<dyn Provider> = Arc::new(ScriptedModel::parse(&script, 1));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agent = Agent::new(Arc::clone(&model), Arc::clone(&store)).with_dialect(Dialect::Action);
    let agent = match rules {
        Some(rules) => agent.with_approver(WithPermissions::new(rules, Yes)),
        None => agent.with_approver(Yes),
    };
    let parts = ManifestParts::new(toolbox(), model, store).with_servers(Some(Arc::new(Disk)));
    let agent = manifest.equip(agent, parts);
    let mut results = Vec::new();
    let mut take = |event: RunEventRef<'_>| {
        if let RunEventRef::Entry(entry) = event
            && let Event::Result(result) = &entry.event
        {
            results.push(result.content.text().into_owned());
        }
    };
    agent.run("c", "Go.", &mut take).await.unwrap();
    results
}

#[tokio::test]
async fn services_open_as_declared() {
    let opener = Opener::default();
    let manifest = opened(&opener).unwrap();
    let declared: Vec<_> = manifest.declared().filter(|one| one.0 == CallKind::Relic).collect();
    assert_eq!(declared.len(), 3);
    let expected = [
        "shop SHOP_URL update orders set open = false where id = $1 true",
        "weather The weather. https://api.example.com/v1 authorization Bearer WEATHER_KEY GET cities/{city}",
    ];
    assert_eq!(*opener.opened.lock().unwrap(), expected);
    let calls =
        r#"<action type="relic">{"name":"weather","parameters":{"operation":"forecast"}}</action>"#;
    assert_eq!(results(manifest, calls, None).await, [r#"weather {"operation":"forecast"}"#]);
    let why = opened(&Opener { fails: true, ..Opener::default() }).unwrap_err();
    let expected = "the relic `weather` cannot be used: the variable WEATHER_KEY is not set";
    assert_eq!(why.to_string(), expected);
}

#[tokio::test]
async fn a_server_is_one_relic() {
    let calls = r#"<action type="relic">{"name":"files","parameters":{"tool":"read","path":"a"}}</action>
<action type="relic">{"name":"files","parameters":{"tool":"write","arguments":{"tool":"x"}}}</action>
<action type="relic">{"name":"files","parameters":{}}</action>
<action type="relic">{"name":"files","parameters":{"tool":"raed"}}</action>"#;
    let results = results(opened(&Opener::default()).unwrap(), calls, None).await;
    assert_eq!(results[0], r#"disk.read {"path":"a"}"#);
    assert_eq!(results[1], r#"disk.write {"tool":"x"}"#);
    assert!(results[2].contains(r#""tool":"read""#) && results[2].contains("arguments"));
    assert_eq!(results[3], "`disk` has no tool `raed`; use one of `read`, `write`");
}

/// Allows everything.
struct Yes;

impl Approver for Yes {
    fn ask<'a>(&'a self, _: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async { ApprovalDecision::Allow(ApprovalScope::Once) }.boxed()
    }
}

/// Rules that record the names under which they see the tools of calls, and deny one.
#[derive(Clone, Default)]
struct Rules(Arc<Mutex<Vec<String>>>);

impl Permissions for Rules {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        self.0.lock().unwrap().push(request.tool.to_owned());
        match request.tool {
            "disk.read" => Permission::Deny("a rule denies it".to_owned()),
            _ => Permission::Allow,
        }
    }
}

#[tokio::test]
async fn rules_know_a_tool_by_its_own_name() {
    let calls = r#"<action>{"name":"say","parameters":{"a":1}}</action>
<action>{"name":"peek","parameters":{}}</action>"#;
    let rules = Rules::default();
    let manifest = opened(&Opener::default()).unwrap();
    let results = results(manifest, calls, Some(rules.clone())).await;
    assert_eq!(results[0], r#"echo {"a":1}"#);
    assert!(results[1].contains("a rule denies it"), "{}", results[1]);
    let known = rules.0.lock().unwrap().clone();
    assert!(known.contains(&"echo".to_owned()) && known.contains(&"disk.read".to_owned()));
    assert!(!known.iter().any(|name| name == "say" || name == "peek"), "{known:?}");
}
