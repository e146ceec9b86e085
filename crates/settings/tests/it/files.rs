//! Values that a file of settings must not have.

use silcrow_settings::ErrorKind;

use super::Home;

/// Files, each with the message.
const MISTAKES: &[(&str, &str)] = &[
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
    ("[models.m]\nsees = [\"smell\"]", "line 1, `models`: `sees` has \"smell\"; it is a list of"),
    ("[models.m]\nhears = true", "line 1, `models`: unknown field `hears`"),
    ("models = 7", "line 1, `models`: write a table [models.\"MODEL\"]"),
    ("[prices.m]\ninput = 1", "line 1, `prices`: missing field `output`"),
    ("policy = 7", "`policy`: write the path of a policy file in quotes, or a table"),
    ("[policy]\nrule = 1", "line 2, `rule`: unknown name `rule`; did you mean `rules`?"),
    ("[policy]\nmode = \"all\"", "line 2, `mode`: unknown mode `all`"),
    ("[sampling]\ntemperature = 3", "`sampling.temperature`: write a number from 0 to 2"),
    ("[mcp.x]\nurl = \"http://example.org\"", "a server on another machine is reached by https://"),
    ("[mcp.x]\ncommand = []", "the command is empty; write the program and its arguments"),
    ("[mcp.\"a b\"]\ncommand = [\"x\"]", "`a b` cannot be the name of a server"),
    ("[mcp.x]\nurl = \"https://a.b\"\nheaders = { Host = \"$A\" }", "is set by the request itself"),
    ("model = \"a\"\nmodel = \"b\"", "line 2"),
    ("model = ", "line 1"),
    ("model = \"a", "line 1"),
];

#[test]
fn settings_errors_name_file_line_and_remedy() {
    let home = Home::new();
    for (text, why) in MISTAKES {
        let file = home.own(text);
        let error = home.load().unwrap_err();
        let said = error.to_string();
        assert!(said.starts_with(&format!("{}, line", file.display())), "{text}: {said}");
        assert!(said.contains(why), "{text}: {said}");
        let is_policy = text.starts_with("[policy]");
        let kind = if is_policy { ErrorKind::InvalidPolicy } else { ErrorKind::Invalid };
        assert_eq!(error.kind(), kind, "{text}");
    }
}

#[test]
fn unchosen_profiles_are_validated_too() {
    let home = Home::new();
    home.own("[profiles.a]\nmodel = 1\n");
    assert!(home.load().unwrap_err().to_string().contains("`profiles.a.model`"));
}

#[test]
fn keys_in_settings_are_refused_and_never_repeated() {
    let home = Home::new();
    let key = "sk-ant-abcdefghijklmnop123456";
    for (text, variable) in [
        (format!("openai_api_key = \"{key}\""), "OPENAI_API_KEY"),
        (format!("anthropic-token = \"{key}\""), "ANTHROPIC_API_KEY"),
        (format!("apiKey = \"{key}\""), "SILCROW_COMPATIBLE_KEY"),
        (format!("model = \"{key}\""), "ANTHROPIC_API_KEY"),
        (format!("[profiles.a]\nstore = \"/{key}\""), "ANTHROPIC_API_KEY"),
        (format!("[mcp.x]\ncommand = [\"x\", \"{key}\"]"), "ANTHROPIC_API_KEY"),
        ("proxy = \"http://me:secret-word@a.example:3128\"".to_owned(), "HTTPS_PROXY"),
    ] {
        home.own(&text);
        let error = home.load().unwrap_err().to_string();
        assert!(error.contains(variable) && error.contains("holds no"), "{text}: {error}");
        assert!(!error.contains("abcdefghijkl") && !error.contains("secret-word"), "{error}");
    }
}
