//! Servers that want a login: opening a browser, the stored tokens, and their use in runs.

mod issuer;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use self::issuer::Issuer;
use super::{results, script};
use crate::live::TerminalWindow;
use crate::support::{CommandOutput, Sandbox, command_output};

/// A sandbox whose desktop notes which link it was asked to open.
struct Desk {
    sandbox: Sandbox,
    opened: PathBuf,
    path: String,
}

impl Desk {
    /// Returns one with the server in the settings.
    fn new(issuer: &Issuer) -> Self {
        let sandbox = Sandbox::new();
        let (opened, programs) = (sandbox.path("opened"), sandbox.path("bin"));
        fs::create_dir(&programs).unwrap();
        let (file, program) = (opened.display(), programs.join("xdg-open"));
        let text = format!("#!/bin/sh\nprintf %s \"$1\" > {file}.new && mv {file}.new {file}\n");
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        let desk = Self { sandbox, opened, path };
        let added = desk.silcrow(&["mcp", "add", "web", &issuer.url()]);
        assert!(added.ends(0).out.contains("silcrow mcp login web"), "{}", added.out);
        desk
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command(args);
        command.env("PATH", &self.path);
        command
    }

    fn silcrow(&self, args: &[&str]) -> CommandOutput {
        command_output(self.command(args).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a call of the server's tool.
    fn run(&self) -> CommandOutput {
        let model = script(&self.sandbox, &[("web.whoami", "{}")]);
        self.silcrow(&["run", "go", "--json", "--model", &model, "--allow", "web.*"])
    }

    /// Waits until the browser is asked to open a link.
    fn link(&self) -> String {
        let limit = Instant::now() + Duration::from_secs(60);
        while !self.opened.exists() {
            assert!(Instant::now() < limit, "no link is opened");
            std::thread::sleep(Duration::from_millis(20));
        }
        fs::read_to_string(&self.opened).unwrap()
    }

    /// Logs in while another open page guesses.
    fn log_in(&self) -> CommandOutput {
        self.log_in_after(Duration::ZERO)
    }

    /// Logs in after so long.
    fn log_in_after(&self, thought: Duration) -> CommandOutput {
        let mut command = self.command(&["mcp", "login", "web"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let link = self.link();
        std::thread::sleep(thought);
        let back = location(&get(&link));
        let (address, _) = back.split_once('?').unwrap();
        let guessed = get(&format!("{address}?code=c1&state=guessed"));
        assert!(guessed.starts_with("HTTP/1.1 404 "), "{guessed}");
        assert!(get(&back).contains("You are logged in"));
        fs::remove_file(&self.opened).unwrap();
        command_output(child.wait_with_output().unwrap())
    }

    /// Returns the files of credentials.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.sandbox.path("data/silcrow-logins"));
        let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
    }

    #[track_caller]
    fn opened_nothing(&self) {
        assert!(!self.opened.exists());
    }
}

/// Asks for a page as a browser does, and returns the answer.
fn get(url: &str) -> String {
    let url = url::Url::parse(url).unwrap();
    let mut stream = TcpStream::connect((url.host_str().unwrap(), url.port().unwrap())).unwrap();
    let target = &url[url::Position::BeforePath..];
    write!(stream, "GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn location(answer: &str) -> String {
    let line = answer.lines().find_map(|line| line.strip_prefix("location: "));
    line.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn runs_renew_a_login_without_a_browser() {
    let issuer = Issuer::start();
    let desk = Desk::new(&issuer);
    let wanted =
        "MCP server web: the server `web` wants you to log in: run silcrow mcp login web\n";
    let said = desk.run();
    assert_eq!(said.ends(0).err, wanted);
    // Nobody is at a terminal.
    let tried = desk.silcrow(&["mcp", "test", "web"]);
    assert!(tried.ends(1).out.contains("run silcrow mcp login web"), "{}", tried.out);
    desk.opened_nothing();
    let said = desk.log_in();
    assert!(said.ends(0).out.starts_with("✓ web: guarded 1, 1 tool, "), "{}", said.out);
    assert!(said.out.contains("You are logged in at web"), "{}", said.out);
    assert!(said.err.contains("/authorize?"), "{}", said.err);
    let [file] = &desk.kept()[..] else { panic!("{:?}", desk.kept()) };
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert!(fs::read_to_string(file).unwrap().contains("access-00000001"));
    // The server says its token, and nobody sees it.
    let said = desk.run();
    assert_eq!((results(&said).len(), &*said.err), (1, ""));
    assert!(results(&said)[0].starts_with("hello, Bearer "), "{}", said.out);
    assert!(!said.out.contains("access-00000001"), "{}", said.out);
    assert_eq!(issuer.counts(), (1, 0));
    issuer.end_access();
    // The renewed token is not shown either.
    let said = desk.run();
    assert!(results(&said)[0].starts_with("hello, Bearer "), "{}", said.out);
    assert!(!said.out.contains("access-0000000"), "{}", said.out);
    assert_eq!(issuer.counts(), (2, 1));
    assert!(fs::read_to_string(file).unwrap().contains("refresh-00000002"));
    let listed = desk.silcrow(&["mcp", "list"]);
    assert!(listed.ends(0).out.contains(", logged in"), "{}", listed.out);
    issuer.end_all();
    assert_eq!(desk.run().ends(0).err, wanted);
    desk.opened_nothing();
    desk.log_in().ends(0);
    assert!(results(&desk.run())[0].starts_with("hello, "));
    let removed = desk.silcrow(&["mcp", "remove", "web"]);
    assert!(removed.ends(0).out.ends_with("and its login is forgotten\n"), "{}", removed.out);
    assert_eq!(desk.kept(), Vec::<PathBuf>::new());
}

#[test]
fn logout_removes_a_login_bound_to_its_address() {
    let issuer = Issuer::start();
    let desk = Desk::new(&issuer);
    desk.log_in().ends(0);
    // Another name for the same server has the same login.
    desk.silcrow(&["mcp", "add", "again", &issuer.url()]).ends(0);
    let removed = desk.silcrow(&["mcp", "remove", "again"]);
    assert!(removed.ends(0).out.ends_with("config.toml\n"), "{}", removed.out);
    assert!(results(&desk.run())[0].starts_with("hello, "));
    let said = desk.silcrow(&["mcp", "logout", "web"]);
    assert_eq!(said.ends(0).out, "the login at web is forgotten\n");
    let said = desk.silcrow(&["mcp", "logout", "web"]);
    assert_eq!(said.ends(0).out, "nobody is logged in at web\n");
    assert!(desk.run().ends(0).err.contains("run silcrow mcp login web"));
    // If a server has no login, the command says why.
    desk.silcrow(&["mcp", "add", "files", "files-server"]).ends(0);
    desk.silcrow(&["mcp", "add", "key", "https://example.org/mcp", "--token", "$KEY"]).ends(0);
    for (name, why) in [
        ("files", "files is a program, and gets its secrets by `env`"),
        ("key", "key has a `token`, so nobody logs in there"),
        ("other", "unknown server `other`; there are: files, key, web"),
    ] {
        let said = desk.silcrow(&["mcp", "login", name]);
        assert!(said.ends(2).err.contains(why), "{name}: {}", said.err);
    }
    desk.opened_nothing();
}

#[test]
fn server_test_at_a_terminal_logs_in() {
    let issuer = Issuer::start();
    let desk = Desk::new(&issuer);
    let window = TerminalWindow::open(&desk.command(&["mcp", "test", "web"]), 100, 40);
    window.wait_for("Log in at `web` to use it:");
    window.wait_for("Ctrl-C ends it.");
    get(&location(&get(&desk.link())));
    window.wait_for("✓ web: guarded 1, 1 tool");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn server_may_require_login_for_tools_only() {
    let issuer = Issuer::start();
    issuer.greet_strangers();
    let desk = Desk::new(&issuer);
    let said = desk.run();
    assert!(said.ends(0).err.ends_with(": run silcrow mcp login web\n"), "{}", said.err);
    desk.opened_nothing();
    assert!(desk.log_in().ends(0).out.starts_with("✓ web: guarded 1, 1 tool, "));
    assert!(results(&desk.run())[0].starts_with("hello, "));
}

#[test]
fn agent_tools_cannot_read_logins() {
    let issuer = Issuer::start();
    let desk = Desk::new(&issuer);
    desk.log_in().ends(0);
    let data = desk.sandbox.path("data");
    let file = desk.kept()[0].strip_prefix(&data).unwrap().to_str().unwrap().to_owned();
    let root = data.to_str().unwrap();
    let call = |tool: &str, args: serde_json::Value| {
        let common = ["--root", root, "--store", "memory", "--permissions", "full"];
        desk.silcrow(&[&["tool", tool, &args.to_string()][..], &common].concat())
    };
    let read = call("file_read", serde_json::json!({ "file": file }));
    assert!(read.err.contains("the logins at MCP servers"), "{}{}", read.out, read.err);
    // A command finds the folder empty, or may not open it.
    let command = format!("cat {file}; echo done");
    let shown = call("shell", serde_json::json!({ "command": command }));
    let text = format!("{}{}", shown.out, shown.err);
    assert!(text.contains("done"), "{text}");
    for text in [text, read.out, read.err] {
        assert!(!text.contains("issuers"), "{text}");
    }
}

#[test]
fn login_may_outlast_the_handshake_timeout() {
    let issuer = Issuer::start();
    let desk = Desk::new(&issuer);
    // The library gives up on its first request after 10 s.
    let said = desk.log_in_after(Duration::from_secs(12));
    assert!(said.ends(0).out.starts_with("✓ web: guarded 1, 1 tool, "), "{}", said.out);
}

#[test]
fn issuers_can_open_only_web_pages() {
    let issuer = Issuer::start();
    issuer.send_people_to("file:///etc/passwd");
    let desk = Desk::new(&issuer);
    let said = desk.silcrow(&["mcp", "login", "web"]);
    assert!(said.ends(1).out.contains("the login at the server `web` failed"), "{}", said.out);
    assert!(said.out.contains("not at an address of the web"), "{}", said.out);
    desk.opened_nothing();
}
