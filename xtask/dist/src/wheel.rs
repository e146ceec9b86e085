//! A wheel, which pip and uv install.
//!
//! It has the program as a script, and the package of Python with its module, which any Python from 3.10 on
//! takes. Without a module it has no code of Python, and any Python takes it.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::archive::Archive;
use crate::bindings::MODULE;
use crate::release::{PythonModule, Release};

/// Returns the name and the bytes of the wheel.
pub(crate) fn pack(release: &Release) -> Result<(String, Vec<u8>), String> {
    let python = if release.module.is_some() { "cp310-abi3" } else { "py3-none" };
    let (version, tag) = (&release.version, format!("{python}-{}", release.platform.wheel));
    let name = format!("silcrow-{version}");
    let mut wheel = Wheel::default();
    let program = format!("{name}.data/scripts/{}", release.platform.program());
    wheel.record(&program, &release.program);
    wheel.files.push_program(program, &*release.program);
    if let Some(PythonModule { bytes, files, .. }) = &release.module {
        for file in files {
            wheel.push(&format!("silcrow/{}", file.path), &file.bytes);
        }
        wheel.record(&format!("silcrow/{MODULE}"), bytes);
        wheel.files.push_program(format!("silcrow/{MODULE}"), &**bytes);
    }
    for (page, bytes) in release.files_in("man/") {
        wheel.push(&format!("{name}.data/data/share/man/man1/{page}"), bytes);
    }
    let info = format!("{name}.dist-info");
    for (file, bytes) in release.licenses() {
        wheel.push(&format!("{info}/licenses/{file}"), bytes);
    }
    wheel.push(&format!("{info}/sboms/silcrow.cdx.json"), &release.bill);
    wheel.push(&format!("{info}/METADATA"), metadata(release).as_bytes());
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: silcrow xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    wheel.push(&format!("{info}/WHEEL"), about.as_bytes());
    // The list cannot have its own hash.
    let record = format!("{info}/RECORD");
    wheel.files.push(&*record, format!("{}{record},,\n", wheel.record));
    Ok((format!("{name}-{tag}.whl"), wheel.files.zip(release.level)))
}

fn metadata(release: &Release) -> String {
    let Release { version, description, repository, .. } = release;
    let licenses: String =
        release.licenses().map(|(file, _)| format!("License-File: {file}\n")).collect();
    let oldest = if release.module.is_some() { "3.10" } else { "3.8" };
    let page = match &release.module {
        Some(module) => module.page.clone(),
        None => {
            let (_, readme) = release.files_in("README.md").next().unwrap_or_default();
            String::from_utf8_lossy(readme).into_owned()
        }
    };
    // Its links lead into the repository, from two folders down.
    let page = page.replace("](../../", &format!("]({repository}/blob/main/"));
    format!(
        "Metadata-Version: 2.4\nName: silcrow\nVersion: {version}\nSummary: {description}\n\
         License-Expression: MIT OR Apache-2.0\n{licenses}Requires-Python: >={oldest}\n\
         Project-URL: Source, {repository}\nDescription-Content-Type: text/markdown\n\n{page}",
    )
}

/// A wheel that is being written, with the list of its files.
#[derive(Default)]
struct Wheel {
    files: Archive,
    record: String,
}

impl Wheel {
    fn push(&mut self, path: &str, bytes: &[u8]) {
        self.record(path, bytes);
        self.files.push(path, bytes);
    }

    fn record(&mut self, path: &str, bytes: &[u8]) {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        self.record += &format!("{path},sha256={hash},{}\n", bytes.len());
    }
}
