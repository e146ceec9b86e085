//! Tests of macOS without a Mac: the text of profiles, and the supervisor without confinement.

use std::fs;
use std::io::Write as _;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::names::expression;
use super::profile::profile;
use super::supervisor::{supervise, words};
use super::trial;
use crate::level::SandboxLayers;
use crate::limits::ResourceLimits;
use crate::supervised::settings::{HelperSettings, RepositorySettings};
use crate::supervised::socket_access::SocketAccess;

fn settings() -> HelperSettings {
    HelperSettings {
        command: Some(["/bin/sh", "-c", "true"].map(str::to_owned).to_vec()),
        folder: "/".into(),
        environment: Vec::new(),
        writable: paths(&["/Users/ann/work", "/private/tmp/silcrow-1-0"]),
        readable: paths(&["/usr", "/private/tmp/silcrow-1-1"]),
        links: Vec::new(),
        outside_sockets: Vec::new(),
        given: "/private/tmp/silcrow-1-1".into(),
        hidden: Vec::new(),
        is_read_only: false,
        sockets: SocketAccess::Pairs,
        local_ports: Vec::new(),
        served_ports: Vec::new(),
        protected: Vec::new(),
        protected_names: Vec::new(),
        watched: paths(&["/Users/ann/work"]),
        guarded: Vec::new(),
        kept_in_place: Vec::new(),
        put_back: Vec::new(),
        looked_through: Vec::new(),
        repository: None,
        look_every_ms: None,
        layers: SandboxLayers { seatbelt: true, ..SandboxLayers::NONE },
        limits: ResourceLimits::default(),
        grace_ms: 2000,
        guardians: Vec::new(),
    }
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// Returns the profile without the parts that are the same for all commands.
fn own_rules(settings: &HelperSettings) -> String {
    let bare = HelperSettings {
        writable: Vec::new(),
        readable: Vec::new(),
        watched: Vec::new(),
        ..self::settings()
    };
    let base = profile(&bare, &[]).unwrap();
    let base = base.strip_suffix("(deny file-write-setugid)\n").unwrap();
    profile(settings, &[]).unwrap().strip_prefix(base).unwrap().to_owned()
}

#[test]
fn everything_is_denied_by_default() {
    let all = profile(&settings(), &[]).unwrap();
    assert!(all.starts_with("(version 1)\n(deny default)\n"), "{all}");
    assert!(!all.contains("network"), "no port and no local socket is open:\n{all}");
    assert_eq!(
        own_rules(&settings()),
        r#"(allow file-read* file-map-executable process-exec
  (subpath "/usr")
  (subpath "/private/tmp/silcrow-1-1"))
(allow file-read* file-map-executable process-exec
  (subpath "/Users/ann/work")
  (subpath "/private/tmp/silcrow-1-0"))
(allow file-write*
  (subpath "/Users/ann/work")
  (subpath "/private/tmp/silcrow-1-0"))
(deny file-write-setugid)
(deny file-write-unlink
  (literal "/Users/ann/work")
  (literal "/private/tmp/silcrow-1-0"))
"#
    );
}

#[test]
fn protection_rules_follow_allowances_and_prevent_moving() {
    let settings = HelperSettings {
        protected: paths(&["/Users/ann/work/a/b/.git", "/elsewhere"]),
        hidden: paths(&["/Users/ann/work/c/.env"]),
        ..settings()
    };
    let rules = own_rules(&settings);
    let (_, after) = rules.split_once("(deny file-write-setugid)\n").unwrap();
    assert_eq!(
        after,
        r#"(deny file-write*
  (subpath "/Users/ann/work/a/b/.git")
  (subpath "/elsewhere"))
(deny file-read* file-map-executable process-exec file-write*
  (subpath "/Users/ann/work/c/.env"))
(allow file-read-metadata
  (subpath "/Users/ann/work/c/.env"))
(deny file-write-unlink
  (literal "/Users/ann/work")
  (literal "/Users/ann/work/a")
  (literal "/Users/ann/work/a/b")
  (literal "/Users/ann/work/c")
  (literal "/private/tmp/silcrow-1-0"))
"#
    );
}

#[test]
fn protected_names_match_any_depth_and_case() {
    for (name, expected) in [
        (".envrc", r"/\.[eE][nN][vV][rR][cC](/|$)"),
        ("a/b+1", r"/[aA]/[bB]\+1(/|$)"),
        ("*.code-workspace", r"/[^/]*\.[cC][oO][dD][eE]-[wW][oO][rR][kK][sS][pP][aA][cC][eE](/|$)"),
        ("a*", r"/[aA]\*(/|$)"),
    ] {
        assert_eq!(expression(name).unwrap(), expected);
    }
    for wrong in ["a\"b", "a\nb"] {
        assert!(expression(wrong).is_err(), "{wrong:?}");
    }
    let settings = HelperSettings { protected_names: vec![".a".to_owned()], ..settings() };
    let rules = own_rules(&settings);
    let rule = "(deny file-write*\n  (require-all\n   (require-any\n    (subpath \
                \"/Users/ann/work\"))\n   (require-any\n    (regex #\"/\\.[aA](/|$)\"))))\n";
    assert!(rules.contains(rule), "{rules}");
}

#[test]
fn paths_are_escaped_in_profiles() {
    let named = |path: &str| {
        let settings = HelperSettings { readable: paths(&[path]), ..settings() };
        profile(&settings, &[])
    };
    for (path, expected) in [
        (r#"/a"b"#, r#"(subpath "/a\"b")"#),
        (r"/a\", r#"(subpath "/a\\")"#),
        (r#"/")(allow default)("#, r#"(subpath "/\")(allow default)(")"#),
        ("/ä ö;#", r#"(subpath "/ä ö;#")"#),
    ] {
        assert!(named(path).unwrap().contains(expected), "{path}");
    }
    for path in ["/a\nb", "/a\0b", "/a\u{7f}", "relative", ""] {
        assert!(named(path).is_err(), "{path:?}");
    }
    let many = (0..20_000).map(|number| format!("/a/folder/with/a/name/{number}").into());
    let settings = HelperSettings { hidden: many.collect(), ..settings() };
    assert!(profile(&settings, &[]).is_err(), "the profile is an argument of a program");
}

#[test]
fn network_opens_only_requested_ports() {
    let some = HelperSettings { local_ports: vec![3128], served_ports: vec![3000], ..settings() };
    let rules = own_rules(&some);
    assert!(rules.ends_with(
        "(allow network-outbound\n  (remote ip \"localhost:3128\"))\n\
         (allow network-bind network-inbound\n  (local ip \"localhost:3000\"))\n"
    ));
    let open = HelperSettings { sockets: SocketAccess::Network, ..settings() };
    assert!(own_rules(&open).ends_with("(allow network*)\n(allow system-socket)\n"));
}

#[test]
fn git_data_grant_excludes_hooks_and_config() {
    let repository = |is_granted| {
        let common = PathBuf::from("/Users/ann/work/.git");
        let own = common.clone();
        Some(RepositorySettings { top: "/Users/ann/work".into(), own, common, is_granted })
    };
    let closed = HelperSettings { repository: repository(false), ..settings() };
    assert!(!own_rules(&closed).contains(".git"));
    let names = vec![".git".to_owned()];
    let open =
        HelperSettings { repository: repository(true), protected_names: names, ..settings() };
    let text = profile(&open, &paths(&["/Users/ann/work/.git/own-hooks"])).unwrap();
    let of = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing:\n{text}"));
    let by_name = of(r"/\.[gG][iI][tT](/|$)");
    let allowed = of("(allow file-write*\n  (subpath \"/Users/ann/work/.git\"))");
    assert!(by_name < allowed, "the later rule counts");
    for guarded in ["hooks", "config", "config.worktree", "info/attributes", "own-hooks"] {
        assert!(of(&format!("(subpath \"/Users/ann/work/.git/{guarded}\")")) > allowed);
    }
    assert!(of(r"/worktrees/[^/]+/[gG][iI][tT][dD][iI][rR](/|$)") > allowed);
}

#[test]
fn confined_commands_start_under_sandbox_exec() {
    let started = words(&settings()).unwrap();
    assert_eq!(started[0], "/usr/bin/sandbox-exec");
    assert_eq!(started[1], "-p");
    assert_eq!(started[3..], ["--", "/bin/sh", "-c", "true"]);
    let bare = HelperSettings { layers: SandboxLayers::NONE, ..settings() };
    assert_eq!(words(&bare).unwrap(), ["/bin/sh", "-c", "true"]);
    let none = HelperSettings { command: Some(Vec::new()), ..settings() };
    assert!(words(&none).is_err());
}

/// Returns the settings of a script that runs without walls.
fn unconfined(script: &str) -> HelperSettings {
    let words = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    HelperSettings { command: Some(words), layers: SandboxLayers::NONE, ..settings() }
}

#[test]
fn finished_command_leaves_no_process_group() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let script = format!("sleep 1000 & echo $! >{}; exit 3", note.display());
    let (ours, theirs) = UnixStream::pair().unwrap();
    let report = supervise(&theirs, unconfined(&script)).unwrap();
    assert_eq!((report.code, report.signal), (Some(3), None));
    let left: i32 = fs::read_to_string(note).unwrap().trim().parse().unwrap();
    let left = rustix::process::Pid::from_raw(left).unwrap();
    // It was killed, and is gone as soon as its adopter has reaped it.
    let until = Instant::now() + Duration::from_secs(60);
    while rustix::process::test_kill_process(left).is_ok() && !is_dead(left) {
        assert!(Instant::now() < until, "{left:?} still runs");
        std::thread::yield_now();
    }
    drop(ours);
}

/// Returns whether a process has ended, even if it was not reaped yet.
fn is_dead(process: rustix::process::Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    status.is_ok_and(|status| status.contains(") Z"))
}

#[test]
fn the_end_of_the_program_ends_the_command() {
    for (script, signal) in
        [("exec sleep 1000", 15), ("trap '' TERM; while :; do sleep 1; done", 9)]
    {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let settings = HelperSettings { grace_ms: 100, ..unconfined(script) };
        let program = std::thread::spawn(move || {
            ours.write_all(b"rest\n").unwrap();
            ours.shutdown(Shutdown::Write).unwrap();
            ours
        });
        let report = supervise(&theirs, settings).unwrap();
        assert!([Some(signal), Some(15)].contains(&report.signal), "{report:?}");
        program.join().unwrap();
    }
}

#[test]
fn a_trial_without_walls_fails() {
    let folder = tempfile::tempdir().unwrap();
    let given = folder.path().join("given");
    fs::create_dir_all(given.join("hidden")).unwrap();
    let temp = folder.path().join("temp");
    fs::create_dir(&temp).unwrap();
    let settings = HelperSettings {
        command: None,
        writable: vec![temp],
        given,
        layers: SandboxLayers::NONE,
        ..settings()
    };
    let (_ours, theirs) = UnixStream::pair().unwrap();
    let failure = supervise(&theirs, settings).unwrap_err();
    assert_eq!(failure, "Seatbelt does not hold here: a command can write where it may not");
    for (code, holds) in [(Some(0), true), (Some(13), false), (Some(65), false), (None, false)] {
        assert_eq!(trial::judge(code).is_ok(), holds, "{code:?}");
    }
}
