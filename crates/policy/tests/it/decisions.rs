//! The decision of each mode about each kind of call.

use silcrow_event::CallKind;
use silcrow_policy::{
    Confinement, PermissionMode, PermissionRule, Policy, PolicyFile, PolicyOwner, ProposedRule,
    RuleEffect,
};
use silcrow_tool::{ApprovalNeed, Permission, PermissionRequest, Permissions, Preview, ToolPolicy};

/// A call, and the decisions of the modes read-only, ask, workspace and full: `d`enied, `a`sked,
/// `r`uns.
type Row = (&'static str, fn() -> Call, &'static str);

const ROWS: &[Row] = &[
    ("a read", || Call::new("file_read").reads(), "rrrrr"),
    ("a read of a secret", || Call::new("file_read").reads().risky(), "aaaar"),
    ("a read that sends out", || Call::new("web_scrape").reads().sends(), "ddaar"),
    ("a change in the root", || Call::new("file_write"), "ddarr"),
    ("a change of a protected file", || Call::new("file_write").risky(), "ddaar"),
    ("another tool that changes", || Call::new("tidy_up"), "ddaar"),
    ("an agent", || Call::new("helper").with_kind(CallKind::Agent), "rrrrr"),
    ("a workflow", || Call::new("digest").with_kind(CallKind::Workflow), "rrrrr"),
    ("a model", || Call::new("short").with_kind(CallKind::Llm), "rrrrr"),
    ("a relic", || Call::new("notes").with_kind(CallKind::Relic), "ddrrr"),
    ("an agent named like a tool", || Call::new("file_write").with_kind(CallKind::Agent), "rrrrr"),
    ("a harmless command", || Call::new("shell").command("ls -la"), "rrrrr"),
    ("a command", || Call::new("shell").command("cargo test"), "ddarr"),
    ("a command with a variable", || Call::new("shell").command("ls $X"), "ddarr"),
    ("a command that names a secret", || Call::new("shell").command("cat .env"), "aaaar"),
    ("a change that names a secret", || Call::new("shell").command("rm .env"), "ddaar"),
    ("a command with a risk", || Call::new("shell").command("ls").risky(), "aaaar"),
    ("a command with a network", || Call::new("shell").command("make").sends(), "ddaar"),
    ("a harmless one with a network", || Call::new("shell").command("ls").sends(), "rrrrr"),
    ("a command that never runs", || Call::new("shell").command("rm -rf /"), "ddddd"),
    ("commands in the background", || Call::new("shell_processes"), "rrrrr"),
    ("no command at all", || Call::new("shell"), "ddaar"),
];

#[test]
fn modes_decide_as_they_say() {
    for (name, call, expected) in ROWS {
        let decided: String = PermissionMode::ALL
            .map(|mode| letter(&Policy::new(mode).with_confinement(FULL), &call()))
            .iter()
            .collect();
        assert_eq!(decided, *expected, "{name}");
    }
}

#[test]
fn unconfined_commands_need_approval() {
    for confinement in [Confinement::None, Confinement::FilesOnly] {
        for (command, expected) in [("ls", "ddaar"), ("cargo test", "ddaar"), ("rm -rf /", "ddddd")]
        {
            let call = Call::new("shell").command(command).unenforced();
            let decided: String = PermissionMode::ALL
                .map(|mode| letter(&Policy::new(mode).with_confinement(confinement), &call))
                .iter()
                .collect();
            assert_eq!(decided, expected, "{command} with {confinement:?}");
        }
    }
}

#[test]
fn allow_rules_exclude_risk_and_missing_sandbox() {
    let allow = || PermissionRule::new(RuleEffect::Allow, "*").unwrap();
    let ask = |confinement| {
        Policy::new(PermissionMode::Ask).with_confinement(confinement).with_rule(allow())
    };
    let policy = ask(FULL);
    assert_eq!(letter(&policy, &Call::new("file_write")), 'r');
    assert_eq!(letter(&policy, &Call::new("file_write").risky()), 'a');
    assert_eq!(letter(&policy, &Call::new("web_scrape").sends()), 'r');
    assert_eq!(letter(&policy, &Call::new("shell").command("make $X")), 'r');
    assert_eq!(letter(&policy, &Call::new("shell").command("make .env")), 'a');
    assert_eq!(letter(&policy, &Call::new("shell").command("make").sends()), 'a');
    for confinement in [Confinement::None, Confinement::FilesOnly] {
        let call = Call::new("shell").command("make");
        assert_eq!(letter(&ask(confinement), &call), 'a', "{confinement:?}");
    }
    let read_only = Policy::new(PermissionMode::ReadOnly).with_rule(allow());
    assert_eq!(letter(&read_only, &Call::new("file_write")), 'd');
}

#[test]
fn agent_tools_are_decided_as_agents() {
    let policy = Policy::new(PermissionMode::Ask);
    let call = Call::new("helper");
    assert_eq!(letter(&policy, &call), 'a');
    assert_eq!(letter(&policy.with_kind("helper", CallKind::Agent), &call), 'r');
}

#[test]
fn denials_state_their_reason() {
    let deny = |mode: PermissionMode, call: &Call| {
        let Permission::Deny(why) = call.decided(&Policy::new(mode)) else { panic!("{mode}") };
        why
    };
    let why = deny(PermissionMode::Full, &Call::new("shell").command("sudo reboot"));
    assert_eq!(why, "this command never runs here: `reboot` stops the machine");
    let why = deny(PermissionMode::ReadOnly, &Call::new("file_write"));
    assert!(why.contains("read-only"), "{why}");
}

#[test]
fn non_object_arguments_require_approval() {
    let preview = Preview::new("").with_target(".");
    let policy = Policy::new(PermissionMode::Workspace).with_confinement(FULL);
    for args in ["", "[]", "{", r#"{"command":5}"#, r#"{"command":["ls"]}"#] {
        let request = PermissionRequest::new("shell", args, ToolPolicy::default(), &preview);
        assert!(policy.decide(&request).is_ask(), "{args}");
    }
}

#[test]
fn every_mode_reads_its_own_name() {
    for mode in PermissionMode::ALL {
        assert_eq!(mode.as_str().parse::<PermissionMode>().unwrap(), mode);
        assert!(!mode.description().ends_with('.'));
    }
    let near = "readonly".parse::<PermissionMode>().unwrap_err().to_string();
    assert_eq!(near, "unknown mode `readonly`; did you mean `read-only`?");
    let far = "yolo".parse::<PermissionMode>().unwrap_err().to_string();
    assert_eq!(far, "unknown mode `yolo`; use plan, read-only, ask, workspace, full");
}

const FULL: Confinement = Confinement::FilesAndNetwork;

fn letter(policy: &Policy, call: &Call) -> char {
    match call.decided(policy) {
        Permission::Allow => 'r',
        Permission::Ask(_) => 'a',
        Permission::Deny(_) => 'd',
    }
}

/// A call that is decided about.
pub(crate) struct Call {
    kind: CallKind,
    tool: &'static str,
    args: String,
    policy: ToolPolicy,
    preview: Preview,
    agents: Vec<String>,
}

impl Call {
    pub(crate) fn new(tool: &'static str) -> Self {
        let approval = match tool {
            "helper" | "digest" | "short" | "notes" | "shell_processes" => ApprovalNeed::Never,
            _ => ApprovalNeed::Always,
        };
        Self {
            kind: CallKind::Tool,
            tool,
            args: "{}".to_owned(),
            policy: ToolPolicy { approval, ..ToolPolicy::default() },
            preview: match tool {
                "shell" => Preview::new("scope").enforceably_read_only(),
                _ => Preview::new("scope"),
            },
            agents: Vec::new(),
        }
    }

    pub(crate) fn with_kind(self, kind: CallKind) -> Self {
        let policy = ToolPolicy { approval: ApprovalNeed::Never, ..self.policy };
        Self { kind, policy, ..self }
    }

    pub(crate) fn by(self, agent: &str) -> Self {
        Self { agents: vec![agent.to_owned()], ..self }
    }

    pub(crate) fn args(self, args: &str) -> Self {
        Self { args: args.to_owned(), ..self }
    }

    pub(crate) fn command(self, command: &str) -> Self {
        let command = serde_json::to_string(command).unwrap();
        Self { args: format!(r#"{{"command":{command}}}"#), ..self }
    }

    pub(crate) fn target(self, target: &str) -> Self {
        Self { preview: self.preview.with_target(target), ..self }
    }

    pub(crate) fn limited(self, seconds: u64) -> Self {
        let limit = std::time::Duration::from_secs(seconds);
        Self { preview: self.preview.with_time_limit(limit), ..self }
    }

    pub(crate) fn in_background(self) -> Self {
        Self { preview: self.preview.outliving_call(), ..self }
    }

    pub(crate) fn risky(self) -> Self {
        Self { preview: self.preview.with_risk("it belongs to git"), ..self }
    }

    /// Makes it a call whose tool cannot enforce that it only reads.
    pub(crate) fn unenforced(mut self) -> Self {
        self.preview.can_be_read_only = false;
        self
    }

    /// Makes it a call that asks for this door.
    pub(crate) fn needing(mut self, door: &str) -> Self {
        self.preview.needs.add(door.parse().unwrap());
        self
    }

    pub(crate) fn reads(mut self) -> Self {
        self.policy.read_only = true;
        self
    }

    pub(crate) fn sends(mut self) -> Self {
        self.policy.sends_out = true;
        self
    }

    pub(crate) fn decided(&self, policy: &Policy) -> Permission {
        policy.decide(&self.request())
    }

    pub(crate) fn proposed(&self, policy: &Policy) -> Option<ProposedRule> {
        policy.propose(&self.request())
    }

    pub(crate) fn request(&self) -> PermissionRequest<'_> {
        let mut request = PermissionRequest::new(self.tool, &self.args, self.policy, &self.preview);
        request.kind = self.kind;
        request.agent_path = &self.agents;
        request
    }
}

#[test]
fn questions_state_their_reason() {
    let rules = r#"
        [[rules]]
        effect = "ask"
        tool = "file_write"
        path = "docs"
        reason = "people read these"
        [[rules]]
        effect = "deny"
        tool = "shell"
        command = "git push"
        "#;
    let file = PolicyFile::parse("policy.toml", rules, PolicyOwner::Person).unwrap();
    let policy =
        |mode, confinement| Policy::new(mode).with_confinement(confinement).with_file(file.clone());
    let why = |mode, confinement, call: Call| {
        let Permission::Ask(why) = call.decided(&policy(mode, confinement)) else { panic!() };
        why
    };
    use Confinement::{FilesAndNetwork, FilesOnly, None as Unconfined};
    use PermissionMode::{Ask, Full, Workspace};
    let shell = |command| Call::new("shell").command(command);
    for (mode, confinement, call, expected) in [
        (
            Full,
            FilesAndNetwork,
            Call::new("file_write").target("docs/a"),
            "policy.toml, line 4 asks about it: people read these",
        ),
        (
            Full,
            FilesAndNetwork,
            Call::new("file_write"),
            "policy.toml, line 4 has a rule (ask) that may be about this call",
        ),
        (
            Full,
            FilesAndNetwork,
            shell("git $X"),
            "policy.toml, line 9 has a rule (deny) that may be about this call",
        ),
        (
            Workspace,
            FilesAndNetwork,
            Call::new("file_edit").risky(),
            "the mode `workspace` asks about each call with a risk",
        ),
        (
            Workspace,
            FilesAndNetwork,
            shell("cat .env"),
            "the mode `workspace` asks about commands that name a secret: `.env`",
        ),
        (
            Ask,
            FilesAndNetwork,
            Call::new("file_edit"),
            "the mode `ask` asks about changes of files",
        ),
        (
            Ask,
            Unconfined,
            shell("ls").unenforced(),
            "the mode `ask` asks about commands that nothing confines",
        ),
        (
            Workspace,
            FilesOnly,
            shell("make"),
            "the mode `workspace` asks about commands that have a network",
        ),
        (
            Workspace,
            FilesOnly,
            Call::new("web_scrape").sends(),
            "the mode `workspace` asks about calls that send something out",
        ),
        (
            Workspace,
            FilesOnly,
            Call::new("tidy_up"),
            "the mode `workspace` asks about calls that may change something",
        ),
    ] {
        assert_eq!(why(mode, confinement, call), expected);
    }
    let why = why(Ask, FilesAndNetwork, shell("cargo test"));
    let expected = "the mode `ask` asks about commands that are not known to be harmless: ";
    assert!(why.starts_with(expected) && why.contains("`cargo`"), "{why}");
}
