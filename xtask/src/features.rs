//! The check that the command compiles with each of its features alone, with none and with the usual ones.
//!
//! It shares its folder with the check for other systems, so that build scripts and macros are compiled once.
//! It checks code only: what a build without a feature does, the tests of the command do not know.

use std::env;
use std::process::Command;

use crate::ci::Tally;

/// Checks each combination that the documentation names.
pub(crate) fn run(_: &mut Tally) -> Result<(), String> {
    let host = host()?;
    for features in combinations() {
        println!("features: {}", if features.is_empty() { "the usual ones" } else { features });
        let mut cargo = crate::cargo();
        cargo.args(["check", "--locked", "--package", "silcrow-cli", "--target", &host]);
        match features {
            "" => {}
            "none" => drop(cargo.arg("--no-default-features")),
            one => drop(cargo.args(["--no-default-features", "--features", one])),
        }
        cargo.env("CARGO_TARGET_DIR", crate::root().join("target/targets"));
        cargo.env("RUSTFLAGS", "-D warnings");
        match cargo.status() {
            Ok(status) if status.success() => {}
            Ok(status) => {
                return Err(format!("the command does not compile so ({status}); see above"));
            }
            Err(why) => return Err(format!("cargo did not start: {why}")),
        }
    }
    Ok(())
}

/// Returns the usual features, none, and each alone.
fn combinations() -> impl Iterator<Item = &'static str> {
    ["", "none"].into_iter().chain(FEATURES)
}

/// Returns the target of this machine. With its name, what runs here is compiled as for other targets.
fn host() -> Result<String, String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(rustc).arg("-vV").current_dir(crate::root()).output();
    let said = said.map_err(|why| format!("rustc did not start: {why}"))?;
    let text = String::from_utf8_lossy(&said.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say its host".to_owned())
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
        assert!(host().unwrap().contains('-'));
    }
}
