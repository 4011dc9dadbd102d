//! Who stands by a bundle: signed statements about one manifest, which lie beside the bundle.
//!
//! A statement names the digest of the manifest, so it is about one bundle and no other; the manifest names everything
//! else. Statements are files of their own, so approvals can be added without changing what was approved. All forms are
//! read only as they are written: one way to write a statement means one way to read it.

mod beside;
mod envelope;
mod key;
mod ssh;
mod ssh_keygen;
mod statement;

pub(crate) use self::beside::all;
pub use self::beside::{Found, Signed, Trouble, What, store};
pub use self::envelope::Envelope;
pub use self::key::{Identity, PrivateKey, PublicKey};
pub use self::statement::{Act, Statement};

/// The namespace of SSH signatures: a signature that was made for something else is none for a bundle.
pub const NAMESPACE: &str = "heapscrub-bundle@v1";
