//! What a new file takes over from the old one beside its content: owner, permissions, access control list, attributes.
//! All of it is read from the old file that is open, and put on the new file that is open; no name is looked up.

use std::fs::File;
use std::io;

/// Gives the new file the permissions of the old one and, if that is allowed, its owner and group; on Linux its extended
/// attributes too. Set-user-ID, set-group-ID and sticky bits are not taken over: they were given to the old content.
#[cfg(unix)]
pub(crate) fn take_over(new: &File, old: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let (made, old_is) = (new.metadata()?, old.metadata()?);
    let (same_user, same_group) = (made.uid() == old_is.uid(), made.gid() == old_is.gid());
    let mut mode = old_is.permissions().mode() & 0o777;
    if !(same_user && same_group) && fchown(new, Some(old_is.uid()), Some(old_is.gid())).is_err() {
        // What was meant for one group is not given to another.
        let group_kept = same_group || fchown(new, None, Some(old_is.gid())).is_ok();
        mode &= if group_kept { 0o777 } else { 0o707 };
    }
    if !attributes(new, old)? {
        // With an access control list these bits are no group's: they are the most that anybody in the list has.
        mode &= !0o070;
    }
    new.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn take_over(new: &File, old: &File) -> io::Result<()> {
    new.set_permissions(old.metadata()?.permissions())
}

/// The longest list of attributes, and the longest value, that Linux has.
#[cfg(target_os = "linux")]
const MAX: usize = 1 << 16;

/// Copies the extended attributes of the old file that belong to its owner, and its access control list; false if it has
/// a list that the new file cannot have. Not what goes with the content: capabilities, signatures.
#[cfg(target_os = "linux")]
fn attributes(new: &File, old: &File) -> io::Result<bool> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
    use rustix::io::Errno;

    const ACL: &[u8] = b"system.posix_acl_access";
    const LABEL: &[u8] = b"security.selinux";

    let mut room = vec![0; MAX];
    let len = match list(old, &mut room) {
        Ok(len) => len,
        Err(Errno::NOTSUP) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let names: Vec<&[u8]> = room[..len].split(|byte| *byte == 0).collect();
    if !names.contains(&ACL) {
        // A list that it was born with, by the directory's default, would let others in.
        match fremovexattr(new, ACL) {
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut whole = true;
    let mut value = vec![0; MAX];
    for name in names {
        if !(name == ACL || name == LABEL || name.starts_with(b"user.")) {
            continue;
        }
        let copied =
            get(old, name, &mut value).and_then(|len| fsetxattr(new, name, &value[..len], XattrFlags::empty()));
        match copied {
            Ok(()) => {}
            Err(_) if name == ACL => whole = false,
            // The system gives every file a label; not every process may choose it.
            Err(_) if name == LABEL => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(whole)
}

/// Lists the attributes of an open file; of one that could not be opened for reading, by its handle.
#[cfg(target_os = "linux")]
fn list(file: &File, room: &mut [u8]) -> rustix::io::Result<usize> {
    use rustix::fs::{flistxattr, listxattr};
    use rustix::io::Errno;

    match flistxattr(file, &mut *room) {
        Err(Errno::BADF) => listxattr(crate::files::folder::handle(file), room),
        listed => listed,
    }
}

/// Reads one of them, in the same way.
#[cfg(target_os = "linux")]
fn get(file: &File, name: &[u8], room: &mut [u8]) -> rustix::io::Result<usize> {
    use rustix::fs::{fgetxattr, getxattr};
    use rustix::io::Errno;

    match fgetxattr(file, name, &mut *room) {
        Err(Errno::BADF) => getxattr(crate::files::folder::handle(file), name, room),
        got => got,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn attributes(_new: &File, _old: &File) -> io::Result<bool> {
    Ok(true)
}
