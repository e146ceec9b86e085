//! The owner of the values that a call is about, and the names of the owner's buckets.

use silcrow_tool::ToolError;

/// A user, or all conversations without a user.
pub(crate) struct ValueOwner<'a>(Option<&'a str>);

impl<'a> ValueOwner<'a> {
    /// Creates the owner. Returns an error if the user's name leaves no room for a bucket's number.
    pub(crate) fn new(user: Option<&'a str>) -> Result<Self, ToolError> {
        match user {
            Some(user) if user.len() > MAX_USER => {
                Err(ToolError::new(format!("the user's name is longer than {MAX_USER} bytes")))
            }
            user => Ok(Self(user)),
        }
    }

    /// Returns the names of all buckets of this owner.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = String> {
        (0..BUCKETS).map(|number| self.bucket(number))
    }

    /// Returns the name of the bucket that holds `key`.
    pub(crate) fn bucket_of(&self, key: &str) -> String {
        self.bucket(hash(key) % BUCKETS)
    }

    /// Returns the name of a bucket: its number, after the user and a slash if there is a user. A
    /// number has no slash, so the last slash ends the user's name, even if the name has slashes.
    fn bucket(&self, number: u64) -> String {
        match self.0 {
            Some(user) => format!("{user}/{number}"),
            None => number.to_string(),
        }
    }
}

/// Returns the FNV-1a hash of `key`, which never changes.
pub(crate) fn hash(key: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    key.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The number of buckets of an owner. It cannot change: values are found by it.
const BUCKETS: u64 = 64;

/// The longest name of a user in bytes. With a slash and a bucket's number, it fits into a key.
const MAX_USER: usize = 250;
