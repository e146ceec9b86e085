//! The programs of the campaigns: the integration tests of a package, built once and copied, so that
//! the workspace can be built again while a campaign runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The integration tests of a package.
#[derive(Debug)]
pub(super) struct TestProgram {
    copy: PathBuf,
    /// The folder of the package, in which cargo would run it.
    folder: PathBuf,
}

impl TestProgram {
    pub(super) fn build(package: &str, profile: &str) -> Result<Self, String> {
        let mut cargo = crate::cargo();
        cargo.args(["test", "--no-run", "--quiet", "--package", package, "--test", "it"]);
        cargo.args(["--profile", profile, "--message-format", "json"]).stderr(Stdio::inherit());
        let output = cargo.output().map_err(|why| format!("cargo did not start: {why}"))?;
        let lines = String::from_utf8_lossy(&output.stdout);
        let built = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut built = built.filter(|line| line["target"]["name"] == "it");
        let program = built.find_map(|line| {
            let path = |key: &str| line[key].as_str().map(PathBuf::from);
            Some((path("executable")?, path("manifest_path")?))
        });
        let (program, manifest) = program
            .filter(|_| output.status.success())
            .ok_or_else(|| format!("the tests of `{package}` do not build"))?;
        let copies = crate::root().join("target/campaign");
        let copy = copies.join(package);
        let copied = fs::create_dir_all(copies).and_then(|()| fs::copy(&program, &copy));
        copied.map_err(|why| format!("cannot copy {}: {why}", program.display()))?;
        let folder = manifest.parent().unwrap_or_else(|| Path::new("/")).to_owned();
        Ok(Self { copy, folder })
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.copy);
        command.current_dir(&self.folder);
        command
    }
}
