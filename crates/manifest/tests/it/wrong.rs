//! Manifests with a mistake, which have an error with its line and its field.

use std::os::unix::fs::symlink;
use std::{fs, path::Path};

use silcrow_manifest::{DeclaredManifest, ErrorKind, KnownTools, ServerToolNames};
use silcrow_models::{Environment, ModelOptions, Models};
use silcrow_parser::Dialect;
use silcrow_tool::Toolbox;

use crate::{read, written};

/// Returns the message about a text, without the path of its file.
fn message(text: &str, dialect: Dialect) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), text);
    let error = read(&file, dialect).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    error.to_string().replace(file.to_str().unwrap(), "silcrow.toml")
}

#[test]
fn mistakes_have_a_line_and_a_field() {
    let agent = "[agents.a]\ndescription = \"x\"\n";
    let block = |fields: &str| {
        format!(
            "[workflows.w]\ndescription = \"x\"\n[[workflows.w.actions]]\nid = \"b\"\n{fields}\n"
        )
    };
    for (text, expected) in [
        ("[agents.a]\n", "silcrow.toml, line 1, `agents.a`: missing field `description`"),
        (&*format!("{agent}tool = []\n"), "silcrow.toml, line 3, `agents.a.tool`: unknown field"),
        (
            &*format!("{agent}agents = [\"b\"]\n"),
            "`agents.a.agents[0]`: unknown agent `b`; use `a`",
        ),
        (
            "[relics.r]\nkind = \"mongo\"\n",
            "line 2, `relics.r.kind`: `mongo`: unknown kind; use one of `kv`, `http`, `sql`, `mcp`",
        ),
        (
            "[relics.r]\nkind = \"kv\"\nbase = \"https://a.example\"\n",
            "line 3, `relics.r.base`: this kind of relic does not have it",
        ),
        (
            "[relics.r]\nkind = \"http\"\nbase = \"https://a.example\"\n",
            "`relics.r.operations`: it is missing: write [relics.r.operations.NAME]",
        ),
        (
            "[relics.r]\nkind = \"http\"\nbase = \"https://u:p@a.example\"\n[relics.r.operations.get]\n",
            "line 3, `relics.r.base`: it has to be an address of http or https, without a user",
        ),
        (
            "[relics.r]\nkind = \"sql\"\ndatabase = \"postgres://u:p@h/d\"\n[relics.r.operations.get]\n",
            "line 3, `relics.r.database`: it is the name of a variable of the environment",
        ),
        (
            "[relics.r]\nkind = \"sql\"\ndatabase = \"SHOP\"\n[relics.r.operations.get]\nparameters = [\"a:int\"]\n",
            "line 5, `relics.r.operations.get.parameters[0]`: unknown type `int`",
        ),
        (
            "[relics.r]\nkind = \"sql\"\ndatabase = \"SHOP\"\n[relics.r.operations.get]\npath = \"a\"\n",
            "line 5, `relics.r.operations.get.path`: it belongs to a relic of the kind http",
        ),
        ("[aliases]\nread = \"file_raed\"\n", "line 2, `aliases.read`: unknown tool `file_raed`"),
        (
            "[aliases]\na = \"b\"\nb = \"a\"\n",
            "line 2, `aliases.a`: `b` is an alias; name the tool itself",
        ),
        ("[llm.\"a b\"]\n", "line 1, `llm.a b`: a name has 1 to 64 letters, digits, `_` and `-`"),
        (
            "[workflows.w]\ndescription = \"x\"\nactions = []\n",
            "`workflows.w.actions`: no action given",
        ),
        ("[llm.l]\neffort = \"much\"\n", "line 2, `llm.l.effort`: "),
        ("[llm.l]\nthinking_budget = -1\n", "line 2, `llm.l.thinking_budget`: "),
        (&*format!("{agent}thinking_display = \"all\"\n"), "line 3, `agents.a.thinking_display`: "),
        (
            &*format!("{agent}model = \"rehearsal\"\neffort = \"low\"\n"),
            "line 4, `agents.a.effort`: `rehearsal` does not have it; leave it out",
        ),
        (
            "[llm.l]\nmodel = \"compatible:nowhere#m\"\n",
            "line 2, `llm.l.model`: the server's address cannot be read",
        ),
        (
            &*block("foreach = \"files\"\nas = \"f\"\nactions = [{ id = \"r\", name = \"x\" }]"),
            "`workflows.w.actions[0].actions[0].name`: unknown tool `x`",
        ),
        (&*block("foreach = \"files\""), "`workflows.w.actions[0].as`: it is missing"),
        (&*block("if = \"1 +\""), "line 5, `workflows.w.actions[0].if`: "),
        (
            &*block("if = \"true\"\nthen = [{ id = \"b\", value = \"1\" }]"),
            "`workflows.w.actions[0].then[0].id`: the id `b` is taken",
        ),
        (&*block("value = \"1\"\nif = \"true\""), "`workflows.w.actions[0]`: an entry has one of"),
        (
            &*block("value = \"1\"\nmode = \"async\""),
            "`workflows.w.actions[0].mode`: this kind of entry does not have it",
        ),
        (&*block("parallel = \"most\""), "unknown join; use one of `all`"),
        ("[llm.l]\nmodel = \"script:/etc/passwd\"\n", "is not beneath the manifest's folder"),
    ] {
        let message = message(text, Dialect::Action);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn names_are_unique_when_everything_is_tool() {
    let text = "[llm.a]\n[agents.a]\ndescription = \"x\"\n";
    let message = message(text, Dialect::Sigil);
    assert!(message.contains("the llm `a` has the name of `agents.a`"), "{message}");
    let folder = tempfile::tempdir().unwrap();
    read(&written(folder.path(), text), Dialect::Action).unwrap();
}

#[test]
fn link_out_of_the_folder_is_rejected() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(other.path().join("answers"), "§end").unwrap();
    symlink(other.path().join("answers"), folder.path().join("answers")).unwrap();
    let file = written(folder.path(), "[llm.l]\nmodel = \"script:answers\"\n");
    let message = read(&file, Dialect::Action).unwrap_err().to_string();
    assert!(message.contains("answers is not beneath the manifest's folder"), "{message}");
}

#[test]
fn non_files_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for (path, why) in [
        (folder.path(), "it is not a file"),
        (Path::new("/no/such/file"), "the file does not exist"),
    ] {
        let error = read(path, Dialect::Action).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::File);
        assert_eq!(error.to_string(), format!("cannot read {}: {why}", path.display()));
    }
}

/// The server `files`.
struct FilesServer;

impl ServerToolNames for FilesServer {
    fn has(&self, tool: &str) -> bool {
        tool.starts_with("files.")
    }

    fn hint(&self, tool: &str) -> Option<String> {
        tool.contains('.').then(|| "there is no such server".to_owned())
    }
}

#[test]
fn tools_of_servers_are_known_by_their_server() {
    let folder = tempfile::tempdir().unwrap();
    let read = |tool: &str| {
        let text = format!("[agents.a]\ndescription = \"x\"\ntools = [\"{tool}\"]\n");
        let file = written(folder.path(), &text);
        let toolbox = Toolbox::new();
        let known = KnownTools::new(&toolbox).with_servers(&FilesServer);
        DeclaredManifest::read(&file, Dialect::Action, &known).map(drop)
    };
    read("files.*").unwrap();
    let message = read("mail.send").unwrap_err().to_string();
    assert!(message.ends_with("unknown tool `mail.send`; there is no such server"), "{message}");
}

#[test]
fn servers_elsewhere_need_a_choice_or_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[llm.l]\nmodel = \"compatible:https://models.example/v1#m\"\n\
                [llm.here]\nmodel = \"compatible:http://127.0.0.1:1/v1#m\"\n";
    let file = written(folder.path(), text);
    let open = |chosen: &str, key: &str| {
        let environment = Environment::from_vars([("SILCROW_COMPATIBLE_KEY", key)]);
        let options = ModelOptions::new(environment).with_chosen(chosen);
        let declared = read(&file, Dialect::Action).unwrap();
        let origins: Vec<_> = declared.remote_servers().map(|(field, _)| field).collect();
        assert_eq!(origins, ["llm.l.model"]);
        declared.trust().open(&Models::new(options)).map(drop)
    };
    let error = open("rehearsal", "elsewhere.example=canary-0123").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server);
    assert!(error.to_string().contains("line 2, `llm.l.model`"), "{error}");
    open("compatible:https://models.example/v1#other", " ").unwrap();
    open("rehearsal", "models.example=canary-0123").unwrap();
}

#[test]
fn unopenable_model_error_names_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "[llm.l]\nmodel = \"openai:gpt-5.1\"\n");
    let models = Models::new(ModelOptions::new(Environment::from_vars::<&str, &str>([])));
    let declared = read(&file, Dialect::Action).unwrap();
    let error = declared.trust().open(&models).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Model);
    let end = "line 2, `llm.l.model`: OPENAI_API_KEY is not set; put your key there";
    assert!(error.to_string().ends_with(end), "{error}");
}
