//! Whole tasks in a repository: a model by script, real tools, and real programs in the sandbox.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::{fs, thread};

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox};

const LIB: &str = "\
/// Returns twice the number.
pub fn double(number: i32) -> i32 {
    number + 2
}

#[test]
fn five_becomes_ten() {
    assert_eq!(double(5), 10);
}
";

/// Makes a repository with a small crate, one of whose tests fails.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    for folder in ["src", "target"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    let manifest = "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    sandbox.write("root/Cargo.toml", manifest);
    let lock = "version = 4\n\n[[package]]\nname = \"sums\"\nversion = \"0.1.0\"\n";
    sandbox.write("root/Cargo.lock", lock);
    sandbox.write("root/src/lib.rs", LIB);
    sandbox.write("root/src/main.rs", "fn main() {\n    println!(\"{}\", sums::double(4));\n}\n");
    sandbox.write("root/README.md", "# Sums\n\n`double` doubles a number.\n");
    sandbox.write("root/.gitignore", "target\n");
    for args in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "Begin"],
    ] {
        assert!(git(&root, args).0, "{args:?}");
    }
    sandbox
}

fn git(root: &Path, args: &[&str]) -> (bool, String) {
    let output = Command::new("git").args(args).current_dir(root).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

/// Runs a script of calls, one batch a turn, and an answer at the end.
fn run(sandbox: &Sandbox, batches: &[&[&str]], more: &[&str]) -> CommandOutput {
    let turns = batches.iter().map(|calls| {
        let calls: String = calls.iter().map(|call| format!("§call: {call}\n")).collect();
        calls + "§execute\n%%\n"
    });
    let script = turns.collect::<String>() + "§respond: It is done.\n§end\n";
    let model = format!("script:{}", sandbox.write("script", &script));
    let args = ["run", "go", "--model", &model, "--conversation", "task"];
    sandbox.silcrow(&[&args, more].concat())
}

/// Returns the content and the remarks of each result in the log.
fn results(sandbox: &Sandbox) -> Vec<String> {
    let log = sandbox.silcrow(&["log", "show", "task", "--json"]);
    let events = log.ends(0).events();
    let results = events.into_iter().filter(|event| event["type"] == "result");
    let text = |result: Value| format!("{} {}", result["content"], result["payload"]["notices"]);
    results.map(text).collect()
}

#[test]
fn a_failing_test_is_found_and_fixed() {
    let sandbox = repository();
    let tests =
        r#"{"name":"shell","args":{"command":"cargo test --offline --lib 2>&1","timeout":300}}"#;
    let ran = run(
        &sandbox,
        &[
            &[tests],
            // Each in its own batch, because the log has results in the order in which they end.
            &[r#"{"name":"file_search","args":{"query":"fn double"}}"#],
            &[r#"{"name":"file_read","args":{"file":"src/lib.rs"}}"#],
            &[
                r#"{"name":"file_edit","args":{"file":"src/lib.rs","edits":[{"old":"number + 2","new":"number * 2"}]}}"#,
            ],
            &[tests],
        ],
        &["--permissions", "workspace"],
    );
    assert_eq!(ran.ends(0).out, "It is done.\n", "{}", ran.err);
    let results = results(&sandbox);
    let [failed, found, read, edited, passed] = &results[..] else { panic!("{results:#?}") };
    assert!(failed.contains("five_becomes_ten ... FAILED"), "{failed}");
    assert!(failed.contains("exit status 101"), "{failed}");
    assert!(found.contains("src/lib.rs") && found.contains("pub fn double"), "{found}");
    assert!(read.contains("number + 2"), "{read}");
    assert!(edited.contains("+    number * 2"), "{edited}");
    assert!(passed.contains("test result: ok. 1 passed"), "{passed}");
    let (_, changed) = git(&sandbox.root(), &["diff", "--stat"]);
    assert!(changed.contains("1 file changed, 1 insertion(+), 1 deletion(-)"), "{changed}");
}

#[test]
fn a_function_is_renamed_in_all_files_and_the_change_is_taken_back() {
    let sandbox = repository();
    let renames = r#"{"name":"file_replace","args":{"find":"double","replace":"twice","files":["**/*.rs","README.md"]}}"#;
    let ran = run(&sandbox, &[&[renames]], &["--permissions", "workspace"]);
    assert_eq!(ran.ends(0).out, "It is done.\n", "{}", ran.err);
    let (_, changed) = git(&sandbox.root(), &["diff", "--name-only"]);
    assert_eq!(changed, "README.md\nsrc/lib.rs\nsrc/main.rs\n");
    assert!(!git(&sandbox.root(), &["grep", "-w", "double"]).0);
    let diff = &results(&sandbox)[0];
    assert!(diff.contains("+pub fn twice(number: i32)"), "{diff}");
    sandbox.silcrow(&["undo", "task"]).ends(0);
    assert_eq!(git(&sandbox.root(), &["status", "--porcelain"]).1, "");
}

#[test]
fn a_page_of_a_local_server_is_read_once_the_person_allows_its_host() {
    let sandbox = repository();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            let page = "<title>Bread</title><nav>Home</nav><main><h1>Bread</h1>\
                        <p>Flour, water, <b>salt</b> and time.</p></main>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
            write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{page}", page.len()).unwrap();
        }
    });
    let scrapes = format!(r#"{{"name":"web_scrape","args":{{"url":"http://{host}/bread"}}}}"#);
    let denied = run(&sandbox, &[&[&scrapes]], &["--allow", "web_scrape"]);
    denied.ends(0);
    assert!(results(&sandbox)[0].contains("not public"), "{:?}", results(&sandbox));
    let ran = run(&sandbox, &[&[&scrapes]], &["--allow", "web_scrape", "--allow-host", &host]);
    assert_eq!(ran.ends(0).out, "It is done.\n", "{}", ran.err);
    let page = &results(&sandbox)[1];
    assert!(page.contains(r"# Bread\n\nFlour, water, **salt** and time."), "{page}");
    assert!(!page.contains("Home"), "{page}");
}
