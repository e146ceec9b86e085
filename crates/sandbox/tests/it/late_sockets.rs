//! Sockets that programs outside make while a command runs: their confinement, and the reports
//! about them.

use std::path::PathBuf;

use silcrow_sandbox::{ConfinedCommand, ConfinedProcess, Sandbox};

use super::outside_sockets::{Outside, TRY};
use super::{Place, finish, run};

/// Starts a command that waits for a go, and then tries to reach sockets in the folders.
fn waiting(sandbox: &Sandbox, folders: &[PathBuf], is_local: bool) -> (ConfinedProcess, PathBuf) {
    let names =
        folders.iter().flat_map(|folder| ["stream", "datagram"].map(|name| folder.join(name)));
    let names: Vec<_> = names.map(|path| path.display().to_string()).collect();
    let go = sandbox.root().join("go");
    let script =
        format!("echo begun; until test -e go; do :; done; python3 -c '{TRY}' {}", names.join(" "));
    let command = ConfinedCommand::shell(script);
    // A command that sees a secret that others do not see has no local sockets.
    let command = if is_local { command } else { command.with_secrets(vec![go.clone()]) };
    let mut process = sandbox.spawn(&command).unwrap();
    std::io::Read::read_exact(&mut process.stdout, &mut [0; 6]).unwrap();
    (process, go)
}

#[test]
fn reachable_late_sockets_are_reported() {
    let (place, readable) = (Place::new(), Place::new());
    for sandbox in place.sandboxes_with(|options| options.with_readable(readable.path())) {
        for is_local in [true, false] {
            let mut outside = Outside::default();
            let (seen, sub) = (readable.path(), place.path().join("sub"));
            std::fs::create_dir(&sub).unwrap();
            let (process, go) = waiting(&sandbox, &[seen.clone(), sub.clone()], is_local);
            outside.listen_in(&seen);
            outside.listen_in(&sub);
            super::write(&go, "");
            let done = finish(process);
            assert!(done.stdout.ends_with("tried\n"), "{done:?}");
            // The limit of kernels before Linux 7.1, for commands with local sockets.
            let reaches = is_local && sandbox.level().reaches_new_sockets();
            assert_eq!(done.stdout.contains("SENT stream"), reaches, "{done:?}");
            let made = [&seen, &sub].map(|at| ["datagram", "stream"].map(|name| at.join(name)));
            let mut made = made.concat();
            made.sort();
            assert_eq!(done.outcome.new_sockets, if reaches { made } else { Vec::new() });
            if !reaches {
                outside.check_unreached();
            }
            // The next command does not reach them, and none of them is new to it.
            let next = finish(sandbox.spawn(&outside.command()).unwrap());
            assert!(!next.stdout.contains("SENT"), "{next:?}");
            assert_eq!(next.outcome.new_sockets, [] as [PathBuf; 0]);
            drop(outside);
            std::fs::remove_file(go).unwrap();
            std::fs::remove_dir_all(sub).unwrap();
            for name in ["stream", "datagram"] {
                std::fs::remove_file(seen.join(name)).unwrap();
            }
        }
    }
}

#[test]
fn own_sockets_are_not_reported() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let script =
            "python3 -c 'import socket as s; s.socket(s.AF_UNIX).bind(\"own\")' 2>/dev/null; ls";
        let done = run(&sandbox, script);
        assert_eq!(done.outcome.new_sockets, [] as [PathBuf; 0], "{done:?}");
        assert_eq!(done.stdout.contains("own"), sandbox.layers().namespaces, "{done:?}");
        // Without namespaces it was not made.
        let _ = std::fs::remove_file(place.path().join("own"));
    }
}
