//! Mistakes in policy files.

use silcrow_policy::{ErrorKind, PolicyFile, PolicyOwner};

/// Files, each with the message after the name of the file.
const MISTAKES: &[(&str, &str)] = &[
    ("mode = ", "line 1: "),
    ("\nmode = \"asc\"", "line 2, `mode`: unknown mode `asc`; did you mean `ask`?"),
    ("mode = 5", "line 1, `mode`: write a text in quotes"),
    ("\nmodes = \"ask\"", "line 2, `modes`: unknown name `modes`; did you mean `mode`?"),
    ("[rules]", "line 1, `rules`: write each rule below a line `[[rules]]`"),
    ("rules = [5]", "line 1: write each rule below a line `[[rules]]`"),
    ("[[rules]]\ntool = \"x\"", "line 1: this rule has no `effect`: write allow, ask or deny"),
    (
        "[[rules]]\neffect = \"ask\"",
        "line 1: this rule has no `tool`: write the name of a tool, or `*` for all",
    ),
    (
        "[[rules]]\neffect = \"never\"\ntool = \"x\"",
        "line 2, `effect`: unknown name `never`; use allow, ask, deny",
    ),
];

/// Fields of a rule about `shell`, each with the message after the line.
const WRONG_FIELDS: &[(&str, &str)] = &[
    ("comand = \"x\"", "`comand`: unknown name `comand`; did you mean `command`?"),
    (
        "colour = \"x\"",
        "`colour`: unknown name `colour`; use effect, tool, agent, path, host, command, args, root, \
         background, timeout, without_sandbox, grants, reason",
    ),
    ("command = []", "`command`: this list is empty, so the rule would match nothing"),
    ("command = [1]", "`command`: write a text in quotes"),
    (
        "command = \"ls | rm\"",
        "`command`: `ls | rm` is not the words of one command; write a rule for each command, \
         without operators, variables and redirections",
    ),
    (
        "command = \"* x\"",
        "`command`: the first word is the name of a command, and not `*`; leave out `command` for \
         all commands",
    ),
    ("path = \"/etc\"", "`path`: `/etc` is not below the root; write the path from there"),
    ("path = \"a/../b\"", "`path`: `a/../b` is not below the root; write the path from there"),
    ("path = \"a[\"", "`path`: `a[` is not a pattern: unclosed character class; missing ']'"),
    (
        "host = \"https://example.org\"",
        "`host`: `https://example.org` is not a host; write a name such as `example.org` or \
         `*.example.org`",
    ),
    ("args = \"x\"", "`args`: write `args = { name = \"pattern\" }`"),
    ("args = { a = 1 }", "`a`: write a text in quotes"),
    ("without_sandbox = 1", "`without_sandbox`: write true or false"),
    ("background = 1", "`background`: write true or false"),
    (
        "timeout = 5",
        "`timeout`: only a rule that allows has it: the longest time limit that it covers",
    ),
    ("reason = 1", "`reason`: write a text in quotes"),
];

#[test]
fn file_errors_name_line_and_fix() {
    for (text, expected) in MISTAKES {
        let message = message(text);
        assert!(message.starts_with(&format!("policy.toml, {expected}")), "{text}: {message}");
    }
    for (field, expected) in WRONG_FIELDS {
        let text = format!("[[rules]]\neffect = \"ask\"\ntool = \"shell\"\n{field}");
        assert_eq!(message(&text), format!("policy.toml, line 4, {expected}"));
    }
}

#[test]
fn only_the_shell_runs_commands() {
    let text = "[[rules]]\neffect = \"ask\"\ntool = \"file_read\"\ncommand = \"ls\"";
    let expected =
        "policy.toml, line 4, `command`: only `shell` runs commands, and not `file_read`";
    assert_eq!(message(text), expected);
}

#[test]
fn a_project_allows_nothing() {
    let text = "mode = \"full\"\n[[rules]]\neffect = \"allow\"\ntool = \"shell\"";
    let error = PolicyFile::parse("p.toml", text, PolicyOwner::Project).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Widens);
    assert!(error.to_string().starts_with("p.toml, line 3, `effect`: "), "{error}");
}

#[test]
fn tool_name_typos_are_errors() {
    let check = |tool: &str| {
        let text = format!("\n[[rules]]\neffect = \"ask\"\ntool = \"{tool}\"\n");
        let file = PolicyFile::parse("p.toml", &text, PolicyOwner::Person).unwrap();
        assert_eq!(file.rules(), 1);
        file.check_tools(&["file_read", "shell"]).map_err(|error| error.to_string())
    };
    for fine in ["file_read", "file_*", "mine", "*"] {
        assert_eq!(check(fine), Ok(()));
    }
    let mistake = "p.toml, line 4, `tool`: unknown tool `file_raed`; did you mean `file_read`?";
    assert_eq!(check("file_raed"), Err(mistake.to_owned()));
}

fn message(text: &str) -> String {
    let error = PolicyFile::parse("policy.toml", text, PolicyOwner::Person).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    error.to_string()
}
