//! A key in the environment and no model: the person names one, and the rehearsal model does not
//! answer in its place.

use std::process::Stdio;

use super::{config, own, says};
use crate::approve::at_terminal;
use crate::support::{Sandbox, command_output};

#[test]
fn missing_model_error_names_the_command() {
    let sandbox = Sandbox::new();
    let key_file = sandbox.write("key", "sk-canary");
    for (set, name) in [
        (&[("OPENAI_API_KEY", "sk-canary")][..], "openai:gpt-"),
        (&[("ANTHROPIC_API_KEY", "sk-canary")], "anthropic:claude-"),
        (&[("GEMINI_API_KEY_FILE", &*key_file)], "gemini:gemini-"),
        (&[("AZURE_OPENAI_API_KEY", "sk-canary")], "azure:DEPLOYMENT"),
        (&[("OPENAI_API_KEY", "x"), ("OPENAI_BASE_URL", "http://[::1]:1")], "openai:MODEL"),
    ] {
        let run = |args: &[&str]| {
            let mut command =
                sandbox.command(&[&["run", "go", "--store", "memory"], args].concat());
            command.envs(set.iter().copied()).stdin(Stdio::null());
            command_output(command.output().unwrap())
        };
        let said = run(&[]);
        let variable = set[0].0;
        assert_eq!(said.ends(2).out, "");
        assert!(said.err.starts_with(&format!("silcrow: {variable} is set, but")), "{}", said.err);
        let next = format!("run silcrow config set model {name}");
        assert!(said.err.contains(&next), "{}", said.err);
        assert_eq!(run(&["--json"]).ends(2).events()[0]["code"], "no_model");
        run(&["--model", "rehearsal"]).ends(0);
        let mut named = sandbox.command(&["run", "go", "--store", "memory"]);
        named.envs(set.iter().copied()).env("SILCROW_MODEL", "rehearsal").stdin(Stdio::null());
        command_output(named.output().unwrap()).ends(0);
    }
    // Without a key the rehearsal model answers, and says that it is one.
    let said = sandbox.silcrow(&["run", "go", "--store", "memory"]);
    assert!(said.ends(0).err.starts_with("rehearsal model: "), "{}", said.err);
    own(&sandbox, &format!("model = \"{}\"\n", says(&sandbox, "mine")));
    let mut command = sandbox.command(&["run", "go", "--store", "memory"]);
    command.env("OPENAI_API_KEY", "sk-canary").stdin(Stdio::null());
    assert_eq!(command_output(command.output().unwrap()).ends(0).out, "mine\n");
}

#[test]
fn terminal_offers_to_save_the_suggested_model() {
    let sandbox = Sandbox::new();
    let mut run = sandbox.command(&["run", "go", "--store", "memory"]);
    run.env("OPENAI_API_KEY", "sk-canary");
    let (shown, code) = at_terminal(&run, &["n\n"]);
    assert!(shown.contains("OPENAI_API_KEY is set, and no model is named. That would be openai:"));
    assert!(shown.contains("run silcrow config set model openai:"), "{shown}");
    assert_eq!(code, Some(2));
    assert_eq!(config(&sandbox, &["get", "model"]).code, Some(1));
    // The key goes nowhere, because the run ends at an argument before it asks.
    let mut run = sandbox.command(&["run", "go", "--mode", "resume"]);
    run.env("OPENAI_API_KEY", "sk-canary");
    let (shown, code) = at_terminal(&run, &["y\n"]);
    assert!(shown.contains("keeps no connection"), "{shown}");
    assert_eq!(code, Some(2));
    let kept = config(&sandbox, &["get", "model"]).ends(0).out.clone();
    assert!(kept.starts_with("openai:"), "{kept}");
}
