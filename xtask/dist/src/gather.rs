//! Gathers the files that belong to a program: its manual pages and completions, the licences of
//! all linked crates, the module of Python and the packages for JavaScript.

use std::path::Path;
use std::process::Command;

use flate2::Compression;
use xtask::{disk, process};

use crate::components::Components;
use crate::platform::Platform;
use crate::release::{PythonModule, Release, ReleaseFile, THIRD_PARTY};
use crate::{bindings, libraries};

/// Reads a program and makes the files that belong to it.
pub(crate) fn gather(program: &Path, level: Compression) -> Result<Release, String> {
    let bytes = disk::read(program)?;
    let module = python_module(program)?;
    // The wheel has both, and the newest library that either needs decides about it.
    let linked = [&*bytes, module.as_ref().map_or(&[], |module| &*module.bytes)].concat();
    let platform = Platform::for_triple(&host()?, &linked)?;
    let components = Components::read(&platform.triple)?;
    let command = components.command();
    let field = |name: &str| command[name].as_str().unwrap_or_default().to_owned();
    let mut files = Vec::new();
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        let bytes = disk::read(&xtask::root().join(file))?;
        files.push(ReleaseFile { path: file.to_owned(), bytes });
    }
    let texts = components.license_texts().into_bytes();
    files.push(ReleaseFile { path: THIRD_PARTY.to_owned(), bytes: texts });
    files.extend(manual_pages(program)?);
    for (shell, file) in COMPLETIONS {
        let bytes = process::output(Command::new(program).args(["completions", shell]))?;
        let bytes = bytes.into_bytes();
        files.push(ReleaseFile { path: format!("completions/{file}"), bytes });
    }
    let libraries = libraries::build(&platform)?;
    Ok(Release {
        version: field("version"),
        platform,
        program: bytes,
        module,
        libraries,
        description: field("description"),
        repository: field("repository"),
        bill: components.bill().into_bytes(),
        files,
        level,
    })
}

/// Reads the module of Python that was built with a program, if one was, and its package.
fn python_module(program: &Path) -> Result<Option<PythonModule>, String> {
    let built = program.with_file_name(bindings::built_module());
    if !built.is_file() {
        println!(
            "left out: the package of Python, whose module is not beside {}",
            program.display()
        );
        return Ok(None);
    }
    let files = bindings::package_files()?.into_iter().map(|(name, path)| {
        let bytes = disk::read(&path)?;
        Ok(ReleaseFile { path: name, bytes })
    });
    let files = files.collect::<Result<_, String>>()?;
    let page = disk::read_text(&xtask::root().join("crates/python/README.md"))?;
    Ok(Some(PythonModule { bytes: disk::read(&built)?, files, page }))
}

/// Has the program write its manual pages, and returns them.
fn manual_pages(program: &Path) -> Result<Vec<ReleaseFile>, String> {
    let folder = disk::make_empty(xtask::target().join("packed-man"))?;
    process::output(Command::new(program).arg("man").arg(&folder))?;
    let pages = disk::files(&folder)?.into_iter().map(|(name, path)| {
        Ok(ReleaseFile { path: format!("man/{name}"), bytes: disk::read(&path)? })
    });
    pages.collect()
}

/// Returns the system that programs are built for, as rustc names it.
fn host() -> Result<String, String> {
    let said = process::output(Command::new("rustc").arg("-vV").current_dir(xtask::root()))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

/// The shells with completions, and the file that each looks for.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "silcrow.bash"),
    ("elvish", "silcrow.elv"),
    ("fish", "silcrow.fish"),
    ("powershell", "_silcrow.ps1"),
    ("zsh", "_silcrow"),
];
