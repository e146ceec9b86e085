//! The death of the program that started a command, by a signal that it cannot handle.

use std::process::{Command, Stdio};

use super::trees::{TREES, Tether};
use super::{HELPER, Place};

#[test]
fn commands_die_with_the_program_that_started_them() {
    let place = Place::new();
    for namespaces in ["yes", "no"] {
        for (name, tree) in TREES {
            let tether = Tether::new(&place);
            let mut agent = Command::new(HELPER);
            agent.arg(place.path()).arg(namespaces).arg(tether.script(tree));
            let mut agent = agent.stdout(Stdio::null()).spawn().unwrap();
            let pipe = tether.ready();
            agent.kill().unwrap();
            agent.wait().unwrap();
            tether.check(pipe, name);
        }
    }
}
