//! Packages for npm: one for each platform, with the program, and one that finds the right one.
//!
//! The second lists the others as optional, and npm installs the one for its system. No script runs at
//! the installation.

use serde_json::{Value, json};

use crate::archive::Archive;
use crate::platform::NPM_PACKAGES;
use crate::release::Release;

/// Returns the names and the bytes of both packages.
pub(crate) fn pack(release: &Release) -> Result<[(String, Vec<u8>); 2], String> {
    Ok([platform_package(release)?, package(release)?])
}

fn platform_package(release: &Release) -> Result<(String, Vec<u8>), String> {
    let platform = &release.platform;
    let mut about = about(release, &platform.npm_package());
    about["os"] = json!([platform.os]);
    about["cpu"] = json!([platform.cpu]);
    if let Some(libc) = platform.libc {
        about["libc"] = json!([libc]);
    }
    about["preferUnplugged"] = json!(true);
    let mut archive = Archive::default();
    archive.push("package/package.json", format!("{about:#}\n"));
    archive.push_program(format!("package/bin/{}", platform.program()), &*release.program);
    for (path, bytes) in release.licenses() {
        archive.push(format!("package/{path}"), bytes);
    }
    archive.push("package/silcrow.cdx.json", &*release.bill);
    let name = format!("silcrow-{}-{}-{}.tgz", platform.os, platform.cpu, release.version);
    Ok((name, archive.tar(release.level)?))
}

fn package(release: &Release) -> Result<(String, Vec<u8>), String> {
    let mut about = about(release, "silcrow");
    about["bin"] = json!({"silcrow": "bin/silcrow.js"});
    about["engines"] = json!({"node": ">=18"});
    let optional = NPM_PACKAGES.into_iter().map(|name| (name.to_owned(), json!(release.version)));
    about["optionalDependencies"] = Value::Object(optional.collect());
    let mut archive = Archive::default();
    archive.push("package/package.json", format!("{about:#}\n"));
    archive.push_program("package/bin/silcrow.js", LAUNCHER);
    let own = |path: &str| path == "README.md" || path.starts_with("LICENSE-");
    for (path, bytes) in release.files_in("").filter(|(path, _)| own(path)) {
        archive.push(format!("package/{path}"), bytes);
    }
    Ok((format!("silcrow-{}.tgz", release.version), archive.tar(release.level)?))
}

fn about(release: &Release, name: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "description": release.description,
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": format!("git+{}.git", release.repository)},
    })
}

const LAUNCHER: &str = include_str!("npm/silcrow.js");
