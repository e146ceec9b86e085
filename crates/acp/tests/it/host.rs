//! A host whose agents follow a script.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use serde_json::json;
use silcrow_acp::{AcpChoice, AcpCommand, AcpHost, AcpOption, AcpPerson, AcpServer, AcpSession};
use silcrow_agent::{Agent, ChildAgent};
use silcrow_event::{CallKind, Content};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::{
    ApprovalNeed, CallContext, FileDiff, Preview, PreviewDiff, Tool, ToolArgs, ToolError,
    ToolOutput, ToolPolicy, Toolbox,
};

/// A host with one script for all prompts.
pub(crate) struct ScriptedHost {
    pub(crate) store: Arc<MemoryStore>,
    model: ScriptedModel,
    dialect: Dialect,
    modes: Vec<AcpChoice>,
    options: Vec<AcpOption>,
    last: AtomicUsize,
    /// The servers of the session that had the last prompt.
    pub(crate) servers: Mutex<Vec<AcpServer>>,
    /// The notices that the person reads before each run.
    pub(crate) notices: Vec<String>,
    /// Whether there is a command.
    pub(crate) has_command: bool,
}

impl ScriptedHost {
    pub(crate) fn new(dialect: Dialect, script: &str) -> Self {
        let choice = |id: &str| AcpChoice {
            id: id.to_owned(),
            name: id.to_uppercase(),
            description: format!("runs {id}"),
        };
        Self {
            store: Arc::default(),
            model: ScriptedModel::parse(script, 1),
            dialect,
            modes: vec![choice("ask"), choice("full")],
            options: vec![AcpOption {
                id: "effort".to_owned(),
                name: "Effort".to_owned(),
                choices: vec![choice("low"), choice("high")],
            }],
            last: AtomicUsize::new(0),
            servers: Mutex::default(),
            notices: Vec::new(),
            has_command: false,
        }
    }
}

impl AcpHost for ScriptedHost {
    fn check_folder(&self, folder: &Path) -> Result<(), String> {
        match folder.starts_with("/missing") {
            true => Err(format!("the folder {} does not exist", folder.display())),
            false => Ok(()),
        }
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::<MemoryStore>::clone(&self.store)
    }

    fn new_id(&self) -> String {
        format!("s{}", self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn agent<'a>(
        &'a self,
        session: &'a AcpSession,
        person: &'a Arc<AcpPerson>,
    ) -> BoxFuture<'a, Result<Agent, String>> {
        async move {
            self.servers.lock().unwrap().clone_from(&session.servers);
            for notice in &self.notices {
                person.tell_once(notice).await;
            }
            let approver = person.approver();
            let mut tools = Toolbox::new();
            tools.add(Write).unwrap();
            tools.add(Wait).unwrap();
            tools.add(Form(Arc::clone(person))).unwrap();
            let (store, inner) = (self.store(), Arc::clone(&approver));
            let child = ChildAgent::new("helper", "Helps.", move || {
                let script = r#"<action id="in">{"name":"write","parameters":{"file":"b.txt"}}</action>
<response>Helped.</response>"#;
                let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store));
                agent.with_dialect(Dialect::Action).with_tool(Write).unwrap()
                    .with_approver(Arc::clone(&inner))
            });
            tools.add_as(CallKind::Agent, child).unwrap();
            let agent = Agent::new(self.model.clone(), self.store()).with_dialect(self.dialect);
            Ok(agent.with_tools(tools).with_approver(approver).with_root(&session.folder, "root"))
        }
        .boxed()
    }

    fn commands(&self, _: &AcpSession) -> Vec<AcpCommand> {
        let command = AcpCommand {
            name: "greet".to_owned(),
            description: "Greets somebody.".to_owned(),
            hint: Some("who".to_owned()),
        };
        self.has_command.then_some(command).into_iter().collect()
    }

    fn expand(&self, _: &AcpSession, name: &str, words: &str) -> Option<Result<Content, String>> {
        let is_known = self.has_command && name == "greet";
        is_known.then(|| match words {
            "" => Err("say whom to greet".to_owned()),
            words => Ok(Content::from(format!("Say hello to {words}."))),
        })
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

/// A tool that needs a yes, and says which lines it would change.
struct Write;

impl Tool for Write {
    fn name(&self) -> &str {
        "write"
    }

    fn description(&self) -> &str {
        "Writes."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let args: serde_json::Value = args.read()?;
            let file = args["file"].as_str().unwrap_or_default().to_owned();
            let hunks = "@@ -1 +1 @@\n-old\n+new\n".to_owned();
            let diff = PreviewDiff::new(vec![FileDiff { path: file.clone(), hunks }]);
            let mut preview = Preview::new(&*file);
            (preview.target, preview.diff) = (Some(file), Some(diff));
            Ok(preview)
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let text = format!("wrote {}", args.as_str());
        async move { Ok(ToolOutput::new("written", text)) }.boxed()
    }
}

/// A tool that prints a line and never ends by itself.
struct Wait;

impl Tool for Wait {
    fn name(&self) -> &str {
        "wait"
    }

    fn description(&self) -> &str {
        "Waits."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            context.progress("stdout", "waiting\n").await;
            pending().await
        }
        .boxed()
    }
}

/// A tool that lets the person fill a form, and returns the answer.
struct Form(Arc<AcpPerson>);

impl Tool for Form {
    fn name(&self) -> &str {
        "form"
    }

    fn description(&self) -> &str {
        "Asks."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let colour = json!({"type": "string", "enum": ["red", "blue"]});
            let schema =
                json!({"type": "object", "properties": {"colour": colour}, "required": ["colour"]});
            let answer = self.0.fill("Which colour?", &schema).await;
            Ok(ToolOutput::new("asked", format!("{answer:?}")))
        }
        .boxed()
    }
}
