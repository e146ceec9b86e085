//! The check that the command compiles with each of its features alone, and with none.
//!
//! It comes after the stage `clippy`, which has checked all features together, and shares what that has
//! compiled. It checks code only: what a build without a feature does, the stage `alone` tests.

use crate::ci::Tally;

/// Checks each combination that the documentation names, besides the usual one.
pub(crate) fn run(_: &mut Tally) -> Result<(), String> {
    for features in ["none"].into_iter().chain(FEATURES) {
        println!("features: {features}");
        let mut cargo = crate::cargo();
        cargo.args(["clippy", "--quiet", "--locked", "--package", "silcrow-cli"]);
        cargo.arg("--no-default-features");
        if features != "none" {
            cargo.args(["--features", features]);
        }
        match cargo.args(["--", "-D", "warnings"]).status() {
            Ok(status) if status.success() => {}
            Ok(status) => {
                return Err(format!("the command does not compile so ({status}); see above"));
            }
            Err(why) => return Err(format!("cargo did not start: {why}")),
        }
    }
    Ok(())
}

/// The features of the command.
const FEATURES: [&str; 5] = ["mcp", "postgres", "serve", "telemetry", "web"];

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
