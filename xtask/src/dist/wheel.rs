//! A wheel, which pip and uv install.
//!
//! It has the program as a script, and the package of Python with its module, which any Python from 3.10 on
//! takes. Without a module it has no code of Python, and any Python takes it.

use sha2::{Digest as _, Sha256};

use super::zip::Zip;
use super::{PythonModule, Release};
use crate::bindings::MODULE;

/// Returns the name and the bytes of the wheel.
pub(super) fn pack(release: &Release) -> (String, Vec<u8>) {
    let python = if release.module.is_some() { "cp310-abi3" } else { "py3-none" };
    let (version, tag) = (&release.version, format!("{python}-{}", release.platform.wheel));
    let name = format!("silcrow-{version}");
    let mut wheel = Wheel { zip: Zip::new(release.level), record: String::new() };
    let program = format!("{name}.data/scripts/{}", release.platform.program());
    wheel.push(&program, &release.program, true);
    if let Some(PythonModule { bytes, files }) = &release.module {
        for file in files {
            wheel.push(&format!("silcrow/{}", file.path), &file.bytes, false);
        }
        wheel.push(&format!("silcrow/{MODULE}"), bytes, true);
    }
    for (page, bytes) in release.files_in("man/") {
        wheel.push(&format!("{name}.data/data/share/man/man1/{page}"), bytes, false);
    }
    let info = format!("{name}.dist-info");
    for (file, bytes) in release.licenses() {
        wheel.push(&format!("{info}/licenses/{file}"), bytes, false);
    }
    wheel.push(&format!("{info}/sboms/silcrow.cdx.json"), &release.bill, false);
    wheel.push(&format!("{info}/METADATA"), metadata(release).as_bytes(), false);
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: silcrow xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    wheel.push(&format!("{info}/WHEEL"), about.as_bytes(), false);
    (format!("{name}-{tag}.whl"), wheel.finish(&format!("{info}/RECORD")))
}

fn metadata(release: &Release) -> String {
    let Release { version, description, repository, .. } = release;
    let licenses: String =
        release.licenses().map(|(file, _)| format!("License-File: {file}\n")).collect();
    let oldest = if release.module.is_some() { "3.10" } else { "3.8" };
    let readme = release.files_in("README.md").next().unwrap_or_default().1;
    format!(
        "Metadata-Version: 2.4\nName: silcrow\nVersion: {version}\nSummary: {description}\n\
         License-Expression: MIT OR Apache-2.0\n{licenses}Requires-Python: >={oldest}\n\
         Project-URL: Source, {repository}\nDescription-Content-Type: text/markdown\n\n{}",
        String::from_utf8_lossy(readme)
    )
}

/// A wheel that is being written, with the list of its files.
struct Wheel {
    zip: Zip,
    record: String,
}

impl Wheel {
    fn push(&mut self, path: &str, bytes: &[u8], is_program: bool) {
        self.zip.push(path, bytes, is_program);
        let hash = unpadded_base64(&Sha256::digest(bytes));
        self.record += &format!("{path},sha256={hash},{}\n", bytes.len());
    }

    fn finish(mut self, record: &str) -> Vec<u8> {
        // The list cannot have its own hash.
        self.record += &format!("{record},,\n");
        self.zip.push(record, self.record.as_bytes(), false);
        self.zip.finish()
    }
}

/// Returns bytes in the alphabet of base64 for URLs.
pub(super) fn unpadded_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut bits = 0;
        for at in 0..3 {
            bits = bits << 8 | u32::from(group.get(at).copied().unwrap_or(0));
        }
        let digits = (0..=group.len()).map(|at| (bits >> (18 - 6 * at) & 63) as usize);
        text.extend(digits.map(|digit| char::from(ALPHABET[digit])));
    }
    text
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
