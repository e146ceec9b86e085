//! The check that the command compiles with each of its features alone, and with none.
//!
//! It checks code only; the stage `alone` tests the behaviour of builds without a feature.

use xtask::process;

use crate::tidy;

/// Checks each combination that the documentation names, besides the usual one, which has all features.
pub(crate) fn run() -> Result<(), String> {
    check("none", &[])?;
    let command = tidy::packages()?.into_iter().find(|package| package.name == COMMAND);
    for feature in command.map(|package| package.features).unwrap_or_default() {
        let feature = format!("{COMMAND}/{feature}");
        let beside = BESIDE.iter().flat_map(|name| ["--package", *name]);
        let features = ["--features", &*feature, "--features", CLIENT];
        check(&feature, &beside.chain(features).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn check(name: &str, more: &[&str]) -> Result<(), String> {
    println!("features: {name}");
    let mut cargo = xtask::cargo();
    cargo.args(["clippy", "--quiet", "--locked", "--package", COMMAND, "--no-default-features"]);
    cargo.args(more).args(["--", "-D", "warnings"]);
    process::succeed(&mut cargo, "the command does not compile so; see above")
}

const COMMAND: &str = "silcrow-cli";

/// The packages that are checked beside the command, so that crates from elsewhere have the same
/// features each time and are checked once. None of them turns on a feature of the session or the
/// command.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_features_of_the_command_are_usual() {
        let metadata = tidy::metadata(&xtask::root()).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let command = packages.iter().find(|package| package["name"] == COMMAND).unwrap();
        let features = command["features"].as_object().unwrap();
        let usual = features["default"].as_array().unwrap();
        let names = features.keys().filter(|name| *name != "default");
        assert!(!usual.is_empty() && usual.iter().eq(names), "{features:?}");
    }
}
