//! The doors to other paths, to the network and out of the sandbox, each for one command.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxOptions};

use super::{Place, WITHOUT_NAMESPACES, finish, run, write};

fn is_secret(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".env")
}

fn guarded(options: SandboxOptions, hidden: &Path) -> SandboxOptions {
    let options = options.with_secret_names(is_secret).with_hidden(hidden);
    options.with_protected_name(".envrc").with_protected_name(".ssh/config")
}

#[test]
fn only_granted_command_accesses_path() {
    let (place, other) = (Place::new(), Place::new());
    let path = other.path();
    for name in ["a", "deep/a", ".env", "deep/.env", "store/log", ".envrc"] {
        write(path.join(name), "WORDS");
    }
    let hidden = path.join("store");
    for sandbox in place.sandboxes_with(|options| guarded(options, &hidden)) {
        let all = format!("cd {} && cat a deep/a; cat .env deep/.env store/log", path.display());
        let script = format!("cd {} && echo new > new; echo x > .envrc; cat a", path.display());
        assert_eq!(run(&sandbox, &all).stdout, "");
        let done =
            finish(sandbox.spawn(&ConfinedCommand::shell(&all).with_readable(&path)).unwrap());
        assert_eq!(done.stdout, "WORDSWORDS", "{done:?}");
        assert_eq!(done.outcome.hidden.len(), 2, "{done:?}");
        let command = ConfinedCommand::shell(&script);
        let done = finish(sandbox.spawn(&command.clone().with_readable(&path)).unwrap());
        assert!(done.stdout == "WORDS" && !path.join("new").exists(), "{done:?}");
        let reading = command.clone().with_writable(&path).read_only();
        finish(sandbox.spawn(&reading).unwrap());
        assert!(!path.join("new").exists());
        let done = finish(sandbox.spawn(&command.with_writable(&path)).unwrap());
        let made = sandbox.layers().namespaces == path.join("new").exists();
        assert!(made, "Landlock makes nothing new beside what it guards: {done:?}");
        assert_eq!(fs::read_to_string(path.join(".envrc")).unwrap(), "WORDS", "{done:?}");
        let _ = fs::remove_file(path.join("new"));
        let append = format!("echo MORE >> {}/deep/a; echo x > {0}/deep/b", path.display());
        let one = ConfinedCommand::shell(append).with_writable(path.join("deep/a"));
        let done = finish(sandbox.spawn(&one).unwrap());
        assert!(fs::read_to_string(path.join("deep/a")).unwrap().contains("MORE"), "{done:?}");
        assert!(!path.join("deep/b").exists());
        write(path.join("deep/a"), "WORDS");
    }
}

#[test]
fn ungrantable_path_is_an_error() {
    let (place, other) = (Place::new(), Place::new());
    let path = other.path();
    for name in ["store/log", ".env", ".ssh/config", "sub/.envrc", "a"] {
        write(path.join(name), "");
    }
    symlink(path.join("sub"), path.join("link")).unwrap();
    let hidden = path.join("store");
    for sandbox in place.sandboxes_with(|options| guarded(options, &hidden)) {
        let error = |command: ConfinedCommand| sandbox.spawn(&command).unwrap_err().to_string();
        for (name, words) in [
            ("missing", "cannot be opened"),
            ("link", "leads through a link to"),
            ("link/.envrc", "leads through a link to"),
            ("store", "is opened to no command"),
            ("store/log", "is opened to no command"),
            (".env", "usually holds secrets"),
        ] {
            let own = path.join(name);
            let command = ConfinedCommand::shell("true");
            for command in [command.clone().with_readable(&own), command.with_writable(&own)] {
                let error = error(command);
                assert!(error.contains(words), "{name}: {error}");
            }
        }
        for (name, words) in [("sub/.envrc", "run or obeyed"), (".ssh/config", "run or obeyed")] {
            let error = error(ConfinedCommand::shell("true").with_writable(path.join(name)));
            assert!(error.contains(words), "{name}: {error}");
        }
        for own in ["/", "/proc", "/proc/self/fd", "/sys/kernel", "/dev"] {
            sandbox.spawn(&ConfinedCommand::shell("true").with_writable(own)).unwrap_err();
        }
    }
}

#[test]
fn granted_folder_replaced_by_symlink_is_not_opened() {
    let (place, other, third) = (Place::new(), Place::new(), Place::new());
    write(other.path().join("sub/a"), "GIVEN");
    write(third.path().join("a"), "OTHER");
    for sandbox in place.sandboxes() {
        let path = other.path().join("sub");
        let command = ConfinedCommand::shell(format!("cat {}/a", path.display()));
        let command = command.with_readable(&path);
        assert_eq!(finish(sandbox.spawn(&command).unwrap()).stdout, "GIVEN");
        fs::rename(&path, other.path().join("moved")).unwrap();
        symlink(third.path(), &path).unwrap();
        sandbox.spawn(&command).unwrap_err();
        fs::remove_file(&path).unwrap();
        fs::rename(other.path().join("moved"), &path).unwrap();
    }
}

#[test]
fn outside_commands_keep_limits_and_tree_cleanup() {
    let (place, other) = (Place::new(), Place::new());
    let mut sandboxes = place.sandboxes();
    sandboxes.push(Sandbox::unconfined(place.options()).unwrap());
    for sandbox in sandboxes {
        let script = format!(
            "echo x > {}/made; ulimit -c; env; (sleep 1000 & echo $!) >&2",
            other.path().display()
        );
        let done = finish(sandbox.spawn(&ConfinedCommand::shell(script).without_walls()).unwrap());
        assert_eq!(fs::read_to_string(other.path().join("made")).unwrap(), "x\n", "{done:?}");
        assert!(done.stdout.starts_with("0\n") && done.stdout.contains("CARGO_MANIFEST_DIR="));
        assert!(!Path::new("/proc").join(done.stderr.trim()).exists(), "{done:?}");
        fs::remove_file(other.path().join("made")).unwrap();
        let reading = ConfinedCommand::shell("true").without_walls().read_only();
        sandbox.spawn(&reading).unwrap_err();
    }
}

#[test]
fn without_namespaces_the_network_opens_as_a_whole() {
    let place = Place::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let local = place.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&local).unwrap();
    let script = format!(
        "import socket as s\ns.create_connection(('127.0.0.1', {port})); print('connected')\n\
         try: s.socket(s.AF_UNIX).connect('socket'); print('ESCAPED')\nexcept OSError: pass\n"
    );
    let sandbox = Sandbox::new(place.options().with_layers(WITHOUT_NAMESPACES)).unwrap();
    let command = ConfinedCommand::new(["python3", "-c", &script]);
    let done = finish(sandbox.spawn(&command).unwrap());
    assert_eq!(done.stdout, "", "{done:?}");
    let done = finish(sandbox.spawn(&command.with_open_network()).unwrap());
    assert_eq!(done.stdout, "connected\n", "{done:?}");
}
