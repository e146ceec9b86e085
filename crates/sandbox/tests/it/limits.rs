//! The limits of a command's resources.

use silcrow_sandbox::ResourceLimits;

use super::{Place, run};

#[test]
fn files_and_memory_are_limited() {
    let place = Place::new();
    let limits = ResourceLimits {
        memory: 64 << 20,
        file_size: 1 << 20,
        descriptors: 32,
        ..Default::default()
    };
    for sandbox in place.sandboxes_with(|options| options.with_limits(limits)) {
        let done = run(&sandbox, "head -c 2000000 /dev/zero > big; wc -c < big; rm big");
        assert_eq!(done.stdout.trim(), (1 << 20).to_string(), "{done:?}");
        let done = run(&sandbox, "python3 -c 'x = bytearray(200 << 20); print(\"GOT IT\")'");
        assert!(done.stderr.contains("MemoryError"), "{done:?}");
        let done = run(&sandbox, "ulimit -n; ulimit -c");
        assert_eq!(done.stdout, "32\n0\n");
    }
}

#[test]
fn a_sparse_file_is_not_larger_either() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let done =
            run(&sandbox, "truncate -s 8G sparse; stat -c %s sparse 2>/dev/null; rm -f sparse");
        assert!(!done.stdout.contains("8589934592"), "{done:?}");
    }
}

#[test]
fn the_number_of_processes_is_set() {
    let place = Place::new();
    let limits = ResourceLimits { processes: 40, ..Default::default() };
    for sandbox in place.sandboxes_with(|options| options.with_limits(limits)) {
        let done = run(
            &sandbox,
            "sh -c 'ulimit -u || ulimit -p' 2>/dev/null; grep processes /proc/self/limits",
        );
        let line =
            done.stdout.lines().find(|line| line.contains("Max processes")).unwrap().to_owned();
        let most: u64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
        // Without a namespace of users, the limit counts all processes of the user.
        assert!(most >= 40 && (most == 40 || !sandbox.layers().namespaces), "{line}");
    }
}
