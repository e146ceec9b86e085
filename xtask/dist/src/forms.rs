//! The forms of a release: an archive for each system, a wheel for pip and uv, and packages for npm, with a
//! bill of materials and checksums.
//!
//! A form has the same bytes each time it is made of the same program. The module of a form defines
//! its layout.

use std::path::PathBuf;

use sha2::{Digest as _, Sha256};
use xtask::disk;

use crate::archive::Archive;
use crate::release::Release;
use crate::{libraries, npm, wheel};

/// Writes every form of a release into an empty folder, and returns the folder.
pub(crate) fn write(release: &Release) -> Result<PathBuf, String> {
    let folder = disk::make_empty(xtask::target().join("packed"))?;
    let mut forms = vec![archive(release)?, wheel::pack(release)?];
    forms.extend(npm::pack(release)?);
    for library in &release.libraries {
        forms.push(libraries::pack(release, library)?);
    }
    let bill = format!("silcrow-{}-{}.cdx.json", release.version, release.platform.triple);
    forms.push((bill, release.bill.clone()));
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
