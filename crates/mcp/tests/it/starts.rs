use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use silcrow_mcp::{
    Elicitation, ElicitationAnswer, Elicitor, Options, ServerAddress, ServerCommand, ServerConfig,
};

use crate::{Reached, program};

fn config(command: ServerCommand) -> ServerConfig {
    ServerConfig::new("test", ServerAddress::Command(command)).unwrap()
}

fn command(words: &[&str]) -> ServerCommand {
    let mut command = ServerCommand::default();
    command.words = words.iter().map(|word| (*word).to_owned()).collect();
    command
}

/// Writes a program that runs the server.
fn wrapper(path: &Path, mark: &str) {
    fs::write(path, format!("#!/bin/sh\n# {mark}\nexec {}\n", program())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn server_program_runs_in_temporary_empty_folder() {
    let folders = tempfile::tempdir().unwrap();
    let server = command(&[&program()]).with_empty_folders(folders.path());
    let reached = Reached::with(config(server), Options::default()).await;
    let pid = reached.text("spawn", json!({})).await;
    let place = fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
    assert!(place.starts_with(folders.path().canonicalize().unwrap()), "{}", place.display());
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    reached.servers.close().await;
    assert!(!place.exists());
}

#[tokio::test]
async fn relative_path_variable_entries_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("bin")).unwrap();
    wrapper(&folder.path().join("bin/planted"), "");
    wrapper(&folder.path().join("planted"), "");
    for (path, is_found) in [
        (":.:bin:/usr/bin".to_owned(), false),
        (format!("/usr/bin:{}", folder.path().join("bin").display()), true),
    ] {
        let server = command(&["planted"]).with_variable("PATH", path);
        let server = server.with_folder(folder.path());
        let reached = Reached::with(config(server), Options::default()).await;
        let failure = reached.servers.statuses()[0].failure.clone();
        assert_eq!(failure.is_none(), is_found, "{failure:?}");
    }
}

/// Counts its calls, and always answers the same.
struct Asked(AtomicUsize, bool);

impl Elicitor for Asked {
    fn elicit(&self, _: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        async { ElicitationAnswer::Decline }.boxed()
    }

    fn allow_restart<'a>(&'a self, server: &'a str, changed: &'a Path) -> BoxFuture<'a, bool> {
        assert_eq!(server, "test");
        assert!(changed.ends_with("run") || changed.ends_with("named"), "{}", changed.display());
        self.0.fetch_add(1, Ordering::Relaxed);
        async { self.1 }.boxed()
    }
}

#[tokio::test]
async fn changed_program_restarts_only_with_approval() {
    for change in ["run", "named", "nothing"] {
        for answer in [None, Some(false), Some(true)] {
            let folder = tempfile::tempdir().unwrap();
            let file = |name: &str| -> PathBuf { folder.path().join(name) };
            wrapper(&file("run"), "first");
            fs::write(file("named"), "first").unwrap();
            let server = command(&[file("run").to_str().unwrap()]).with_compared(file("named"));
            let person = answer.map(|answer| Arc::new(Asked(AtomicUsize::new(0), answer)));
            let mut options = Options::default();
            options.elicitor = person.clone().map(|person| person as Arc<dyn Elicitor>);
            let reached = Reached::with(config(server), options).await;
            match change {
                "run" => wrapper(&file("run"), "second"),
                "named" => fs::write(file("named"), "second").unwrap(),
                _ => {}
            }
            reached.failure("die").await;
            let again = reached.call("echo", json!({"text": "again"})).await;
            let is_allowed = change == "nothing" || answer == Some(true);
            assert_eq!(again.is_ok(), is_allowed, "{change}, {answer:?}");
            let Err(why) = again else { continue };
            let why = why.to_string();
            assert!(why.contains("is not started again, because"), "{why}");
            // The same change is not asked about again.
            let why = reached.failure("echo").await;
            assert!(why.contains("is not started again, because"), "{why}");
            let asked = person.map_or(0, |person| person.0.load(Ordering::Relaxed));
            assert_eq!(asked, usize::from(answer.is_some()));
        }
    }
}
