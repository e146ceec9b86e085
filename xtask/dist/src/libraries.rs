//! The packages for JavaScript that are libraries: `@silcrow/client` and `@silcrow/parser`.
//!
//! They are packed as they are built. The check installs both into an empty folder, as a person does, runs
//! a program that uses them, and compiles another one with their types.

use std::path::Path;
use std::process::Command;

use xtask::{disk, installed, process};

use crate::archive::Archive;
use crate::platform::Platform;
use crate::release::{NpmLibrary, Release};
use crate::{bindings, install};

/// Builds the packages that can be built here. They are the same for all systems, so only one of these has
/// them in its release.
pub(crate) fn build(platform: &Platform) -> Result<Vec<NpmLibrary>, String> {
    if platform.triple != "x86_64-unknown-linux-gnu" {
        return Ok(Vec::new());
    }
    let packages = bindings::npm_packages()?;
    packages
        .into_iter()
        .map(|(name, folder)| Ok(NpmLibrary { name, files: disk::files(&folder)? }))
        .collect()
}

/// Returns the name and the bytes of a package.
pub(crate) fn pack(release: &Release, library: &NpmLibrary) -> Result<(String, Vec<u8>), String> {
    let mut archive = Archive::default();
    for (name, file) in &library.files {
        archive.push(format!("package/{name}"), disk::read(file)?);
    }
    let name = format!("silcrow-{}-{}.tgz", library.name, release.version);
    Ok((name, archive.tar(release.level)?))
}

/// Installs the packages of a folder in an empty place, and uses them with a program.
pub(crate) fn check(folder: &Path, program: &Path) -> Result<(), String> {
    let Ok(parser) = install::file(folder, "silcrow-parser-") else {
        println!("left out: the packages for JavaScript, because `@silcrow/parser` was not built");
        return Ok(());
    };
    let place = &install::empty_place("javascript")?;
    let mut npm = install::npm(place);
    process::output(npm.arg(install::file(folder, "silcrow-client-")?).arg(parser))?;
    let source = xtask::root().join("clients/js");
    for file in [
        "tests/installed.mjs",
        "tests/server.mjs",
        "typescript/program.ts",
        "typescript/tsconfig.json",
    ] {
        let from = source.join(file);
        disk::copy(&from, &place.join(disk::name(&from)))?;
    }
    let mut node = Command::new("node");
    node.arg("installed.mjs").env("SILCROW_PROGRAM", program);
    process::output(node.current_dir(place))?;
    check_types(place, &source.join("typescript"))?;
    println!("javascript: installs, answers and has types");
    Ok(())
}

/// Compiles a program with the types of the packages, as node and as bundlers find them.
fn check_types(place: &Path, typescript: &Path) -> Result<(), String> {
    let installed = match installed::install_node(typescript) {
        Ok(installed) => installed,
        Err(why) => return process::leave_out("the types of the packages", &why),
    };
    for (module, resolution) in [("nodenext", "nodenext"), ("esnext", "bundler")] {
        let mut tsc = Command::new("node");
        tsc.arg(installed.join("node_modules/typescript/bin/tsc"));
        tsc.args(["--project", "tsconfig.json", "--module", module]);
        process::output(tsc.args(["--moduleResolution", resolution]).current_dir(place))?;
    }
    Ok(())
}
