//! What a format tells scrub about its texts beside their content. Formats and rules build on these types.
//!
//! - [`TextUnit`]: one entry of the text table with every role it plays.
//! - [`Composite`]: a text that the heap puts together from units (a rope, a list of characters or pieces). What is found
//!   in the joined text is cut back onto the units.
//! - [`ContextView`]: one place that holds a text, with its key, owner and the keys beside it. A text has as many views
//!   as it has holders: any of them may redact it, keeping it needs all.

use super::role::RoleSet;
use crate::heap::StrId;
use crate::raw::scrub::wall::RawStr;

/// One entry of the text table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextUnit<'a> {
    /// Its number in the table.
    pub(in crate::raw) id: StrId,
    /// The text, decoded to UTF-8 where it is valid Unicode.
    pub(in crate::raw) text: RawStr<'a>,
    /// Every role it plays.
    pub(in crate::raw) roles: RoleSet,
}

/// A text that is put together; the number is the format's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Composite {
    /// A concatenated string.
    Rope(u32),
    /// A list of characters or short pieces. Only what spans several of them is new.
    List(u32),
}

/// How the parts of a composite are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// The parts in order.
    InOrder,
    /// Too long to be joined: every part once, in no order. All of them are replaced.
    TooLong,
}

/// A part of a composite: a unit, or a break where a text stands that is not known.
pub(crate) type Part = Option<StrId>;

/// What holds a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Held {
    /// The whole of a unit.
    Unit(StrId),
    /// A piece of a unit; which one is not known.
    Slice(StrId),
    /// A composite.
    Joined(Composite),
}

/// How a holder holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A property of an object, private ones included.
    Property,
    /// A variable of a closure or scope.
    Variable,
    /// The value beside a key: an entry of a map, a pair, a header, an object of `name` and `value`.
    Entry,
}

/// One place that holds a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextView<'a> {
    /// What is held.
    pub(in crate::raw) held: Held,
    /// How it is held.
    pub(in crate::raw) form: Form,
    /// The text of its key: a unit, or a short rope.
    pub(in crate::raw) key: Held,
    /// The class of the object that holds it.
    pub(in crate::raw) owner: Option<StrId>,
    /// All keys of that object, but for a `role` that is none of a conversation.
    pub(in crate::raw) siblings: &'a [StrId],
}

/// Is this who speaks in a conversation, as against what somebody may do (`admin`, `owner`, `button`)? It is the value of a
/// key `role`.
pub(in crate::raw) fn speaks(role: &[u8]) -> bool {
    const ROLES: [&str; 22] = [
        "user",
        "assistant",
        "system",
        "developer",
        "tool",
        "function",
        "model",
        "human",
        "ai",
        "bot",
        "agent",
        "chatbot",
        "critic",
        "discriminator",
        "ipython",
        "environment",
        "observation",
        "narrator",
        "customer",
        "client",
        "unknown",
        "data",
    ];
    ROLES.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(role))
}
