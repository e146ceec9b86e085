use serde_json::{Value, json};

use super::table::{HEAD, parse};
use crate::tidy::Finding;
use crate::tidy::arrows::check;
use crate::tidy::package::Package;

#[test]
fn a_house_as_decided_is_tidy() {
    assert_eq!(find(&pure("–", "–"), vec![event()]), [""; 0]);
}

#[test]
fn a_crate_without_a_row_is_found() {
    let stray = package("silcrow-stray", &[]);
    assert_eq!(
        find(&pure("–", "–"), vec![event(), stray]),
        ["crates/stray/Cargo.toml:1: `silcrow-stray` has no row in docs/architecture.md; add one"]
    );
}

#[test]
fn a_row_without_a_crate_is_found_unless_planned() {
    let rows = format!("{}| `silcrow-mcp` | w | event | – |\n", pure("–", "–"));
    assert_eq!(
        find(&rows, vec![event()]),
        [
            "docs/architecture.md:5: there is no crate `silcrow-mcp`; mark its row `planned` or drop it"
        ]
    );
    let rows = rows.replace("`silcrow-mcp`", "`silcrow-mcp` planned");
    assert_eq!(find(&rows, vec![event()]), [""; 0]);
    let built = package("silcrow-mcp", &[("silcrow-event", OURS)]);
    assert_eq!(
        find(&rows, vec![event(), built]),
        ["docs/architecture.md:5: `silcrow-mcp` exists; take `planned` out of its row"]
    );
}

#[test]
fn an_arrow_that_is_not_listed_is_found() {
    let rows = format!("{}| `silcrow-plan` | w | – | – |\n", pure("–", "–"));
    let plan = package("silcrow-plan", &[("silcrow-event", OURS)]);
    assert_eq!(
        find(&rows, vec![event(), plan]),
        ["crates/plan/Cargo.toml:2: `silcrow-plan` depends on `silcrow-event`, which its row in \
          docs/architecture.md (line 5) does not list; drop it, or decide for it by writing \
          `event` there"]
    );
}

#[test]
fn a_listed_arrow_that_is_not_there_is_found() {
    let rows = format!("{}| `silcrow-plan` | w | event | memchr |\n", pure("–", "–"));
    let plan = package("silcrow-plan", &[]);
    assert_eq!(
        find(&rows, vec![event(), plan]),
        [
            "docs/architecture.md:5: `silcrow-plan` does not depend on `memchr`; take it out of \
             the row",
            "docs/architecture.md:5: `silcrow-plan` does not depend on `silcrow-event`; take it \
             out of the row",
        ]
    );
}

#[test]
fn an_external_crate_is_listed_or_free() {
    let event = |name| vec![package("silcrow-event", &[(name, EXTERNAL)])];
    for free in ["serde_json", "smallvec"] {
        assert_eq!(find(&pure("–", "–"), event(free)), [""; 0]);
    }
    for (rows, name, free) in [
        (pure("–", "–"), "tokio", false),
        (pure("–", "–"), "memchr", false),
        (pure("–", "memchr"), "memchr", true),
        (pure("–", "–").replace("Pure", "Edge"), "tokio", true),
        (pure("–", "–").replace("Pure", "Edge"), "smallvec", false),
        (pure("–", "–").replace("Pure", "Edge"), "reqwest", false),
    ] {
        let findings = find(&rows, event(name));
        assert_eq!(findings.is_empty(), free, "{name}: {findings:?}");
        assert!(free || findings[0].contains(&format!("by writing `{name}` there")));
    }
    let rows = pure("–", "–").replace("silcrow-event", "silcrow-lex");
    let lex = package("silcrow-lex", &[("smallvec", EXTERNAL)]);
    assert_eq!(find(&rows, vec![lex]).len(), 1, "nothing is free to the lexer");
}

#[test]
fn a_dependency_that_no_code_uses_is_found() {
    let mut event = package("silcrow-event", &[("serde_json", EXTERNAL)]);
    event.idents = ["my_serde_json", "serde_jsonish"].map(str::to_owned).into();
    assert_eq!(
        find(&pure("–", "–"), vec![event]),
        [
            "crates/event/Cargo.toml:2: no code of `silcrow-event` uses `serde_json`; take it out of \
          the manifest"
        ]
    );
}

#[test]
fn tests_may_use_what_is_not_above() {
    let rows = format!(
        "{}| `silcrow-plan` | w | event | – |\n\n### For tests only\n{HEAD}\n\
         | `silcrow-testkit` | w | event | proptest |\n",
        pure("–", "–")
    );
    let testkit = || package("silcrow-testkit", &[("silcrow-event", OURS), ("proptest", EXTERNAL)]);
    let plan = || package("silcrow-plan", &[("silcrow-event", OURS), ("silcrow-testkit", TEST)]);
    let event = package("silcrow-event", &[("silcrow-testkit", TEST)]);
    assert_eq!(find(&rows, vec![event, plan(), testkit()]), [""; 0]);

    let up = package("silcrow-event", &[("silcrow-plan", TEST)]);
    assert_eq!(
        find(&rows, vec![up, plan(), testkit()]),
        ["crates/event/Cargo.toml:2: the dev-dependency of `silcrow-event` on `silcrow-plan` \
          points up; test it from there"]
    );
}

#[test]
fn a_table_against_itself() {
    let rows = |rows: &str| format!("{}{rows}", pure("–", "–"));
    for (rows, what) in [
        (
            rows("| `silcrow-x` planned | w | nobody | – |\n"),
            "names `silcrow-nobody`, which has no row",
        ),
        (
            rows("| `silcrow-x` planned | w | y | – |\n| `silcrow-y` planned | w | x | – |\n"),
            "the arrow from `silcrow-x` to `silcrow-y` leads in a circle",
        ),
        (
            rows(&format!(
                "| `silcrow-x` planned | w | y | – |\n\n### Edge crates\n{HEAD}\n\
                 | `silcrow-y` planned | w | – | – |\n"
            )),
            "`silcrow-x` is pure and `silcrow-y` is not",
        ),
        (
            rows(&format!(
                "| `silcrow-x` planned | w | y | – |\n\n### For tests only\n{HEAD}\n\
                 | `silcrow-y` planned | w | – | – |\n"
            )),
            "`silcrow-y` is for tests only",
        ),
    ] {
        let findings = find(&rows, vec![event()]);
        assert!(findings.iter().any(|one| one.contains(what)), "{what}: {findings:?}");
    }
}

const OURS: Value = Value::Null;
const EXTERNAL: Value = Value::Bool(true);
const TEST: Value = Value::Bool(false);

fn find(rows: &str, packages: Vec<Package>) -> Vec<String> {
    let mut findings: Vec<Finding> = Vec::new();
    check(&parse(rows), &packages, &mut findings);
    findings.sort();
    findings.iter().map(ToString::to_string).collect()
}

/// Returns a table with one pure crate, whose row is on line 4.
fn pure(uses: &str, external: &str) -> String {
    format!("### Pure crates\n{HEAD}\n| `silcrow-event` | words | {uses} | {external} |\n")
}

fn event() -> Package {
    package("silcrow-event", &[])
}

/// Returns a crate as `cargo metadata` describes it, with its dependencies from line 2 of its
/// manifest on, and code that uses them.
fn package(name: &str, needs: &[(&str, Value)]) -> Package {
    let short = name.trim_start_matches("silcrow-");
    let dependencies: Vec<_> = needs
        .iter()
        .map(|(need, kind)| {
            let source = (*kind == EXTERNAL).then_some("registry+https://example.org");
            let kind = (*kind == TEST).then_some("dev");
            json!({"name": need, "source": source, "kind": kind, "rename": null})
        })
        .collect();
    let metadata = json!({
        "workspace_root": "/house",
        "packages": [{
            "name": name,
            "source": null,
            "manifest_path": format!("/house/crates/{short}/Cargo.toml"),
            "dependencies": dependencies,
            "features": {},
            "targets": [],
        }],
    });
    let mut package = Package::read_all(&metadata).unwrap().remove(0);
    package.manifest = String::from("[dependencies]\n");
    for (need, _) in needs {
        package.manifest += &format!("{need}.workspace = true\n");
        package.idents.insert(need.replace('-', "_"));
    }
    package
}
