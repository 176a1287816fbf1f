//! Atomic writes: a file appears complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Number in the name of the next temporary file of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// A file that gets its name only when it is complete.
///
/// It is written to a temporary file in the same directory. The temporary file is created at once, so that a path that
/// cannot be written fails before the work. If it is dropped without [`commit`](Self::commit), the temporary file is
/// removed, and an existing file of that name is unchanged.
///
/// ```
/// use std::io::Write;
/// # let directory = std::env::temp_dir().join(format!("cloth-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory).unwrap();
/// let path = directory.join("predictions.csv");
/// let mut file = cloth::atomic::AtomicFile::create(&path)?;
/// file.write_all(b"row,prediction\n").unwrap();
/// assert!(!path.exists());
/// file.commit()?;
/// assert!(path.exists());
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), cloth::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    /// Path of the temporary file; `None` for a device or a pipe, which is written directly and not replaced.
    temporary: Option<PathBuf>,
    file: BufWriter<File>,
}

impl AtomicFile {
    /// Creates the temporary file for `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let failed = |error| Error::io("create", path, error);
        // A symbolic link is kept: the file that it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| pointed_to(path));
        let (file, temporary) = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(metadata) if !metadata.is_file() => {
                (OpenOptions::new().write(true).open(&path).map_err(failed)?, None)
            }
            _ => {
                let (file, temporary) = create_temporary(&path).map_err(failed)?;
                // The new file gets the permissions of the old one; if that fails, those of any new file.
                if let Ok(old) = fs::metadata(&path) {
                    let _ = file.set_permissions(old.permissions());
                }
                (file, Some(temporary))
            }
        };
        Ok(Self { path, temporary, file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// The final path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the content to disk and renames the temporary file to its final path.
    pub fn commit(mut self) -> Result<()> {
        self.file.flush().map_err(|error| Error::io("write", &self.path, error))?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.file.get_ref().sync_all().map_err(|error| Error::io("write", &self.path, error))?;
        fs::rename(temporary, &self.path).map_err(|error| Error::io("rename", &self.path, error))?;
        self.temporary = None;
        // The name is an entry of the directory, which is synced too. If that fails, the file is still valid.
        if let Some(Ok(directory)) = self.path.parent().map(File::open) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a whole file; on an error, an existing file is unchanged.
pub fn write_atomic(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|error| Error::io("write", file.path(), error))?;
    file.commit()
}

/// The target of a dangling link; otherwise the path itself.
fn pointed_to(path: &Path) -> PathBuf {
    match fs::read_link(path) {
        Ok(to) => path.parent().map(|parent| parent.join(&to)).unwrap_or(to),
        Err(_) => path.to_owned(),
    }
}

/// Creates a file under a name that no other process or thread uses. Existing names are skipped: a killed process may
/// have left one, and in containers several processes may have the same id.
fn create_temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".{name}.{}.{count}.tmp", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (file, temporary)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_dropped_half_way_leaves_the_old_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        write_atomic(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(names(directory.path()).len(), 2);
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["a.txt"]);
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(directory.path()), ["a.txt"]);
    }

    #[test]
    fn a_path_that_cannot_be_written_fails_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(directory.path().join("no/such/a.txt")).unwrap_err();
        assert!(error.to_string().starts_with("cannot create "), "{error}");
        assert!(error.help().unwrap().contains("directory"));
        assert!(AtomicFile::create(directory.path()).is_err());
        assert!(AtomicFile::create("").is_err());
    }

    /// As root, a rename onto `/dev/null` would replace the device by a file.
    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        write_atomic("/dev/null", b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_to_be_full() {
        let error = write_atomic("/dev/full", b"x").unwrap_err();
        assert!(error.help().unwrap().contains("disk is full"), "{error:?}");
    }

    #[test]
    fn what_a_killed_process_left_is_no_obstacle() {
        let directory = tempfile::tempdir().unwrap();
        let next = COUNT.load(Ordering::Relaxed);
        for count in next..next + 1000 {
            let name = format!(".a.txt.{}.{count}.tmp", process::id());
            fs::write(directory.path().join(name), b"half").unwrap();
        }
        write_atomic(directory.path().join("a.txt"), b"whole").unwrap();
        assert_eq!(fs::read(directory.path().join("a.txt")).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn who_may_read_a_file_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        write_atomic(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        write_atomic(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        fs::remove_file(&real).unwrap();
        write_atomic(&link, b"newer").unwrap();
        assert!(link.is_symlink(), "though it led nowhere");
        assert_eq!(fs::read(&real).unwrap(), b"newer");
    }
}
