//! The packages for JavaScript that are no program: `@silcrow/client` and `@silcrow/parser`.
//!
//! They are packed as they are built. The check installs both into an empty folder, as a person does, runs
//! a program that uses them, and compiles another one with their types.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::platform::Platform;
use super::tar::Tar;
use super::{Release, ReleaseFile, install, output, read};
use crate::{bindings, faces};

/// A package, as it was built.
pub(super) struct NpmLibrary {
    name: &'static str,
    files: Vec<ReleaseFile>,
}

/// Builds the packages that can be built here. They are the same for all systems, so only one of these has
/// them in its release.
pub(super) fn build(platform: &Platform) -> Result<Vec<NpmLibrary>, String> {
    if platform.triple != "x86_64-unknown-linux-gnu" {
        return Ok(Vec::new());
    }
    let packages = bindings::npm_packages()?;
    packages
        .into_iter()
        .map(|(name, folder)| Ok(NpmLibrary { name, files: files(&folder)? }))
        .collect()
}

/// Returns the name and the bytes of a package.
pub(super) fn pack(release: &Release, library: &NpmLibrary) -> (String, Vec<u8>) {
    let mut tar = Tar::default();
    for file in &library.files {
        tar.push(&format!("package/{}", file.path), &file.bytes, false);
    }
    (format!("silcrow-{}-{}.tgz", library.name, release.version), tar.finish(release.level))
}

/// Installs the packages of a folder in an empty place, and uses them with a program.
pub(super) fn check(folder: &Path, program: &Path) -> Result<(), String> {
    let Ok(parser) = install::file(folder, "silcrow-parser-") else {
        println!("left out: the packages for JavaScript, because `@silcrow/parser` was not built");
        return Ok(());
    };
    let place = &install::empty_place("javascript")?;
    let mut npm = install::npm(place);
    output(npm.arg(install::file(folder, "silcrow-client-")?).arg(parser))?;
    let source = crate::root().join("clients/js");
    for file in [
        "tests/installed.mjs",
        "tests/server.mjs",
        "typescript/program.ts",
        "typescript/tsconfig.json",
    ] {
        let from = source.join(file);
        let to = place.join(from.file_name().unwrap_or_default());
        fs::copy(&from, to).map_err(|why| format!("{}: {why}", from.display()))?;
    }
    let mut node = Command::new("node");
    node.arg("installed.mjs").env("SILCROW_PROGRAM", program);
    output(node.current_dir(place))?;
    check_types(place, &source.join("typescript"))?;
    println!("javascript: installs, answers and has types");
    Ok(())
}

/// Compiles a program with the types of the packages, as node and as bundlers find them.
fn check_types(place: &Path, typescript: &Path) -> Result<(), String> {
    let installed = match faces::install_node(typescript) {
        Ok(installed) => installed,
        Err(why) if std::env::var_os("CI").is_some() => return Err(why),
        Err(why) => {
            println!("left out: the types of the packages, because tsc is not there: {why}");
            return Ok(());
        }
    };
    for (module, resolution) in [("nodenext", "nodenext"), ("esnext", "bundler")] {
        let mut tsc = Command::new("node");
        tsc.arg(installed.join("node_modules/typescript/bin/tsc"))
            .args(["--project", "tsconfig.json"]);
        tsc.args(["--module", module, "--moduleResolution", resolution]).current_dir(place);
        let said = tsc.output().map_err(|why| format!("node does not start: {why}"))?;
        if !said.status.success() {
            let said = String::from_utf8_lossy(&said.stdout).into_owned();
            return Err(format!("the types of the packages are wrong ({module}):\n{said}"));
        }
    }
    Ok(())
}

/// Reads the files of a folder in the order of their names.
fn files(folder: &Path) -> Result<Vec<ReleaseFile>, String> {
    let entries = fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let file = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(ReleaseFile { path: name, bytes: read(path)? })
    };
    paths.iter().map(file).collect()
}
