use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{Args, Cancel, Context, Failure, Output, Policy, Preview, Tool};

use crate::blocking::blocking;
use crate::root::Root;
use crate::tell;

/// `file_write {file, content}`: makes a file, or replaces it whole. Asks first.
///
/// At every instant, also after a crash, there is the old text or the new one and never a part.
/// A crash may leave a file named `.silcrow-….tmp` beside it.
#[derive(Clone, Debug)]
pub struct FileWrite {
    root: Root,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    file: String,
    content: String,
}

impl FileWrite {
    /// The tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone() }
    }
}

impl Tool for FileWrite {
    fn name(&self) -> &str {
        "file_write"
    }

    fn description(&self) -> &str {
        "Writes a text file: makes it, with the folders above it, or replaces all of its text."
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> Policy {
        Policy { needs_approval: true, idempotent: true, ..Policy::default() }
    }

    /// A yes for the conversation covers the file, with whatever text.
    fn preview<'a>(
        &'a self,
        args: Args<'a>,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Preview, Failure>> {
        async move {
            let Wanted { file, .. } = args.read()?;
            Ok(Preview::new(format!("file {file}")))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: Args<'a>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        async move {
            let Wanted { file, content } = args.read()?;
            let (root, cancel) = (self.root.clone(), context.cancel().clone());
            blocking(move || write(&root, &file, &content, &cancel)).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"},"#,
    r#""content":{"type":"string","description":"the whole text"}},"#,
    r#""required":["file","content"],"additionalProperties":false}"#,
);

fn write(root: &Root, path: &str, content: &str, cancel: &Cancel) -> Result<Output, Failure> {
    let told = |error: &io::Error| root.failure(path, error);
    let Some(place) = Place::of(path) else {
        let told = tell::quoted(path);
        return Err(Failure::new(format!("{told} names a folder; write the name of a file")));
    };
    let mut folder = place.make_folder(root.dir()).map_err(|error| told(&error))?;
    let mut name = place.name;
    let mut old = look(&folder, &name).map_err(|error| told(&error))?;
    if old.as_ref().is_some_and(Metadata::is_symlink) {
        // The file behind the link is replaced, if it is inside, and the link stays.
        let real = root.dir().canonicalize(path).map_err(|error| told(&error))?;
        (folder, name) = behind(root.dir(), &real).map_err(|error| told(&error))?;
        old = look(&folder, &name).map_err(|error| told(&error))?;
    }
    if let Some(old) = old.as_ref().filter(|old| !old.is_file()) {
        return Err(tell::no_file(path, old.file_type()));
    }
    let mut new = Temporary::new(&folder).map_err(|error| told(&error))?;
    new.fill(content, old.as_ref()).map_err(|error| told(&error))?;
    if cancel.is_triggered() {
        return Err(Failure::new(format!("cancelled: {} is as it was", tell::quoted(path))));
    }
    new.rename(&name).map_err(|error| told(&error))?;

    let did = if old.is_some() { "replaced" } else { "created" };
    let bytes = tell::count(content.len(), "byte", "bytes");
    Ok(Output::new(format!("{did}, {bytes}"), format!("{did} {}, {bytes}", tell::quoted(path))))
}

/// A path's folder and the last name in it.
struct Place {
    folder: PathBuf,
    name: PathBuf,
}

impl Place {
    /// `None` if the path can only be a folder's.
    fn of(path: &str) -> Option<Self> {
        let (folder, name) = match path.rsplit_once('/') {
            Some(("", name)) => ("/", name),
            Some(parts) => parts,
            None => (".", path),
        };
        // An empty path is told as such by the system.
        let folder_only = matches!(name, "." | "..") || (name.is_empty() && !path.is_empty());
        // Without `.` in the middle and at the end, which cannot be made as a folder.
        let folder = Path::new(folder).components().collect();
        (!folder_only).then(|| Self { folder, name: name.into() })
    }

    /// Opens the folder, made first if it is missing.
    fn make_folder(&self, dir: &Dir) -> io::Result<Dir> {
        match dir.open_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                dir.create_dir_all(&self.folder)?;
                dir.open_dir(&self.folder)
            }
            opened => opened,
        }
    }
}

/// The folder of a path without links, and the name in it.
fn behind(dir: &Dir, real: &Path) -> io::Result<(Dir, PathBuf)> {
    let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = dir.open_dir(folder.unwrap_or_else(|| Path::new(".")))?;
    Ok((folder, real.file_name().unwrap_or_default().into()))
}

/// What is there now; a link is not followed.
fn look(folder: &Dir, name: &Path) -> io::Result<Option<Metadata>> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && name != Path::new("") => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file that is taken away again unless it is renamed.
struct Temporary<'a> {
    folder: &'a Dir,
    name: String,
    file: File,
    renamed: bool,
}

impl<'a> Temporary<'a> {
    fn new(folder: &'a Dir) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        const TRIES: usize = 100;
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".silcrow-{}-{number}.tmp", process::id());
            // Never what somebody put there under this name.
            match folder.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Ok(file) => return Ok(Self { folder, name, file, renamed: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Writes the text down to the disk, with the permissions of the file it is to replace.
    fn fill(&mut self, content: &str, old: Option<&Metadata>) -> io::Result<()> {
        self.file.write_all(content.as_bytes())?;
        if let Some(old) = old {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_all()
    }

    fn rename(&mut self, name: &Path) -> io::Result<()> {
        self.folder.rename(&self.name, self.folder, name)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // If that fails too, a stray file stays, which is what the docs say.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}
