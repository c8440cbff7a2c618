//! What a new file inherits from the file that it replaces: owner, permissions, access control list and extended
//! attributes. All of it is read from and written to open files; no name is looked up.

use std::fs::File;
use std::io;

/// Gives the new file the permissions of the old one and, if the system allows it, its owner and group; on Linux also
/// its extended attributes. Set-user-ID, set-group-ID and sticky bits are not copied: they were granted to the old
/// content.
#[cfg(unix)]
pub(super) fn inherit(new: &File, old: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let (ours, theirs) = (new.metadata()?, old.metadata()?);
    let (same_user, same_group) = (ours.uid() == theirs.uid(), ours.gid() == theirs.gid());
    let mut mode = theirs.permissions().mode() & 0o777;
    if !(same_user && same_group) && fchown(new, Some(theirs.uid()), Some(theirs.gid())).is_err() {
        // Permissions that were meant for one group must not go to another. Members of the old group now count as
        // others, who may have had more permissions.
        let group_kept = same_group || fchown(new, None, Some(theirs.gid())).is_ok();
        mode &= if group_kept { 0o777 } else { 0o700 | mode >> 3 & 0o007 };
    }
    if !copy_attributes(new, old)? {
        // With an access control list, these bits are not those of the group, but a limit for everyone in the list.
        mode &= !0o070;
    }
    new.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Does nothing: WASI has no permissions. The host of the program sets them when the file takes its place.
#[cfg(target_os = "wasi")]
pub(super) fn inherit(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(any(unix, target_os = "wasi")))]
pub(super) fn inherit(new: &File, old: &File) -> io::Result<()> {
    new.set_permissions(old.metadata()?.permissions())
}

/// The longest list of attributes, and the longest value of one, in bytes, on Linux.
#[cfg(target_os = "linux")]
const MAX_ATTRIBUTE_BYTES: usize = 1 << 16;

/// Copies the extended attributes that belong to the owner of the old file, and its access control list. Returns
/// `false` if the old file has a list that the new one cannot have. Attributes that go with the content, such as
/// capabilities and signatures, are not copied.
#[cfg(target_os = "linux")]
fn copy_attributes(new: &File, old: &File) -> io::Result<bool> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
    use rustix::io::Errno;

    const ACL: &[u8] = b"system.posix_acl_access";
    const LABEL: &[u8] = b"security.selinux";

    let mut list = vec![0; MAX_ATTRIBUTE_BYTES];
    let len = match attribute_names(old, &mut list) {
        Ok(len) => len,
        Err(Errno::NOTSUP) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let names: Vec<&[u8]> = list[..len].split(|byte| *byte == 0).collect();
    if !names.contains(&ACL) {
        // The new file may have a list by the default of the directory, which would let others in.
        match fremovexattr(new, ACL) {
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut whole = true;
    let mut value = vec![0; MAX_ATTRIBUTE_BYTES];
    for name in names {
        if !(name == ACL || name == LABEL || name.starts_with(b"user.")) {
            continue;
        }
        let copied =
            attribute(old, name, &mut value).and_then(|len| fsetxattr(new, name, &value[..len], XattrFlags::empty()));
        match copied {
            Ok(()) => {}
            Err(_) if name == ACL => whole = false,
            // The system gives every file a label, which not every process may choose.
            Err(_) if name == LABEL => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(whole)
}

/// Reads the names of the attributes of an open file. A file that could not be opened for reading is accessed by the
/// path of its descriptor.
#[cfg(target_os = "linux")]
fn attribute_names(file: &File, list: &mut [u8]) -> rustix::io::Result<usize> {
    use rustix::fs::{flistxattr, listxattr};
    use rustix::io::Errno;

    match flistxattr(file, &mut *list) {
        Err(Errno::BADF) => listxattr(crate::files::folder::descriptor_path(file), list),
        listed => listed,
    }
}

/// Reads the value of an attribute, in the same way.
#[cfg(target_os = "linux")]
fn attribute(file: &File, name: &[u8], value: &mut [u8]) -> rustix::io::Result<usize> {
    use rustix::fs::{fgetxattr, getxattr};
    use rustix::io::Errno;

    match fgetxattr(file, name, &mut *value) {
        Err(Errno::BADF) => getxattr(crate::files::folder::descriptor_path(file), name, value),
        got => got,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn copy_attributes(_new: &File, _old: &File) -> io::Result<bool> {
    Ok(true)
}
