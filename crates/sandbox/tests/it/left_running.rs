//! Processes that a command left running are counted and named, with all layers and with none.

use std::io::Read as _;
use std::time::Duration;

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxLayers};

use super::{Place, run};

fn sandboxes(place: &Place) -> Vec<Sandbox> {
    let landlock_alone = SandboxLayers { landlock: true, ..SandboxLayers::NONE };
    let mut sandboxes = place.sandboxes();
    sandboxes.push(Sandbox::new(place.options().with_layers(landlock_alone)).unwrap());
    sandboxes.push(Sandbox::unconfined(place.options()).unwrap());
    sandboxes
}

#[test]
fn leftover_processes_are_counted_and_named() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        for (script, left) in [
            ("sleep 900 & exit 3", 1),
            ("sleep 900 & sleep 900 >/dev/null 2>&1 & exit 3", 2),
            ("setsid sleep 900 & exit 3", 1),
            ("nohup sleep 900 >/dev/null 2>&1 & exit 3", 1),
            ("( ( exec setsid sleep 900 </dev/null >/dev/null 2>&1 & ) & ); exit 3", 1),
        ] {
            let outcome = run(&sandbox, script).outcome;
            let name = outcome.left_name.as_deref();
            let of = sandbox.layers();
            assert_eq!((outcome.code, outcome.left_running), (Some(3), left), "{script}: {of}");
            // Before it becomes another program, a process has the name of the shell.
            assert!(
                matches!(name, Some("sleep" | "sh" | "setsid" | "nohup")),
                "{script}: {name:?}"
            );
        }
    }
}

#[test]
fn ended_processes_are_not_counted_as_leftover() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        for script in [
            "true",
            "exit 3",
            "sleep 0 & wait",
            "yes | head -1",
            // The reader ends after the command, because its input does.
            "exec /bin/bash -c 'echo a > >(cat >/dev/null)'",
        ] {
            let outcome = run(&sandbox, script).outcome;
            assert_eq!((outcome.left_running, outcome.left_name), (0, None), "{script}");
        }
    }
}

#[test]
fn stopped_command_reports_no_leftovers() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        let script = "trap 'exit 3' TERM; sleep 900 & printf up; while :; do sleep 0.01; done";
        let command = ConfinedCommand::shell(script).with_grace(Duration::from_secs(600));
        let mut process = sandbox.spawn(&command).unwrap();
        process.stdout.read_exact(&mut [0; 2]).unwrap();
        process.guard.stop();
        assert_eq!(process.end.wait().unwrap().left_running, 0);
    }
}
