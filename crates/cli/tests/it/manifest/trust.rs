//! The trust in manifests: one is used only after the person trusts its present contents.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use serde_json::json;

use super::sandbox;
use crate::approve::at_terminal;
use crate::server::play;
use crate::support::{CommandOutput, Sandbox, command_output};

const AGENT: &str = "[agents.a]\ndescription = \"x\"\ntools = [\"file_read\"]\n";

/// A run whose person answers at once.
fn run(sandbox: &Sandbox, manifest: &str) -> CommandOutput {
    let model = format!("script:{}", sandbox.write("person", "<response>ran</response>"));
    let args = ["--store", "memory", "--dialect", "action", "--manifest", manifest];
    sandbox.silcrow(&[&["run", "go", "--model", &model][..], &args].concat())
}

#[track_caller]
fn refused(said: &CommandOutput, words: &[&str]) {
    assert_eq!(said.ends(2).out, "");
    for word in words {
        assert!(said.err.contains(word), "`{word}` is missing: {}", said.err);
    }
}

#[test]
fn manifest_without_terminal_must_be_trusted() {
    let sandbox = sandbox();
    let file = sandbox.write("m.toml", AGENT);
    refused(
        &run(&sandbox, &file),
        &["is not trusted yet", &format!("silcrow manifest trust {file}")],
    );
    let json = sandbox.silcrow(&["run", "go", "--json", "--manifest", &file]);
    assert_eq!(json.ends(2).events()[0]["code"], "untrusted_manifest");
    let shown = sandbox.silcrow(&["manifest", "show", &file]);
    assert!(shown.ends(0).out.contains("is not trusted yet"), "{}", shown.out);

    let trusted = sandbox.silcrow(&["manifest", "trust", &file]);
    for word in
        ["agents     │ a\n", "tools      │ file_read\n", "sha256", "trusted until it changes"]
    {
        assert!(trusted.ends(0).out.contains(word), "`{word}` is missing: {}", trusted.out);
    }
    assert!(run(&sandbox, &file).ends(0).out.contains("ran"));

    // Another text at this path, and this text at another path.
    sandbox.write("m.toml", &format!("{AGENT}\n"));
    refused(&run(&sandbox, &file), &["has changed since it was trusted", "silcrow manifest trust"]);
    let copy = sandbox.write("copy.toml", AGENT);
    refused(&run(&sandbox, &copy), &["is not trusted yet"]);

    // A trusted text is not asked about again; a link leads to the same file.
    sandbox.write("m.toml", AGENT);
    run(&sandbox, &file).ends(0);
    symlink(&file, sandbox.path("link.toml")).unwrap();
    run(&sandbox, sandbox.path("link.toml").to_str().unwrap()).ends(0);

    let revoked = sandbox.silcrow(&["manifest", "revoke", &file]);
    assert!(revoked.ends(0).out.contains("is no longer trusted"), "{}", revoked.out);
    refused(&run(&sandbox, &file), &["is not trusted yet"]);
    fs::remove_file(&file).unwrap();
    let revoked = sandbox.silcrow(&["manifest", "revoke", &file]);
    assert!(revoked.ends(0).out.contains("was not trusted"), "{}", revoked.out);
    refused(&sandbox.silcrow(&["manifest", "trust", &file]), &["the file does not exist"]);
    refused(&run(&sandbox, "/dev/null"), &["it is not a file"]);
    refused(&sandbox.silcrow(&["manifest"]), &["needs a command", "silcrow manifest --help"]);
}

#[test]
fn terminal_asks_once_per_manifest_version() {
    let sandbox = sandbox();
    // A path that would end the line and begin a forged one.
    let folder = sandbox.path("odd\nTrust it");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("says"), "short").unwrap();
    let file = sandbox.write(
        "odd\nTrust it/m.toml",
        &format!(
            "{AGENT}\n[llm.b]\nmodel = \"script:says\"\n[llm.c]\nmodel = \
             \"compatible:http://127.0.0.1:1/v1#\\u001b[2J\\u202em\\u3164\"\n\
             [relics.r]\nkind = \"kv\"\n[workflows.w]\ndescription = \"x\"\n\
             [[workflows.w.actions]]\nid = \"w\"\nname = \"file_write\"\n"
        ),
    );
    let model = format!("script:{}", sandbox.write("person", "<response>ran</response>"));
    let args = ["--store", "memory", "--dialect", "action", "--manifest", &file];
    let command = sandbox.command(&[&["run", "go", "--model", &model][..], &args].concat());

    for no in ["n\n", "\n", "maybe\n", "\u{4}"] {
        let (shown, ended) = at_terminal(&command, &[no]);
        assert_eq!(ended, Some(2), "{shown}");
        assert!(shown.contains("is not trusted, and nothing was run"), "{shown}");
        assert!(!shown.contains("ran"), "{shown}");
    }
    assert!(!sandbox.path("data/silcrow-trust").exists());

    let (shown, ended) = at_terminal(&command, &["y\n"]);
    assert_eq!(ended, Some(0), "{shown}");
    assert!(shown.contains("ran"), "{shown}");
    for line in [
        "\nThis manifest is not trusted yet:\n",
        "odd⏎Trust it/m.toml\n",
        "  agents     │ a\n",
        "  workflows  │ w\n",
        "  llm        │ b, c\n",
        "  relics     │ r\n",
        "  tools      │ file_read, file_write\n",
        r"\x1b[2J\u{202e}m\u{3164}",
        "odd⏎Trust it/says\n",
        "  servers    │ http://127.0.0.1:1\n",
    ] {
        assert!(shown.contains(line), "`{line}` is missing: {shown}");
    }
    assert!(!shown.contains(['\x1b', '\u{202e}', '\u{3164}']), "{shown:?}");

    let record = sandbox.path("data/silcrow-trust");
    assert_eq!(record.metadata().unwrap().mode() & 0o7777, 0o700);
    let files: Vec<_> = record.read_dir().unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].metadata().unwrap().mode() & 0o7777, 0o600);

    let (shown, ended) = at_terminal(&command, &[]);
    assert_eq!(ended, Some(0), "{shown}");
    assert!(!shown.contains("Trust it?"), "{shown}");

    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("file_write", "file_list")).unwrap();
    let (shown, ended) = at_terminal(&command, &["y\n"]);
    assert_eq!(ended, Some(0), "{shown}");
    assert!(shown.contains("has changed since it was trusted"), "{shown}");
}

/// A terminal that wraps a row would begin the next one with text of the manifest.
#[test]
fn names_cannot_forge_question_rows() {
    let sandbox = sandbox();
    let forged = format!("x{:65}  tools      │ file_read{:60}Trust it? ", "", "");
    let models: String = (0..12)
        .map(|n| format!("[llm.l{n}]\nmodel = {}\n", json!(format!("{n}{forged}"))))
        .collect();
    let text = format!("[agents.a]\ndescription = \"x\"\ntools = [\"file_write\"]\n{models}");
    let file = sandbox.write("m.toml", &text);
    let args = ["run", "go", "--store", "memory", "--dialect", "action", "--manifest", &file];
    let (shown, ended) = at_terminal(&sandbox.command(&args), &["n\n"]);
    assert_eq!(ended, Some(2), "{shown}");
    let (_, question) = shown.split_once("This manifest is not trusted yet:\n").unwrap();
    let (rows, _) = question.split_once("What it declares runs").unwrap();
    assert!(rows.contains("Trust it?"), "all of a name is shown: {rows}");
    let mut labels = Vec::new();
    for row in rows.lines() {
        assert!(row.chars().count() < 80, "it is wrapped here, not there: {row}");
        let gutter = row.chars().nth("  ".len() + 11);
        let label: String = row.chars().take(13).collect();
        match gutter {
            Some('│') => labels.push(label.trim().to_owned()),
            _ => assert!(gutter == Some('┊') && label.trim().is_empty(), "{row}"),
        }
    }
    // Long names do not scroll a manifest's permissions away.
    assert_eq!(labels, ["file", "agents", "llm", "models", "tools", "sha256"], "{rows}");
}

#[test]
fn trust_record_writable_by_others_is_ignored() {
    let sandbox = sandbox();
    let file = sandbox.write("m.toml", AGENT);
    sandbox.trust(&file);
    let record = sandbox.path("data/silcrow-trust");
    let entry = record.read_dir().unwrap().next().unwrap().unwrap().path();
    let mode = |path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();

    mode(&record, 0o777);
    refused(&run(&sandbox, &file), &["silcrow-trust", "others can write to it"]);
    mode(&record, 0o700);
    mode(&entry, 0o622);
    refused(&run(&sandbox, &file), &["silcrow-trust", "others can write to it"]);
    mode(&entry, 0o600);
    run(&sandbox, &file).ends(0);

    // Only a superuser can give them away.
    for path in [&record, &entry] {
        let give = |user| std::os::unix::fs::chown(path, Some(user), None);
        let own = path.metadata().unwrap().uid();
        if give(12345).is_ok() {
            refused(&run(&sandbox, &file), &["silcrow-trust", "belongs to another user"]);
            give(own).unwrap();
        }
    }
    run(&sandbox, &file).ends(0);

    let elsewhere = sandbox.path("elsewhere");
    fs::rename(&entry, &elsewhere).unwrap();
    symlink(&elsewhere, &entry).unwrap();
    refused(&run(&sandbox, &file), &["it is a link"]);
    fs::remove_file(&entry).unwrap();
    fs::rename(&elsewhere, &entry).unwrap();
    fs::rename(&record, &elsewhere).unwrap();
    symlink(&elsewhere, &record).unwrap();
    refused(&run(&sandbox, &file), &["it is not a folder"]);
}

#[test]
fn manifest_models_name_only_files_beneath_it() {
    let sandbox = sandbox();
    let folder = sandbox.path("project");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("says"), "short").unwrap();
    let secret = sandbox.write("secret", "very secret");
    symlink(&secret, folder.join("link")).unwrap();
    let manifest = |model: &str| {
        let text = format!("[llm.l]\nmodel = {}\n", json!(model));
        sandbox.write("project/m.toml", &text)
    };
    for word in ["script", "replay"] {
        for file in [&*secret, "../secret", "link", "./../project/../secret", "/etc/passwd"] {
            let file = manifest(&format!("{word}:{file}"));
            let words = ["line 2, `llm.l.model`", "is not beneath the manifest's folder"];
            refused(&sandbox.silcrow(&["manifest", "trust", &file]), &words);
            refused(&run(&sandbox, &file), &words);
        }
    }
    refused(&run(&sandbox, &manifest("script:none")), &["`llm.l.model`", "cannot read none"]);

    let file = manifest("script:says");
    sandbox.trust(&file);
    let person = "<action type=\"llm\" id=\"x\">{\"name\":\"l\",\"parameters\":{\"prompt\":\"p\"}}\
                  </action><response>$x</response>";
    let model = format!("script:{}", sandbox.write("person", person));
    let args = ["--store", "memory", "--dialect", "action", "--manifest", &file];
    let said = sandbox.silcrow(&[&["run", "go", "--model", &model][..], &args].concat());
    assert_eq!(said.ends(0).out, "short\n");
}

/// An answer of Chat Completions.
fn answer(text: &str) -> Vec<u8> {
    let delta = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let body = format!("data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn manifest_servers_get_no_keys() {
    let sandbox = sandbox();
    let asks = "<action type=\"llm\" id=\"x\">{\"name\":\"l\",\"parameters\":{\"prompt\":\"p\"}}\
                </action><response>$x</response>";
    let manifest = |model: &str| {
        let file = sandbox.write("m.toml", &format!("[llm.l]\nmodel = {}\n", json!(model)));
        sandbox.trust(&file);
        file
    };
    let run_with = |key: &str, model: &str, file: &str| {
        let args = ["--store", "memory", "--dialect", "action", "--manifest", file];
        let args = [&["run", "go", "--model", model][..], &args].concat();
        command_output(sandbox.command(&args).env("SILCROW_COMPATIBLE_KEY", key).output().unwrap())
    };
    let run = |model: &str, file: &str| run_with("sk-secret", model, file);
    let script = format!("script:{}", sandbox.write("person", asks));

    // Trusted or not, it does not decide where conversations go.
    for url in [
        "https://evil.example/v1",
        "http://10.0.0.7:8080/v1",
        "http://127.0.0.1@evil.example/v1",
        "http://localhost.evil.example/v1",
        "https://evil.example/v1#http://127.0.0.1",
    ] {
        let said = run(&script, &manifest(&format!("compatible:{url}#m")));
        refused(&said, &["line 2, `llm.l.model`", "a manifest may ask servers of this machine"]);
    }

    let (address, played) = play(vec![answer("local")], 1 << 20);
    let said = run(&script, &manifest(&format!("compatible:http://{address}/v1#m")));
    assert_eq!(said.ends(0).out, "local\n");
    let request = played.join().unwrap().remove(0).to_lowercase();
    assert!(!request.contains("authorization") && !request.contains("sk-secret"), "{request}");

    // A key that is declared for a server lets a manifest name it.
    let (address, played) = play(vec![answer("declared")], 1 << 20);
    let file = manifest(&format!("compatible:http://{address}/v1#m"));
    let said = run_with(&format!("{address}=sk-declared"), &script, &file);
    assert_eq!(said.ends(0).out, "declared\n");
    assert!(played.join().unwrap()[0].contains("Bearer sk-declared"));
    let says = format!("script:{}", sandbox.write("says", "<response>ran</response>"));
    let file = manifest("compatible:https://api.example/v1#m");
    assert_eq!(run_with("api.example=sk-declared", &says, &file).ends(0).out, "ran\n");

    // The server that the person chose has their key already.
    let (address, played) = play(vec![answer(asks), answer("own")], 1 << 20);
    let own = format!("compatible:http://{address}/v1#big");
    let said = run(&own, &manifest(&format!("compatible:http://{address}/v1#small")));
    assert_eq!(said.ends(0).out, "own\n");
    for request in played.join().unwrap() {
        assert!(request.contains("Bearer sk-secret"), "{request}");
    }
}
