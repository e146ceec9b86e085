//! The environment that a command inherits.

use std::fs::File;

use super::{Place, run};

#[test]
fn environment_is_minimal_without_secrets() {
    let place = Place::new();
    for sandbox in place.sandboxes_with(|options| {
        // Cargo sets these names for tests. The second one says that it is secret.
        options.with_variable("CARGO_PKG_NAME").with_variable("CARGO_PKG_NAME_TOKEN")
    }) {
        let done = run(&sandbox, "env");
        let mut names: Vec<_> =
            done.stdout.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        names.sort_unstable();
        let expected = ["CARGO_PKG_NAME", "PATH", "TERM", "TMPDIR"];
        assert!(expected.iter().all(|name| names.contains(name)), "{names:?}");
        let wrong = ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME_TOKEN", "NEXTEST"];
        assert!(!wrong.iter().any(|name| names.contains(name)), "{names:?}");
        assert!(
            done.stdout.contains("TERM=dumb") && done.stdout.contains("CARGO_NET_OFFLINE=true")
        );
    }
}

#[test]
fn descriptors_of_the_program_are_closed() {
    let place = Place::new();
    // A descriptor that is inherited, as one that a library forgot to mark.
    let inherited = File::open("/etc/passwd").unwrap();
    rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).unwrap();
    for sandbox in place.sandboxes() {
        // The shell lists its own descriptors by their names, without opening a folder.
        let script = "for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 255; do \
            [ -e /proc/$$/fd/$n ] && echo $n $(readlink /proc/$$/fd/$n); done; true";
        let done = run(&sandbox, script);
        let names: Vec<_> =
            done.stdout.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
        assert_eq!(names, ["0", "1", "2"], "{done:?}");
        assert!(done.stdout.starts_with("0 /dev/null\n"), "{done:?}");
    }
}

#[test]
fn command_has_own_session_without_terminal() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let done = run(
            &sandbox,
            "cat; tty; (: < /dev/tty) && echo TERMINAL; ulimit -c; cat /proc/self/stat",
        );
        assert!(!done.stdout.contains("TERMINAL") && done.stdout.contains("not a tty"), "{done:?}");
        assert!(done.stdout.contains("\n0\n"), "core dumps are off: {done:?}");
        let status = std::fs::read_to_string("/proc/self/stat").unwrap();
        let session =
            |stat: &str| stat.rsplit(") ").next().unwrap().split(' ').nth(3).map(str::to_owned);
        assert_ne!(session(&status), session(done.stdout.lines().last().unwrap()));
    }
}

#[test]
fn privileges_are_given_up() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let done = run(&sandbox, "grep -E 'NoNewPrivs|CapBnd|CapEff|Seccomp:' /proc/self/status");
        assert!(done.stdout.contains("NoNewPrivs:\t1"), "{done:?}");
        assert!(done.stdout.contains("Seccomp:\t2"), "{done:?}");
        for line in done.stdout.lines().filter(|line| line.starts_with("CapEff")) {
            let bits = u64::from_str_radix(line.split('\t').nth(1).unwrap(), 16).unwrap();
            // Of all privileges, those about owners of files: the first numbers, without
            // reading everything.
            assert_eq!(bits & !0b1111_1011, 0, "{line}");
        }
    }
}
