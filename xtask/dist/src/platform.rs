//! The names that pip and npm have for the systems of our programs.

use std::fmt;

/// A system with a processor.
pub(crate) struct Platform {
    /// The name that rustc has for it.
    pub(crate) triple: String,
    /// The tag of its wheels.
    pub(crate) wheel: String,
    /// The name of the system in node.
    pub(crate) os: &'static str,
    /// The name of the processor in node.
    pub(crate) cpu: &'static str,
    /// The C library that a program needs, as npm names it.
    pub(crate) libc: Option<&'static str>,
}

impl Platform {
    /// Returns the platform of a triple, for which a program is built that needs some C library.
    ///
    /// # Errors
    ///
    /// Returns an error for a system for which nothing is packed.
    pub(crate) fn for_triple(triple: &str, program: &[u8]) -> Result<Self, String> {
        let unknown = || format!("nothing is packed for {triple}");
        let (cpu, processor) = match triple.split('-').next() {
            Some("x86_64") => ("x64", "x86_64"),
            Some("aarch64") => ("arm64", "aarch64"),
            _ => return Err(unknown()),
        };
        let (os, libc, wheel) = match triple.split_once('-').map(|(_, system)| system) {
            Some("unknown-linux-gnu") => {
                let version = GlibcVersion::needed_by(program);
                ("linux", Some("glibc"), format!("manylinux_{version}_{processor}"))
            }
            Some("apple-darwin") if cpu == "arm64" => ("darwin", None, "macosx_11_0_arm64".into()),
            Some("apple-darwin") => ("darwin", None, "macosx_10_12_x86_64".into()),
            Some("pc-windows-msvc") if cpu == "x64" => ("win32", None, "win_amd64".into()),
            _ => return Err(unknown()),
        };
        Ok(Self { triple: triple.to_owned(), wheel, os, cpu, libc })
    }

    /// Returns the name of the file with the program.
    pub(crate) fn program(&self) -> &'static str {
        if self.os == "win32" { "silcrow.exe" } else { "silcrow" }
    }

    /// Returns the npm package with the program for this platform.
    pub(crate) fn npm_package(&self) -> String {
        format!("@silcrow/{}-{}", self.os, self.cpu)
    }
}

/// The systems for which the package of npm has a program.
pub(crate) const NPM_PACKAGES: [&str; 5] = [
    "@silcrow/darwin-arm64",
    "@silcrow/darwin-x64",
    "@silcrow/linux-arm64",
    "@silcrow/linux-x64",
    "@silcrow/win32-x64",
];

/// A version of the C library of GNU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GlibcVersion(u32, u32);

impl GlibcVersion {
    /// Returns the version that a program needs: the newest one that its symbols name.
    pub(crate) fn needed_by(program: &[u8]) -> Self {
        let named = program.windows(PREFIX.len()).enumerate().filter(|(_, bytes)| *bytes == PREFIX);
        let versions = named.filter_map(|(at, _)| Self::parse(&program[at + PREFIX.len()..]));
        // The oldest one for which wheels have tags.
        versions.max().unwrap_or(Self(2, 17)).max(Self(2, 17))
    }

    /// Reads a version such as `2.34`, which a zero ends.
    fn parse(text: &[u8]) -> Option<Self> {
        let end = text.iter().take(8).position(|byte| *byte == 0)?;
        let (major, minor) = std::str::from_utf8(&text[..end]).ok()?.split_once('.')?;
        // Some have a third number.
        let minor = minor.split('.').next()?;
        Some(Self(major.parse().ok()?, minor.parse().ok()?))
    }
}

impl fmt::Display for GlibcVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.0, self.1)
    }
}

const PREFIX: &[u8] = b"GLIBC_";
