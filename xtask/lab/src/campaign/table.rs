//! The campaigns, and how long they are. The whole takes about an hour on two cores.

use super::Campaign;

pub(super) const CAMPAIGNS: &[Campaign] = &[
    store("kills", "kill::", &[("SILCROW_KILLS", "1200")]),
    store("power-cuts", "power::", &[("SILCROW_POWER_CUTS", "150")]),
    store("flips", "flip::", &[("SILCROW_FLIPS", "500"), ("SILCROW_FLIP_STEP", "1")]),
    store("damage", "damage::", &[("SILCROW_DAMAGES", "20")]),
    store("crowd", "crowd::", &[("SILCROW_CROWD", "5000")]),
    store("backups", "backup::a_copy_beside", &[("SILCROW_BACKUPS", "40")]),
    store("calls", "calls::", EVERY_CALL),
    store("commands-killed", "every_call::command_killed", EVERY_CALL),
    store("commands-failing", "every_call::command_with_failed_change", EVERY_CALL),
    store("commands-not-reading", "every_call::command_that_cannot_read", EVERY_CALL),
    store("commands-power-cuts", "power_commands::", EVERY_CALL),
    command("runs-killed", "killed::", EVERY_CALL),
    command("deletions-killed", "delete::", EVERY_CALL),
    command("undos-killed", "undo::", EVERY_CALL),
    command("mends-killed", "damage::a_killed_mend", EVERY_CALL),
    agent("spending", "spending_runs::", &[("SILCROW_SPENDING_RUNS", "10000")]),
    agent("parking", "parked_law::", &[("SILCROW_PARKED_RUNS", "10000")]),
    agent("trees", "block_kills::", &[("SILCROW_KILLED_TREES", "10000")]),
    agent("steering", "steered_runs::", &[("SILCROW_STEERED_RUNS", "2000")]),
    agent("sessions", "session_faults::whatever", &[("SILCROW_FAULT_MIXTURES", "10000")]),
    Campaign {
        name: "machines",
        package: "silcrow-server",
        tests: "machines::lost_owner",
        variables: &[
            ("SILCROW_CLUSTERS", "14"),
            ("SILCROW_CRASHES", "72"),
            ("SILCROW_FAULT_SECONDS", "20"),
        ],
        // Forty-two machines share the processors.
        profile: "release",
    },
    Campaign {
        name: "timeouts",
        package: "silcrow-sandbox",
        tests: "rounds::",
        variables: &[("SILCROW_TIMEOUTS", "1000")],
        profile: "dev",
    },
    Campaign {
        name: "races",
        package: "silcrow-tools",
        tests: "race::",
        variables: &[("SILCROW_RACE_SECONDS", "10")],
        profile: "dev",
    },
];

/// Something happens to every call of the system, not to one of so many.
const EVERY_CALL: &[(&str, &str)] = &[("SILCROW_CALL_STEP", "1")];

const fn store(
    name: &'static str,
    tests: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Campaign {
    Campaign { name, package: "silcrow-store-log", tests, variables, profile: "dev" }
}

const fn command(
    name: &'static str,
    tests: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Campaign {
    Campaign { name, package: "silcrow-cli", tests, variables, profile: "dev" }
}

const fn agent(
    name: &'static str,
    tests: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Campaign {
    Campaign { name, package: "silcrow-agent", tests, variables, profile: "dev" }
}
