//! Resources that a command without namespaces shares with other processes, and must not reach.

use silcrow_sandbox::Sandbox;

use super::{Place, WITHOUT_NAMESPACES, run};

/// System calls on x86-64 that would reach another process, whose number is `{p}`, or objects that
/// the kernel names for all processes.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(&str, &str)] = &[
    ("setpriority of a process", "141, 0, {p}, 1"),
    ("setpriority of a group", "141, 1, {p}, 1"),
    ("setpriority of a user", "141, 2, 0, 1"),
    ("ioprio_set", "251, 1, {p}, 0x4007"),
    ("ioprio_set of a user", "251, 3, 0, 0x4007"),
    ("sched_setaffinity", "203, {p}, 8, t.byref(t.c_long(1))"),
    ("sched_setscheduler", "144, {p}, 0, t.byref(t.c_long(0))"),
    ("sched_setparam", "142, {p}, t.byref(t.c_long(0))"),
    ("migrate_pages", "256, {p}, 8, t.byref(t.c_long(1)), t.byref(t.c_long(1))"),
    ("move_pages", "279, {p}, 0, 0, 0, 0, 0"),
    ("shmget", "29, 0x5117, 4096, 0o1600"),
    ("shmat", "30, 0, 0, 0"),
    ("shmctl", "31, 0, 0, 0"),
    ("msgget", "68, 0x5117, 0o1600"),
    ("msgsnd", "69, 0, 0, 0, 0"),
    ("msgrcv", "70, 0, 0, 0, 0, 0"),
    ("semget", "64, 0x5117, 1, 0o1600"),
    ("semop", "65, 0, 0, 0"),
    ("semctl", "66, 0, 0, 0"),
    ("mq_open", "240, b'silcrow', 0o102, 0o600, 0"),
    ("mq_unlink", "241, b'silcrow'"),
    ("keyctl", "250, 0, 0"),
    ("ptrace", "101, 16, {p}, 0, 0"),
    ("process_vm_readv", "310, {p}, 0, 0, 0, 0, 0"),
    ("kcmp", "312, {p}, {p}, 0, 0, 0"),
    ("prlimit64", "302, {p}, 7, 0, 0"),
    ("pidfd_getfd", "438, 0, 0, 0"),
    ("chown", "92, b'/etc/hostname', 1, 0"),
    ("chown of the group", "92, b'/etc/hostname', -1, 1"),
    ("fchownat", "260, -100, b'/etc/hostname', 1, 1, 0"),
    ("setxattr", "188, b'/etc/hostname', b'user.a', b'b', 1, 0"),
    ("fsetxattr", "190, 0, b'user.a', b'b', 1, 0"),
    ("flags of a file", "16, 0, 0x40086602, b'1234'"),
];

#[test]
#[cfg(target_arch = "x86_64")]
fn shared_state_is_unreachable_without_namespaces() {
    let place = Place::new();
    let own = std::process::id().to_string();
    let tries: Vec<_> = CALLS
        .iter()
        .map(|(_, call)| format!("(lambda: c.syscall({}))", call.replace("{p}", &own)))
        .collect();
    let script = format!(
        "import ctypes as t\nc = t.CDLL(None, use_errno=True)\n\
         for do in [{}]:\n    t.set_errno(0); r = do(); print(r, t.get_errno())\n",
        tries.join(", ")
    );
    super::write(place.path().join("calls.py"), &script);
    let sandbox = Sandbox::new(place.options().with_layers(WITHOUT_NAMESPACES)).unwrap();
    let done = run(&sandbox, "python3 calls.py");
    let lines: Vec<_> = done.stdout.lines().collect();
    assert_eq!(lines.len(), CALLS.len(), "{done:?}");
    for ((name, _), line) in CALLS.iter().zip(lines) {
        assert_eq!(line, "-1 1", "{name}");
    }
}

#[test]
fn a_command_sets_its_own_priority_and_processors() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let done = run(
            &sandbox,
            "echo $(($(nice -n 5 nice) - $(nice))); taskset -p 1 $$ >/dev/null; nice -n 1 taskset 1 echo ran",
        );
        assert!(done.stdout.starts_with('5') && done.stdout.ends_with("ran\n"), "{done:?}");
    }
}

#[test]
fn level_states_what_is_shared() {
    let place = Place::new();
    let with = |layers| Sandbox::new(place.options().with_layers(layers)).unwrap().level();
    assert_eq!(with(WITHOUT_NAMESPACES).as_str(), "file contents and network");
    assert!(with(WITHOUT_NAMESPACES).closes_network());
}
