//! `cargo xtask dist`, which packs one built program in every form in which people install it.
//!
//! These are an archive for each system, a wheel for pip and uv, and packages for npm, with a bill of
//! materials, the licences of all that is linked, and checksums. A form has the same bytes each time it
//! is made of the same program. This module knows what belongs to a release; how a form is laid out is
//! known below.

mod archive;
mod components;
mod install;
mod libraries;
mod npm;
mod platform;
mod wheel;
mod zip;

use std::path::{Path, PathBuf};
use std::process::Command;

use archive::Archive;
use components::Components;
use flate2::Compression;
use libraries::NpmLibrary;
use platform::Platform;
use sha2::{Digest as _, Sha256};

use crate::{bindings, disk, faces, process};

/// Builds the program for a release, and packs it; returns the program and the folder of what was packed.
pub(crate) fn pack_release() -> Result<(PathBuf, PathBuf), String> {
    let program = build()?;
    let folder = pack_with(&program, Compression::best())?;
    Ok((program, folder))
}

/// Builds the program for a release, packs it, and installs and uses each form.
pub(crate) fn check_release() -> Result<(), String> {
    let (program, folder) = pack_release()?;
    use_forms(&folder, &program)
}

/// Packs a program that is built already.
pub(crate) fn pack(program: &Path) -> Result<(), String> {
    pack_with(program, Compression::best()).map(drop)
}

/// Packs a program that is built already, and installs and uses each form.
pub(crate) fn check(program: &Path) -> Result<(), String> {
    // Programs for tests are large, and a compressor that is not optimized is slow.
    use_forms(&pack_with(program, Compression::none())?, program)
}

/// Checks the forms of the program that was built for tests.
pub(crate) fn check_forms() -> Result<(), String> {
    faces::build()?;
    check(&built_program("debug"))
}

/// Installs each form of a folder in an empty environment, and uses it.
fn use_forms(folder: &Path, program: &Path) -> Result<(), String> {
    install::check(folder)?;
    libraries::check(folder, program)
}

/// A program and what belongs to it.
struct Release {
    version: String,
    platform: Platform,
    program: Vec<u8>,
    /// The module of Python that is built beside the program, and the files of its package.
    module: Option<PythonModule>,
    /// The packages for JavaScript that are no program.
    libraries: Vec<NpmLibrary>,
    description: String,
    repository: String,
    /// The bill of materials, in the JSON of CycloneDX.
    bill: Vec<u8>,
    /// Licences, manual pages and the like, by their paths in an archive.
    files: Vec<ReleaseFile>,
    level: Compression,
}

/// The package of Python.
struct PythonModule {
    bytes: Vec<u8>,
    /// The other files, by their names.
    files: Vec<ReleaseFile>,
    /// What its page says.
    page: String,
}

/// A file beside the program.
struct ReleaseFile {
    path: String,
    bytes: Vec<u8>,
}

impl Release {
    /// Returns the files of a folder, such as `man/`.
    fn files_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.files
            .iter()
            .filter_map(move |file| Some((file.path.strip_prefix(folder)?, &*file.bytes)))
    }

    /// Returns the licences: ours, and those of all that is linked.
    fn licenses(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let is_license = |path: &str| path.starts_with("LICENSE-") || path == THIRD_PARTY;
        self.files_in("").filter(move |(path, _)| is_license(path))
    }
}

/// Writes every form of a program into an empty folder, and returns the folder.
fn pack_with(program: &Path, level: Compression) -> Result<PathBuf, String> {
    let release = gather(program, level)?;
    let folder = disk::make_empty(crate::target().join("packed"))?;
    let mut forms = vec![archive(&release)?, wheel::pack(&release)?];
    forms.extend(npm::pack(&release)?);
    for library in &release.libraries {
        forms.push(libraries::pack(&release, library)?);
    }
    let bill = format!("silcrow-{}-{}.cdx.json", release.version, release.platform.triple);
    forms.push((bill, release.bill));
    let mut sums = String::new();
    for (name, bytes) in &forms {
        disk::write(&folder.join(name), bytes)?;
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        sums += &format!("{hash}  {name}\n");
        println!("{:>8.1} MB  {name}", bytes.len() as f64 / 1e6);
    }
    let sums_file = format!("SHA256SUMS-{}", release.platform.triple);
    disk::write(&folder.join(sums_file), sums)?;
    println!("packed in {}", folder.display());
    Ok(folder)
}

/// Reads a program and makes what belongs to it.
fn gather(program: &Path, level: Compression) -> Result<Release, String> {
    let bytes = disk::read(program)?;
    let module = python_module(program)?;
    // The wheel has both, and the newest library that either needs decides about it.
    let linked = [&*bytes, module.as_ref().map_or(&[], |module| &*module.bytes)].concat();
    let platform = Platform::of(&host()?, &linked)?;
    let components = Components::read(&platform.triple)?;
    let command = components.command();
    let field = |name: &str| command[name].as_str().unwrap_or_default().to_owned();
    let mut files = Vec::new();
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        let bytes = disk::read(&crate::root().join(file))?;
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
    let page = disk::read_text(&crate::root().join("crates/python/README.md"))?;
    Ok(Some(PythonModule { bytes: disk::read(&built)?, files, page }))
}

/// Returns the archive of a release: one folder with everything.
fn archive(release: &Release) -> Result<(String, Vec<u8>), String> {
    let name = format!("silcrow-{}-{}", release.version, release.platform.triple);
    let mut archive = Archive::default();
    archive.push_program(format!("{name}/{}", release.platform.program()), &*release.program);
    for (path, bytes) in release.files_in("") {
        archive.push(format!("{name}/{path}"), bytes);
    }
    archive.push(format!("{name}/silcrow.cdx.json"), &*release.bill);
    Ok((format!("{name}.tar.gz"), archive.tar(release.level)?))
}

/// Has the program write its manual pages, and returns them.
fn manual_pages(program: &Path) -> Result<Vec<ReleaseFile>, String> {
    let folder = disk::make_empty(crate::target().join("packed-man"))?;
    process::output(Command::new(program).arg("man").arg(&folder))?;
    let pages = disk::files(&folder)?.into_iter().map(|(name, path)| {
        Ok(ReleaseFile { path: format!("man/{name}"), bytes: disk::read(&path)? })
    });
    pages.collect()
}

/// Builds the program and the module of Python for a release, and returns the path of the program.
fn build() -> Result<PathBuf, String> {
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--profile", "dist"]);
    cargo.args(["--package", "silcrow-cli", "--package", "silcrow-python"]);
    process::succeed(&mut cargo, "the program does not build")?;
    Ok(built_program("dist"))
}

/// Returns the path of a program that is built into a folder of the target.
fn built_program(folder: &str) -> PathBuf {
    let name = format!("silcrow{}", std::env::consts::EXE_SUFFIX);
    crate::target().join(folder).join(name)
}

/// Returns the system that programs are built for, as rustc names it.
fn host() -> Result<String, String> {
    let said = process::output(Command::new("rustc").arg("-vV").current_dir(crate::root()))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

/// The file with the licences of the crates that are linked.
const THIRD_PARTY: &str = "THIRD-PARTY.txt";

/// The shells with completions, and the file that each looks for.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "silcrow.bash"),
    ("elvish", "silcrow.elv"),
    ("fish", "silcrow.fish"),
    ("powershell", "_silcrow.ps1"),
    ("zsh", "_silcrow"),
];

#[cfg(test)]
mod tests;
