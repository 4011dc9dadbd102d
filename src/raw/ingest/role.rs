//! The parts that a text can play in a snapshot. One text may play several; each is decided on its own.

/// A part that a text plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Role {
    /// The content of a string.
    Value,
    /// A number or another primitive shown as text.
    Number,
    /// A place in a source text, shown as text: DevTools computes with it.
    Position,
    /// The source text of a script.
    Source,
    /// The name of a property of an object of the runtime.
    Key,
    /// The name of a property of an object of the program: a plain object or one of the program's own classes.
    /// It may be a small dictionary, so what a runtime calls its own things says little here.
    OwnKey,
    /// The name of a property of an object of the program that also has keys nobody vouches for, or mostly ordinary
    /// words: a dictionary, or a record of code that is not there any more.
    DoubtfulKey,
    /// The name of a property of an object that is used as a dictionary: data.
    DataKey,
    /// The name of a variable held by a closure or a scope.
    Variable,
    /// The name of a class or constructor.
    Class,
    /// The name of a function.
    Function,
    /// The name of compiled code and its parts.
    Code,
    /// The path or address of a script.
    Script,
    /// The path of a source file, as a stack of calls names it.
    File,
    /// The pattern of a regular expression.
    Regexp,
    /// The description of a symbol.
    Symbol,
    /// The name of an object of the embedder: DOM nodes with their attributes, C++ classes.
    Native,
    /// The name of an edge that the engine made, with WeakMap pair descriptors.
    Edge,
    /// The name of an internal node of the engine.
    Structure,
    /// An entry of the table that nothing refers to.
    Unused,
    /// A line of a log, or a text under a key of which programs write the words: judged word by word.
    Line,
    /// A number or a time under a key that says so: a duration, a size, a moment.
    Measure,
    /// The name of a field of a structured log.
    Field,
}

impl Role {
    /// All of them, in order.
    pub const ALL: [Self; 23] = [
        Self::Value,
        Self::Number,
        Self::Position,
        Self::Source,
        Self::Key,
        Self::OwnKey,
        Self::DoubtfulKey,
        Self::DataKey,
        Self::Variable,
        Self::Class,
        Self::Function,
        Self::Code,
        Self::Script,
        Self::File,
        Self::Regexp,
        Self::Symbol,
        Self::Native,
        Self::Edge,
        Self::Structure,
        Self::Unused,
        Self::Line,
        Self::Measure,
        Self::Field,
    ];

    /// The word used in ledgers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Number => "number",
            Self::Position => "position",
            Self::Source => "source",
            Self::Key => "key",
            Self::OwnKey => "own-key",
            Self::DoubtfulKey => "doubtful-key",
            Self::DataKey => "data-key",
            Self::Variable => "variable",
            Self::Class => "class",
            Self::Function => "function",
            Self::Code => "code",
            Self::Script => "script",
            Self::File => "file",
            Self::Regexp => "regexp",
            Self::Symbol => "symbol",
            Self::Native => "native",
            Self::Edge => "edge",
            Self::Structure => "structure",
            Self::Unused => "unused",
            Self::Line => "line",
            Self::Measure => "measure",
            Self::Field => "field",
        }
    }

    /// Is this the content of something, replaced unless a keep rule vouches for it?
    #[must_use]
    pub const fn is_value(self) -> bool {
        matches!(self, Self::Value | Self::Number | Self::Source | Self::Line | Self::Measure)
    }

    /// Is this a part of a file without a heap?
    #[must_use]
    pub const fn is_of_log(self) -> bool {
        matches!(self, Self::Line | Self::Measure | Self::Field)
    }

    /// Is this a name that a program's author wrote, of which the ledger gives the share that was kept?
    #[must_use]
    pub const fn is_name(self) -> bool {
        matches!(self, Self::Key | Self::OwnKey | Self::Variable | Self::Class | Self::Function | Self::Field)
    }
}

/// A set of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoleSet(u32);

impl RoleSet {
    pub(in crate::raw) fn insert(&mut self, role: Role) {
        #[cfg(test)]
        if off::ROLE.get() == Some(role) {
            return;
        }
        self.0 |= 1 << role as u8;
    }

    /// The set of one role.
    pub(in crate::raw) fn of(role: Role) -> Self {
        let mut set = Self::default();
        set.insert(role);
        set
    }

    /// As a number, for readers that fill many sets together.
    pub(in crate::raw) fn bits(self) -> u32 {
        self.0
    }

    /// The set that such a number stands for.
    pub(in crate::raw) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(in crate::raw) fn contains(self, role: Role) -> bool {
        self.0 & (1 << role as u8) != 0
    }

    pub(in crate::raw) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(in crate::raw) fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |r| self.contains(*r))
    }
}

/// A reader that overlooks a role, for the test that verify notices.
#[cfg(test)]
pub(in crate::raw) mod off {
    use std::cell::Cell;

    thread_local! {
        pub(in crate::raw) static ROLE: Cell<Option<super::Role>> = const { Cell::new(None) };
    }
}
