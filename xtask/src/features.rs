//! The check that the command compiles with each of its features alone, and with none.
//!
//! It checks code only: what a build without a feature does, the stage `alone` tests.

use crate::ci::Tally;

/// Checks each combination that the documentation names, besides the usual one.
pub(crate) fn run(_: &mut Tally) -> Result<(), String> {
    check("none", &[])?;
    for feature in FEATURES {
        let feature = format!("silcrow-cli/{feature}");
        let beside = BESIDE.iter().flat_map(|name| ["--package", *name]);
        let features = ["--features", &*feature, "--features", CLIENT];
        check(&feature, &beside.chain(features).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn check(name: &str, more: &[&str]) -> Result<(), String> {
    println!("features: {name}");
    let mut cargo = crate::cargo();
    cargo.args(["clippy", "--quiet", "--locked", "--package", "silcrow-cli"]);
    cargo.arg("--no-default-features").args(more);
    match cargo.args(["--", "-D", "warnings"]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the command does not compile so ({status}); see above")),
        Err(why) => Err(format!("cargo did not start: {why}")),
    }
}

/// What is checked beside the command, so that crates from elsewhere have the same features each time and
/// are checked once. None of them turns on a feature of the session or the command.
const BESIDE: [&str; 6] = [
    "silcrow-mcp",
    "silcrow-mcp-server",
    "silcrow-otlp-http",
    "silcrow-server",
    "silcrow-store-postgres",
    "silcrow-web",
];

/// The feature with which a session has clients of MCP.
const CLIENT: &str = "silcrow-mcp/client";

/// The features of the command.
const FEATURES: [&str; 7] = ["mcp", "pdf", "pictures", "postgres", "serve", "telemetry", "web"];

#[cfg(test)]
mod tests {
    use super::*;

    /// The usual features are all there are, and each is checked.
    #[test]
    fn all_features_of_the_command_are_checked() {
        let manifest =
            std::fs::read_to_string(crate::root().join("crates/cli/Cargo.toml")).unwrap();
        let (_, features) = manifest.split_once("[features]\n").unwrap();
        let (features, _) = features.split_once("\n[").unwrap();
        let lines = features.lines().filter_map(|line| line.split_once(" = "));
        let names: Vec<_> = lines.map(|(name, _)| name).filter(|name| *name != "default").collect();
        assert_eq!(names, FEATURES);
        let usual = FEATURES.map(|name| format!("\"{name}\"")).join(", ");
        assert!(features.contains(&format!("default = [{usual}]")), "{features}");
    }
}
