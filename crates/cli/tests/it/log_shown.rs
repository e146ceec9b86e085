//! The output of `silcrow log` for people: text, a pager, names, exports and reports.

use std::process::Stdio;

use crate::approve::at_terminal;
use crate::support::{CommandOutput, Sandbox};

/// A text that would change a page, a terminal or a document that does not escape it.
const HOSTILE: &str = "</pre></section><script>alert(1)</script><!-- \u{1b}[2J\n```\n````\n# Answer\n\
                       ---\n> no\n";

/// A sandbox with the conversation `walrus`, in which a file was read.
fn walrus() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", HOSTILE);
    let script = format!(
        "§think: look\n§call: {{\"name\":\"file_read\",\"args\":{{\"file\":\"a.txt\"}}}}\n§execute\n%%\n\
         §respond: It says {HOSTILE}\n§end"
    );
    let model = format!("script:{}", sandbox.write("script", &script));
    let prompt = format!("Count <walruses>\n{HOSTILE}");
    sandbox.silcrow(&["run", &prompt, "--model", &model, "--new", "walrus"]).ends(0);
    sandbox
}

fn shown(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let shown = sandbox.silcrow(&[&["log"], args].concat());
    shown.ends(0);
    shown
}

#[test]
fn piped_log_is_text_unless_json_requested() {
    let sandbox = walrus();
    let list = shown(&sandbox, &[]).out;
    let cells: Vec<_> = list.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let root = sandbox.root().canonicalize().unwrap();
    assert_eq!(cells, ["now", "Count <walruses>", root.to_str().unwrap(), "walrus", "5 events"]);
    let text = shown(&sandbox, &["walrus"]).out;
    assert!(text.starts_with("   1 user     Count <walruses>\n              </pre>"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let json = shown(&sandbox, &["--json", "walrus"]);
    assert_eq!(json.types(), ["user", "think", "call", "result", "respond"]);
    assert_eq!(json.events()[0]["folder"], *root.to_str().unwrap());
    let row = &shown(&sandbox, &["--json"]).events()[0];
    assert_eq!(
        (&row["title"], &row["folder"]),
        (&"Count <walruses>".into(), &root.to_str().into())
    );
}

#[test]
fn log_uses_a_pager_on_a_terminal() {
    let sandbox = walrus();
    let pager = sandbox.write("pager", "#!/bin/sh\nread first\necho \"paged: $first\"\n");
    let paged = |args: &[&str], set: &[(&str, &str)]| {
        let silcrow = sandbox.command(args);
        let mut command = std::process::Command::new("env");
        command.arg("TERM=xterm").arg(silcrow.get_program()).args(silcrow.get_args());
        command.envs(silcrow.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env_remove("PAGER").env_remove("SILCROW_PAGER").envs(set.iter().copied());
        at_terminal(&command, &[])
    };
    let with = format!("sh {pager}");
    // The pager ends before it has read everything, which is not an error.
    for name in ["SILCROW_PAGER", "PAGER"] {
        let (out, code) = paged(&["log", "walrus"], &[(name, &with)]);
        assert_eq!((&*out, code), ("paged: 1 user     Count <walruses>\n", Some(0)));
    }
    let (out, _) = paged(&["log"], &[("SILCROW_PAGER", &with), ("PAGER", "false")]);
    assert!(out.starts_with("paged: now  Count"), "{out}");
    for (args, set) in [
        (&["log", "walrus", "--no-pager"][..], &[("PAGER", &*with)][..]),
        (&["log", "walrus", "--json"], &[("PAGER", &with)]),
        (&["log", "walrus"], &[("PAGER", "no-such-program-here")]),
        (&["log", "walrus"], &[("PAGER", &with), ("SILCROW_PAGER", "")]),
    ] {
        let (out, code) = paged(args, set);
        assert!(!out.contains("paged:") && out.contains("walruses"), "{out}");
        assert_eq!(code, Some(0));
    }
    let mut dumb = sandbox.command(&["log", "walrus"]);
    let (out, _) = at_terminal(dumb.env("SILCROW_PAGER", &with), &[]);
    assert!(!out.contains("paged:") && out.contains("walruses"), "{out}");
}

#[test]
fn person_can_name_a_conversation() {
    let sandbox = walrus();
    let said = shown(&sandbox, &["rename", "walr", "Sea \u{1b}[2Janimals"]);
    assert!(said.out.starts_with("walrus is called Sea "), "{}", said.out);
    assert!(!said.out.contains('\u{1b}'), "{}", said.out);
    shown(&sandbox, &["rename", "walrus", "Sea animals"]);
    assert!(shown(&sandbox, &[]).out.contains("  Sea animals  "));
    sandbox.silcrow(&["log", "rename", "walrus", " \n"]).ends(2);
    // The model does not read the name.
    let model = format!("script:{}", sandbox.write("more", "§respond: more\n§end"));
    sandbox.silcrow(&["run", "more", "--continue", "--model", &model]).ends(0);
    let types = shown(&sandbox, &["--json", "walrus"]).types();
    assert_eq!(types[5..], ["title", "title", "user", "respond"]);
}

#[test]
fn exports_are_escaped_in_every_format() {
    let sandbox = walrus();
    let md = shown(&sandbox, &["export", "walrus", "--format", "md"]).out;
    let root = sandbox.root().canonicalize().unwrap();
    let settled = |text: &str| {
        let text = text.replace(root.to_str().unwrap(), "/work");
        let is_time = |line: &str| line.contains(" UTC");
        text.lines()
            .filter(|line| !is_time(line))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    insta::assert_snapshot!("export_md", settled(&md));
    let html = shown(&sandbox, &["export", "walrus", "--format", "html"]).out;
    insta::assert_snapshot!("export_html", settled(&html));
    for bad in ["<script", "<!--", "</pre></section><", "\u{1b}"] {
        assert!(!html.contains(bad), "{bad}");
    }
    assert!(!md.contains('\u{1b}'));
    let jsonl = shown(&sandbox, &["export", "walrus", "--format", "jsonl"]).out;
    assert_eq!(jsonl, shown(&sandbox, &["show", "walrus", "--json"]).out);
    let file = sandbox.path("out.html");
    let args = ["export", "walr", "--format", "html", "--output", file.to_str().unwrap()];
    assert_eq!(shown(&sandbox, &args).out, "");
    assert_eq!(std::fs::read_to_string(file).unwrap(), html);
    sandbox.silcrow(&["log", "export", "--format", "md"]).ends(2);
}

#[test]
fn deletion_asks_and_names_the_loss() {
    let sandbox = walrus();
    let said = sandbox.silcrow(&["log", "delete", "walrus"]);
    assert!(said.ends(2).err.contains("add --yes"), "{}", said.err);
    let delete = sandbox.command(&["log", "delete", "walrus"]);
    let (out, code) = at_terminal(&delete, &["n\n"]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!("delete_asks", out);
    shown(&sandbox, &["walrus"]);
    let (out, code) = at_terminal(&delete, &["yes\n"]);
    assert!(out.ends_with("walrus is gone, with 5 events\n"), "{out}");
    assert_eq!(code, Some(0));
    sandbox.silcrow(&["log", "show", "walrus"]).ends(2);
}

#[test]
fn report_omits_secrets_and_file_contents() {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "the contents of a file");
    let text = "and so on ".repeat(10);
    let script = format!(
        "§call: {{\"name\":\"file_read\",\"args\":{{\"file\":\"a.txt\"}}}}\n\
         §call: {{\"name\":\"file_write\",\"args\":{{\"file\":\"b.txt\",\"content\":\"{text}\"}}}}\n\
         §execute\n%%\n§respond: Done.\n§end"
    );
    let model = format!("script:{}", sandbox.write("script", &script));
    let key = "sk-ant-REDACTED";
    let prompt = format!("my key is {key}");
    sandbox.silcrow(&["run", &prompt, "--model", &model, "--new", "walrus"]).ends(0);
    sandbox.write(
        "config/silcrow/config.toml",
        "model = \"compatible:http://secret.host:8080/v1#m\"\ntheme = \"light\"\n\
         proxy = \"http://proxy.host:3128\"\n",
    );
    let report = |more: &[&str]| {
        let mut command = sandbox.command(&[&["log", "report", "walrus"], more].concat());
        command.env("SILCROW_SEARCH", "searxng:http://search.host");
        command.env("SILCROW_TEST_TOKEN", "a-token-that-is-secret").env("OPENAI_API_KEY", key);
        let said = command.stdin(Stdio::null()).output().unwrap();
        let err = String::from_utf8(said.stderr).unwrap();
        assert_eq!(err, "silcrow: read the report before you send it\n");
        String::from_utf8(said.stdout).unwrap()
    };
    let short = report(&[]);
    for wanted in
        ["Read this before you send it", "- version: 0.", "a.txt", "Done.", "bytes are left out"]
    {
        assert!(short.contains(wanted), "{wanted}: {short}");
    }
    for secret in [key, "a-token-that-is-secret", "the contents of a file", "and so on"] {
        assert!(!short.contains(secret), "{secret}: {short}");
    }
    assert!(short.contains("- OPENAI_API_KEY is set"), "{short}");
    for setting in [
        "- `model: compatible:[address]#m (",
        "/silcrow/config.toml:1)`",
        "- `theme: light (",
        "- `proxy: [address] (",
        "- `search: searxng:[address] (SILCROW_SEARCH)`",
    ] {
        assert!(short.contains(setting), "{setting}: {short}");
    }
    assert!(!short.contains(".host"), "{short}");
    let long = report(&["--contents"]);
    assert!(long.contains("the contents of a file") && long.contains("and so on"), "{long}");
    assert!(!long.contains(key), "{long}");
}
