//! The precedence of values, and their effects.

use std::fs;

use serde_json::Value;

use super::{config, own, project, says};
use crate::support::{Sandbox, command_output};

/// Each row removes the layer that counted before.
#[test]
fn flag_wins_over_all_other_layers() {
    let sandbox = Sandbox::new();
    let models = ["flag", "environment", "profile", "nearer", "project", "person"]
        .map(|word| says(&sandbox, word));
    let [flag, environment, profile, nearer, farther, person] = &models;
    let with_profile = format!("model = \"{person}\"\n[profiles.work]\nmodel = \"{profile}\"\n");
    own(&sandbox, &with_profile);
    fs::create_dir_all(sandbox.path("root/.git")).unwrap();
    fs::create_dir_all(sandbox.path("root/sub/.silcrow")).unwrap();
    let near = sandbox.write("root/sub/.silcrow/config.toml", &format!("model = \"{nearer}\"\n"));
    let far = project(&sandbox, &format!("model = \"{farther}\"\n"));
    let said = |args: &[&str], set: Option<&str>| {
        let run = ["run", "go", "--root", "sub", "--store", "memory"];
        let mut command = sandbox.command(&[&run, args].concat());
        set.map(|model| command.env("SILCROW_MODEL", model));
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        command_output(output).ends(0).out.trim().to_owned()
    };
    config(&sandbox, &["trust", "--root", "sub"]).ends(0);
    let work = ["--profile", "work"];
    assert_eq!(said(&["--profile", "work", "--model", flag], Some(environment)), "flag");
    assert_eq!(said(&work, Some(environment)), "environment");
    assert_eq!(said(&work, None), "profile");
    assert_eq!(said(&[], None), "nearer");
    fs::remove_file(near).unwrap();
    assert_eq!(said(&[], None), "project");
    fs::remove_file(far).unwrap();
    assert_eq!(said(&[], None), "person");
    own(&sandbox, "");
    let default = config(&sandbox, &[]);
    assert!(
        default.ends(0).out.contains("model                rehearsal                default\n")
    );
}

#[test]
fn flag_environment_or_file_chooses_the_profile() {
    let sandbox = Sandbox::new();
    let profiles = "[profiles.a]\ndialect = \"phase\"\n[profiles.b]\ndialect = \"action\"\n";
    let file = own(&sandbox, &format!("profile = \"a\"\n{profiles}"));
    let dialect = |args: &[&str], set: Option<&str>| {
        let mut command = sandbox.command(&[&["config", "get", "dialect"], args].concat());
        set.map(|profile| command.env("SILCROW_PROFILE", profile));
        command_output(command.output().unwrap()).ends(0).out.trim().to_owned()
    };
    assert_eq!(dialect(&[], None), "phase");
    assert_eq!(dialect(&[], Some("b")), "action");
    assert_eq!(dialect(&["--profile", "a"], Some("b")), "phase");
    let shown = config(&sandbox, &[]);
    let rows = [format!("{file}:1\n"), format!("{file}:3 (profile a)\n")];
    assert!(rows.iter().all(|row| shown.ends(0).out.contains(row)), "{}", shown.out);
    let wrong = config(&sandbox, &["--profile", "aa"]);
    assert!(wrong.ends(2).err.contains("unknown profile `aa`"), "{}", wrong.err);
    let none = config(&Sandbox::new(), &["--profile", "a"]);
    assert!(none.ends(2).err.contains("(--profile), because you have no file"), "{}", none.err);
}

#[test]
fn config_shows_each_value_with_its_source() {
    let sandbox = Sandbox::new();
    let file = own(&sandbox, "# Mine.\ndialect = \"phase\"\n\n[policy]\nmode = \"ask\"\n");
    let mut command = sandbox.command(&["config", "--json"]);
    let shown = command_output(command.env("SILCROW_MODEL", "openai:m").output().unwrap());
    let rows = shown.ends(0).events();
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap();
    assert_eq!(row("model")["source"], "environment");
    assert_eq!(row("model")["name"], "SILCROW_MODEL");
    assert_eq!(
        (&row("dialect")["name"], &row("dialect")["line"]),
        (&file.clone().into(), &2.into())
    );
    assert_eq!(
        (&row("policy.mode")["value"], &row("policy.mode")["line"]),
        (&"ask".into(), &5.into())
    );
    assert_eq!(
        (&row("store")["value"], &row("store")["source"]),
        (&Value::Null, &"default".into())
    );
    assert_eq!(config(&sandbox, &["get", "dialect"]).ends(0).out, "phase\n");
    let unset = config(&sandbox, &["get", "store"]);
    assert_eq!((unset.ends(1).out.as_str(), unset.err.as_str()), ("", ""));
}

#[test]
fn settings_take_the_place_of_flags() {
    let sandbox = Sandbox::new();
    let script = "<execute>[{\"name\":\"file_write\",\"args\":{\"file\":\"a.txt\",\"content\":\"x\"}}]\
                  </execute>\n%%\nwritten\n<end>";
    let script = sandbox.write("script", script);
    let settings = format!(
        "model = \"script:{script}\"\ndialect = \"phase\"\nmode = \"replay\"\nstore = \"kept\"\n\
         on_question = \"park\"\n"
    );
    own(&sandbox, &settings);
    // The question is stored, because nobody can answer it here.
    sandbox.silcrow(&["run", "go", "--new", "c"]).ends(3);
    assert!(sandbox.path("config/silcrow/kept/FORMAT").exists());
    assert!(!sandbox.path("data/silcrow").exists());
    let asked = sandbox.silcrow(&["answer", "c"]);
    assert!(asked.ends(0).out.contains("a.txt"), "{}", asked.out);
    assert!(sandbox.silcrow(&["log", "--json"]).ends(0).out.contains("\"c\""));
    sandbox.silcrow(&["run", "go", "--new", "d", "--on-question", "deny"]).ends(0);
}

#[test]
fn settings_policy_equals_a_policy_file() {
    let sandbox = Sandbox::new();
    let write = || {
        let call = r#"{"file":"a.txt","content":"x"}"#;
        sandbox.silcrow(&["tool", "file_write", call]).code
    };
    assert_eq!(write(), Some(1));
    own(&sandbox, "[[policy.rules]]\neffect = \"allow\"\ntool = \"file_write\"\n");
    assert_eq!(write(), Some(0));
    // The rules of a profile are added, and its mode counts.
    own(
        &sandbox,
        "profile = \"safe\"\n[policy]\nmode = \"workspace\"\n\
         [profiles.safe.policy]\nmode = \"read-only\"\n",
    );
    assert_eq!(write(), Some(1));
    let file = sandbox.write("config/silcrow/mine.toml", "mode = \"workspace\"\n");
    own(&sandbox, "policy = \"mine.toml\"\n");
    assert_eq!(write(), Some(0));
    fs::remove_file(file).unwrap();
    assert_eq!(write(), Some(2));
}

#[test]
fn only_selected_tools_are_offered() {
    let sandbox = Sandbox::new();
    let names = || {
        let listed = sandbox.silcrow(&["tools"]).ends(0).events();
        listed.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    own(&sandbox, "tools = [\"file_read\", \"file_list\"]\n");
    assert_eq!(names(), ["file_list", "file_read"]);
    own(&sandbox, "tools = { except = [\"shell\", \"shell_processes\"] }\n");
    assert!(!names().iter().any(|name| name.starts_with("shell")));
    let call = "§call: {\"name\":\"file_list\",\"args\":{}}\n§execute\n%%\n§respond: done\n§end";
    let model = format!("script:{}", sandbox.write("script", call));
    let run = |tools: &str| {
        let args =
            ["run", "go", "--store", "memory", "--json", "--model", &model, "--tools", tools];
        sandbox.silcrow(&args)
    };
    let status = |tools: &str| {
        let events = run(tools).ends(0).events();
        let result = events.into_iter().find(|event| event["type"] == "result").unwrap();
        result["payload"]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status("file_list"), "success");
    assert_eq!(status("except:file_list"), "failure");
    let wrong = run("except:file_lits");
    let why = "--tools: unknown tool `file_lits`; did you mean `file_list`?";
    assert!(wrong.ends(2).out.contains(why), "{}", wrong.out);
}

#[test]
fn prices_are_a_path_or_a_table() {
    let sandbox = Sandbox::new();
    let model = says(&sandbox, "word");
    let table = "[prices.script]\ninput = 1\noutput = \"2.5\"\n";
    own(&sandbox, table);
    let run =
        ["run", "go", "--model", &model, "--budget-cost", "1", "--budget-conversation-cost", "1"];
    sandbox.silcrow(&run).ends(0);
    own(&sandbox, "prices = \"prices.toml\"\n");
    sandbox.write("config/silcrow/prices.toml", &table.replace("prices.", ""));
    sandbox.silcrow(&run).ends(0);
    own(&sandbox, "");
    assert!(sandbox.silcrow(&run).ends(2).err.contains("the price of"));
}
