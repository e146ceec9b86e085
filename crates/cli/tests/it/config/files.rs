//! Values that a file of settings may not have, and files that must not be read.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use super::{config, own, project};
use crate::support::Sandbox;

#[test]
fn settings_errors_name_file_line_and_remedy() {
    let sandbox = Sandbox::new();
    for (text, why) in [
        (
            "\nmodle = \"x\"",
            "line 2, `modle`: unknown key `modle`; did you mean `mode` or `model` or `models`?",
        ),
        ("colour = 1", "line 1, `colour`: unknown key `colour`; use profile, model, dialect"),
        ("[profiles.a]\ndialekt = \"x\"", "line 2, `profiles.a.dialekt`: unknown key"),
        ("[profiles.a]\nprofile = \"b\"", "line 2, `profiles.a.profile`: unknown key"),
        ("profiles = 1", "line 1, `profiles`: write each profile below a line [profiles.NAME]"),
        ("[profile.work]", "line 1, `profile`: write a text in quotes"),
        ("model = 1", "line 1, `model`: write a text in quotes"),
        ("model = \" \"", "line 1, `model`: write a text in quotes"),
        ("dialect = \"xml\"", "`dialect`: write one of \"sigil\", \"phase\", \"action\""),
        ("mode = true", "`mode`: write one of \"replay\", \"resume\", \"auto\""),
        ("on_question = \"x\"", "`on_question`: write one of \"park\", \"deny\""),
        ("tools = \"shell\"", "`tools`: write a list of names, such as"),
        ("tools = [1]", "`tools`: write a list of names, such as"),
        ("tools = { only = [\"a\"] }", "`tools`: write a list of names, such as"),
        ("search = \"altavista\"", "`search`: write \"duckduckgo\", \"brave\" or"),
        ("theme = \"blue\"", "`theme`: write one of \"dark\", \"light\", \"plain\""),
        ("thoughts = \"loud\"", "`thoughts`: write one of \"brief\", \"full\", \"off\""),
        ("store = 7", "`store`: write a path in quotes"),
        ("prices = 7", "`prices`: write the path of a file of prices in quotes"),
        ("[prices.m]\ninput = 1", "line 1, `prices`: missing field `output`"),
        ("policy = 7", "`policy`: write the path of a policy file in quotes, or a table"),
        ("[policy]\nmode = \"all\"", "line 2, `mode`: unknown mode `all`"),
        ("[policy]\nrule = 1", "line 2, `rule`: unknown name `rule`; did you mean `rules`?"),
        ("[[policy.rules]]\neffect = \"allow\"\ntool = \"file_wriet\"", "`tool`: unknown tool"),
        ("model = \"a\"\nmodel = \"b\"", "line 2"),
        ("model = ", "line 1"),
        ("model = \"a", "line 1"),
    ] {
        let file = own(&sandbox, text);
        let said = sandbox.silcrow(&["run", "go", "--store", "memory"]);
        assert!(said.ends(2).err.starts_with(&format!("silcrow: {file}, line")), "{}", said.err);
        assert!(said.err.contains(why), "{text}: {}", said.err);
    }
    // A program reads the same as an event.
    own(&sandbox, "modle = 1");
    let said = sandbox.silcrow(&["run", "go", "--json"]);
    assert!(said.ends(2).events()[0]["content"].as_str().unwrap().contains("`modle`"));
}

#[test]
fn keys_in_settings_are_refused_and_never_repeated() {
    let sandbox = Sandbox::new();
    let key = "sk-ant-abcdefghijklmnop123456";
    for (text, variable) in [
        (format!("openai_api_key = \"{key}\""), "OPENAI_API_KEY"),
        (format!("anthropic-token = \"{key}\""), "ANTHROPIC_API_KEY"),
        (format!("apiKey = \"{key}\""), "SILCROW_COMPATIBLE_KEY"),
        (format!("model = \"{key}\""), "ANTHROPIC_API_KEY"),
        (format!("search = \"searxng:https://a.example/{key}\""), "ANTHROPIC_API_KEY"),
        (format!("[profiles.a]\nstore = \"/{key}\""), "ANTHROPIC_API_KEY"),
        ("model = \"compatible:https://me:secret-word@a.example#m\"".to_owned(), "COMPATIBLE_KEY"),
        ("proxy = \"http://me:secret-word@a.example:3128\"".to_owned(), "HTTPS_PROXY"),
    ] {
        own(&sandbox, &text);
        let said = config(&sandbox, &[]);
        assert!(said.ends(2).err.contains(variable), "{text}: {}", said.err);
        assert!(said.err.contains("holds no"), "{}", said.err);
        assert!(!said.err.contains("abcdefghijkl") && !said.err.contains("secret-word"));
    }
    own(&sandbox, "");
    let said = config(&sandbox, &["set", "model", key]);
    assert!(said.ends(2).err.contains("looks like a key"), "{}", said.err);
}

#[test]
fn only_regular_settings_files_are_read() {
    let (as_own, as_project) = (Sandbox::new(), Sandbox::new());
    for (sandbox, path) in [
        (&as_own, as_own.path("config/silcrow/config.toml")),
        (&as_project, as_project.path("root/.silcrow/config.toml")),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let fails = |why: &str| {
            let said = sandbox.silcrow(&["run", "go", "--store", "memory"]);
            let name = path.to_str().unwrap();
            assert!(said.ends(2).err.contains(&format!("cannot read {name}")), "{}", said.err);
            assert!(said.err.contains(why), "{}", said.err);
        };
        fs::create_dir(&path).unwrap();
        fails("it is not a file");
        fs::remove_dir(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        fails("it is not a file");
        fs::remove_file(&path).unwrap();
        fs::write(&path, "# x\n".repeat(300_000)).unwrap();
        fails("longer than 1 MiB");
        fs::write(&path, b"model = \"\xff\"").unwrap();
        fails("UTF-8");
        fs::remove_file(&path).unwrap();
        symlink("nowhere", &path).unwrap();
        fails("");
        fs::remove_file(&path).unwrap();
        // The marks and line breaks of other systems' editors are accepted.
        fs::write(&path, "\u{feff}dialect = \"phase\"\r\nmode = \"replay\"\r\n").unwrap();
        assert_eq!(config(sandbox, &["get", "mode"]).ends(0).out, "replay\n");
        fs::write(&path, "\u{feff}dialect = \"phase\"\r\nmood = \"replay\"\r\n").unwrap();
        assert!(config(sandbox, &["get", "mode"]).ends(2).err.contains("line 2, `mood`"));
    }
}

#[test]
fn person_file_may_be_link_but_not_shared() {
    let sandbox = Sandbox::new();
    let file = own(&sandbox, "dialect = \"phase\"\n");
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    assert!(config(&sandbox, &[]).ends(2).err.contains("others can write to it"));
    fs::remove_file(&file).unwrap();
    symlink(sandbox.write("dotfile", "dialect = \"action\"\n"), &file).unwrap();
    assert_eq!(config(&sandbox, &["get", "dialect"]).ends(0).out, "action\n");
    config(&sandbox, &["set", "dialect", "phase"]).ends(0);
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(sandbox.path("dotfile")).unwrap(), "dialect = \"phase\"\n");
}

#[test]
fn project_folder_cannot_be_a_link() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("elsewhere")).unwrap();
    sandbox.write("elsewhere/config.toml", "dialect = \"phase\"\n");
    symlink(sandbox.path("elsewhere"), sandbox.path("root/.silcrow")).unwrap();
    assert!(config(&sandbox, &[]).ends(2).err.contains("its folder is a link"));
    config(&sandbox, &["set", "--project", "dialect", "action"]).ends(1);
    fs::remove_file(sandbox.path("root/.silcrow")).unwrap();
    let file = project(&sandbox, "");
    fs::remove_file(&file).unwrap();
    symlink(sandbox.path("elsewhere/config.toml"), &file).unwrap();
    assert!(config(&sandbox, &[]).ends(2).err.contains("it is a link"));
}
