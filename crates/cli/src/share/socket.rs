//! The socket in the store's folder: its path, its owner, its removal.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use tokio::net::UnixStream;

/// Listens at the store in `folder`, which this process must have open: a socket that is there
/// belongs to nobody any more.
pub(super) fn bind(folder: &Path) -> io::Result<UnixListener> {
    let dir = folder.join(DIR);
    match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !fs::symlink_metadata(&dir)?.is_dir() {
                let why = format!("{} is no folder; remove it", dir.display());
                return Err(io::Error::new(error.kind(), why));
            }
            fs::set_permissions(&dir, Permissions::from_mode(0o700))?;
        }
        made => made?,
    }
    remove(folder)?;
    let way = SocketPath::to(&dir)?;
    let listener = UnixListener::bind(&way.path)?;
    // Nobody else could come as far as this in between.
    fs::set_permissions(&way.path, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

pub(super) async fn connect(folder: &Path) -> io::Result<UnixStream> {
    let dir = folder.join(DIR);
    // Neither may be a link: who answers there is somebody else.
    let is_ours = fs::symlink_metadata(&dir)?.is_dir()
        && fs::symlink_metadata(dir.join(NAME))?.file_type().is_socket();
    if !is_ours {
        return Err(io::ErrorKind::NotFound.into());
    }
    let way = SocketPath::to(&dir)?;
    UnixStream::connect(&way.path).await
}

/// Whether there is one, though nobody may listen at it.
pub(super) fn is_there(folder: &Path) -> bool {
    folder.join(DIR).join(NAME).exists()
}

pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(DIR).join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A path of the socket that is short enough.
struct SocketPath {
    path: PathBuf,
    /// What the path goes through.
    _dir: Option<File>,
}

impl SocketPath {
    fn to(dir: &Path) -> io::Result<Self> {
        let path = dir.join(NAME);
        if path.as_os_str().len() <= MAX {
            return Ok(Self { path, _dir: None });
        }
        let dir = File::open(dir)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{NAME}", dir.as_raw_fd()));
        Ok(Self { path, _dir: Some(dir) })
    }
}

/// In the store's folder, for its owner alone.
const DIR: &str = "share";
const NAME: &str = "socket";

/// Bytes of a socket's path: Linux takes 107, others 103.
const MAX: usize = 103;
